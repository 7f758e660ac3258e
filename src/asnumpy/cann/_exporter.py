"""The figures of `cann.metrics()` through prometheus_client: to its HTTP exporter or a registry of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asnumpy.cann._metrics import families

MISSING = 'prometheus_client is not installed; install it with: pip install "asnumpy[monitor]"'


class Collector:
    """Gives prometheus_client the figures at the moment at which they are asked for."""

    def collect(self) -> Iterator[Any]:
        """Every metric of `cann.metrics_text()`, as prometheus_client's objects."""
        from prometheus_client.core import Metric

        for one in families():
            metric = Metric(one.name.removesuffix("_total"), one.text, one.kind)  # the writer adds it to counters
            for ending, labels, value in one.samples:
                metric.add_sample(one.name + ending, labels, value)
            yield metric


def serve_metrics(port: int = 9464, address: str = "127.0.0.1") -> Any:
    """Answers HTTP requests for the figures of `cann.metrics()`, in a thread, until the process ends.

    Parameters: port, a TCP port, 0 for any that is free; address, of the interface ("0.0.0.0": all). Returns the
    server, with `port` and `close()`. Made by prometheus_client, whose own registry gets the figures as well with
    `prometheus_client.REGISTRY.register(cann.Collector())`. ImportError where it is not installed, OSError where the
    port is taken.
    """
    try:
        import prometheus_client
    except ImportError:
        raise ImportError(f"cann.serve_metrics: {MISSING}") from None
    registry = prometheus_client.CollectorRegistry()
    registry.register(Collector())
    server, thread = prometheus_client.start_http_server(port, address, registry)
    return Server(server, thread)


class Server:
    """A running exporter of metrics: its port, and its end."""

    def __init__(self, server: Any, thread: Any) -> None:
        self._server, self._thread = server, thread
        self.port: int = server.server_address[1]

    def __repr__(self) -> str:
        return f"<metrics at http://{self._server.server_address[0]}:{self.port}/metrics>"

    def close(self) -> None:
        """Stops answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
