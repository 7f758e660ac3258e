"""Health for containers and services: answers to HTTP probes, and a check in a process of its own with a time limit."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from asnumpy.cann._health import Health, Step, health
from asnumpy.cann._metrics import metrics_text
from asnumpy.runtime.apart import told_apart

SECONDS = 30.0


def checked_apart(device: str, seconds: float = SECONDS) -> Health:
    """The health check in a process of its own: a device that hangs or a library that crashes is a finding."""
    begun = time.perf_counter()

    def failed(error: str) -> Health:
        return Health(device, ok=False, steps=[Step("process", False, time.perf_counter() - begun, error)])

    try:
        report, ended = told_apart("asnumpy.cann._health_apart", device, seconds=seconds)
    except subprocess.TimeoutExpired:
        return failed(f"did not end within {seconds:g} s; look at `npu-smi info`: the device may hang and need a reset")
    if ended:
        return failed(ended)
    report["steps"] = [Step(**one) for one in report["steps"]]
    return Health(**report)


class Watch:
    """The latest health of a device of this process, checked again when it is older than `every` seconds."""

    def __init__(self, device: Any = 0, every: float = 10.0, seconds: float = SECONDS) -> None:
        self.device, self.every, self.seconds = device, every, seconds
        self._lock = threading.Lock()
        self._latest: Health | None = None
        self._at = self._begun = 0.0
        self._running: threading.Thread | None = None

    def _check(self) -> None:
        found = health(self.device)
        with self._lock:
            self._latest, self._at, self._running = found, time.monotonic(), None

    def look(self) -> Health:
        """The health now; a check that does not end in time counts as a failure, and no other begins meanwhile."""
        with self._lock:
            if self._latest is not None and self._running is None and time.monotonic() - self._at < self.every:
                return self._latest
            if self._running is None:
                self._begun = time.monotonic()
                self._running = threading.Thread(target=self._check, name="asnumpy health", daemon=True)
                self._running.start()
            running, begun = self._running, self._begun
        running.join(max(0.0, begun + self.seconds - time.monotonic()))
        with self._lock:
            if self._running is None and self._latest is not None:
                return self._latest
        error = f"the check has not ended after {time.monotonic() - begun:.0f} s: the device may hang"
        return Health(f"ascend:{self.device}", ok=False, steps=[Step("check", False, time.monotonic() - begun, error)])


class Handler(BaseHTTPRequestHandler):
    """/healthz: 200 or 503 with the check as JSON; /livez: 200 while the process answers; /metrics: Prometheus'."""

    def do_GET(self) -> None:
        """Answers a probe."""
        path = self.path.partition("?")[0]
        if path == "/healthz":
            assert isinstance(self.server, HealthServer)
            found = self.server.watch.look()
            self._answer(200 if found.ok else 503, json.dumps(found.as_dict()), "application/json")
        elif path == "/livez":
            self._answer(200, "alive\n", "text/plain")
        elif path == "/metrics":
            self._answer(200, metrics_text(), "text/plain; version=0.0.4")
        else:
            self._answer(404, "asnumpy answers /healthz, /livez and /metrics\n", "text/plain")

    def _answer(self, status: int, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Probes come every few seconds: nothing is written."""


class HealthServer(ThreadingHTTPServer):
    """Answers health probes in threads."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], watch: Watch) -> None:
        super().__init__(address, Handler)
        self.watch = watch

    @property
    def port(self) -> int:
        """The port on which it answers."""
        return int(self.server_address[1])

    def close(self) -> None:
        """Stops answering."""
        self.shutdown()
        self.server_close()


def serve_health(
    port: int = 8086, address: str = "127.0.0.1", *, device: Any = 0, every: float = 10.0, seconds: float = SECONDS,
) -> HealthServer:
    """Answers HTTP probes of a container or service, in a thread, until the process ends.

    Parameters: port, 0 for any that is free; address, of the interface ("0.0.0.0": all); device, a number or
    "ascend:1"; every, seconds for which a check's result is good; seconds, after which one that has not ended counts
    as a failure. Paths: `/healthz` 200 or 503 with the check as JSON, `/livez` 200, `/metrics` the text of
    `cann.metrics_text()`. Returns the server, with `port` and `close()`. OSError where the port is taken.
    """
    server = HealthServer((address, port), Watch(device, every, seconds))
    threading.Thread(target=server.serve_forever, name="asnumpy health server", daemon=True).start()
    return server


def run(options: Any) -> int:
    """`python -m asnumpy health`: the exit status, or answers until it is interrupted."""
    device = options.device if options.device.startswith("ascend") else f"ascend:{options.device}"
    if options.serve is None:
        found = checked_apart(device, options.timeout)
        print(json.dumps(found.as_dict(), indent=2) if options.json else found)
        return 0 if found.ok else 1
    server = serve_health(options.serve, options.address, device=device, seconds=options.timeout)
    print(f"health at http://{options.address}:{server.port}/healthz; Ctrl-C ends it", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.close()
    return 0
