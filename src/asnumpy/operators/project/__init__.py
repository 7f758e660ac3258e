"""Projects of people who write operators: `python -m asnumpy operator new | build | test | bench | package | list`."""

from asnumpy.operators.project._new import PARTS, write
from asnumpy.operators.project._project import Project, project

__all__ = ["PARTS", "Project", "project", "write"]
