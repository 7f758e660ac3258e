"""Tasks of Dask's whose results have nothing pending."""

from __future__ import annotations

from typing import Any

from dask._task_spec import GraphNode

from asnumpy.dask._arrays import evaluated


class Evaluated(GraphNode):
    """A task that runs what it has recorded, in its own thread: its time is the task's, and so is an error."""

    __slots__ = ("_task",)

    def __init__(self, task: GraphNode) -> None:
        self.key, self._dependencies, self._task = task.key, task.dependencies, task

    def __call__(self, values: Any = ()) -> Any:
        return evaluated(self._task(values))

    def __repr__(self) -> str:
        return repr(self._task)  # for who profiles tasks


def evaluate_in_its_thread(key: Any, graph: dict[Any, Any], state: Any) -> None:
    """Once for each task, before it starts: each call of a scheduler of this process makes a graph of its own."""
    graph[key] = Evaluated(graph[key])
