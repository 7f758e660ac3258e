"""Projects of people who write operators: `python -m asnumpy operator new | build | test | bench | package | list`."""
