"""`ap.profile()`: what it says of a block is what the block did, and the block does what it does without it."""

from __future__ import annotations

import csv
import gc
import json
import math
import re
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from device_marks import OTHERS, each_device, needs_simulator

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.profiles import Profile, _limits, _timeline, _units

SIZE = 50_000
HERE = __file__


@pytest.fixture(autouse=True)
def deferred() -> Any:
    ap.synchronize()
    with ap.config.using(eager=False, fallback="count"):
        yield


class Page(HTMLParser):
    """A page's elements, which must be closed in order, what they refer to, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.within = ""  # the page of a frame
        self.scripts: list[tuple[dict[str, Any], str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.outside += [f"{name}={value}" for name, value in attributes if name in ("src", "href", "action", "data")]
        self.within = dict(attributes).get("srcdoc") or self.within
        if tag == "script":
            self.scripts.append((dict(attributes), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            kind, text = self.scripts.pop()
            self.scripts.append((kind, text + data))
        elif "style" not in self.open:
            self.text += data

    @property
    def data(self) -> Any:
        return json.loads(next(text for kind, text in self.scripts if kind.get("type") == "application/json"))


def work(values: np.ndarray) -> tuple[float, np.ndarray]:
    x = ap.asarray(values)
    y = ap.exp(-x) * 2.0 + x
    square = y[:10_000].reshape(100, 100)
    product = square @ square
    return float(y.sum()), ap.to_numpy(product)


def rates_are_known(p: Profile) -> bool:
    """Not where a device took part, were it by what another thread compiles for it."""
    return not p._seen.used_devices


@each_device
def test_a_block(device: str) -> None:
    values = np.random.default_rng(1).random(SIZE, np.float32)
    with ap.Device(str(device)):
        without = work(values)
        with ap.profile() as p:
            within = work(values)
    assert within[0] == without[0] and np.array_equal(within[1], without[1])
    found = pd.DataFrame(p.to_dict())
    assert (found.start_us >= 0).all() and (found.own_us <= found.duration_us + 1e-9).all()
    programs = found[found.kind == "program"]
    assert any({"exp", "multiply", "add"} <= set(name.split()) for name in programs.name)
    assert any(f"{HERE}:" in lines for lines in programs.lines)
    together = pd.DataFrame(p.to_dict("programs"))
    assert math.isclose(together.seconds.sum(), found.own_us.sum() / 1e6) and together.calls.sum() == len(found)
    assert math.isclose(together.share.sum(), 1.0)
    text = str(p)
    assert "matmul" in text and "memory in use" in text and ("GB/s (a sum" in text) == rates_are_known(p)
    assert rates_are_known(p) or OTHERS
    assert device == "cpu" or not rates_are_known(p)
    page = Page(p.html())
    assert page.outside == [] and "canvas" in page.tags
    drawn = page.data
    assert len(drawn["spans"]) == len(found) + len(p.to_dict("tasks")["name"])
    assert {drawn["names"][span[5]] for span in drawn["spans"]} >= set(found.name)
    assert all(span[1] < drawn["rows"][span[0]]["lanes"] for span in drawn["spans"])
    assert "test_profile.py" in page.text and "y = ap.exp(-x)" in page.text


def test_the_page_stands_alone() -> None:
    with ap.profile() as p:
        float((ap.ones(SIZE) + 1.0).sum())
    html = p.html()
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(|fetch\(|XMLHttp|import\(", html)
    framed = p._repr_html_()
    assert framed is not None
    frame = Page(framed)
    assert frame.tags == ["iframe"] and frame.outside == [] and frame.within == html


def test_nothing_ends_the_element_that_holds_the_data() -> None:
    unit = _units.Unit("program", "</script><b>", 0, 10, 20, 10, "<!--", "", None, None)
    data = _timeline.drawn([unit], [], [(12, 5), (15, 0)], {1: {0: "thread 0"}, 2: {}}, 0, 30)
    page = Page(_timeline.element(data))
    assert "b" not in page.tags and page.data["names"] == ["</script><b>", "<!--"]
    assert page.data["memory"] == [[0.012, 5], [0.015, 0]]


def test_spans_lie_beside_each_other() -> None:
    assert _timeline._lanes([(0, 10), (1, 4), (2, 3), (5, 8), (10, 11)]) == ([0, 1, 2, 1, 0], 3)


@pytest.mark.parametrize(
    ("left", "right"),
    [((100, 70), (70, 90)), ((100, 70), (5, 70, 90)),
     ((3, 4, 50, 20), (20, 30)), ((200, 64), (64,)), ((64,), (64, 200))],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_arithmetic_of_a_product(left: tuple[int, ...], right: tuple[int, ...], dtype: str) -> None:
    with ap.Device("cpu"), ap.config.using(eager_size=0):
        a, b = ap.ones(left, dtype), ap.ones(right, dtype)
        ap.synchronize()
        with ap.profile() as p:
            made = a @ b
            ap.synchronize()
    found = pd.DataFrame(p.to_dict("programs")).set_index("name").loc["matmul"]
    assert found.operations == 2 * np.prod(made.shape) * left[-1]
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    sizes = [math.prod(batch) * math.prod(one[-2:]) for one in (left, right)]
    assert found.bytes == (sum(sizes) + made.size) * np.dtype(dtype).itemsize
    if rates_are_known(p):
        assert found.arithmetic_share > 0 and found.bandwidth_share > 0


def test_the_arithmetic_of_a_program() -> None:
    with ap.Device("cpu"):
        x = ap.asarray(np.linspace(0.0, 1.0, SIZE))
        ap.synchronize()
        with ap.profile() as p:
            float((ap.sin(x) * x + 1.0).sum())
    found = pd.DataFrame(p.to_dict("programs"))
    one = found[found.kind == "program"].iloc[0]
    assert one["name"] == "sin multiply add reduce:add" and one.operations == 4 * SIZE and one["shape"] == f"({SIZE},)"
    assert one.bytes == x.nbytes + 8
    assert not rates_are_known(p) or (one.arithmetic_share > 0 and one.bandwidth_share > 0)


def test_limits_are_measured_once_and_outside_of_recordings() -> None:
    first = _limits.limits()
    assert first is not None and first is _limits.limits()
    assert min(first.bandwidth, first.arithmetic, *first.products.values()) > 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_limits, "_kept", [])
        with ap.profile():
            assert _limits.limits() is None
        assert _limits._kept == []


@each_device
def test_memory(device: str) -> None:
    with ap.Device(str(device)):
        gc.collect()
        kept = ap.ones(SIZE) * 2.0
        ap.synchronize()
        with ap.profile() as p:
            other = kept + 1.0
            ap.synchronize()
            del other
            more = kept * 3.0
            ap.synchronize()
        found = p.to_dict("memory")["bytes"]
    assert min(found) >= kept.nbytes and found[-1] >= kept.nbytes + more.nbytes
    assert len(found) >= 3 and f"{p._seen.in_use[1] / 1e6:.2f} MB at the end" in str(p)
    assert max(found) >= 2 * more.nbytes


def test_what_fell_back_within_the_block() -> None:
    matrix = ap.eye(4)
    np.linalg.eigvals(matrix)
    with ap.profile() as p:
        np.linalg.eigvals(matrix)
        np.linalg.eigvals(matrix)
    found = pd.DataFrame(p.to_dict("fallbacks")).set_index("function").loc["numpy.linalg.eigvals"]
    assert found["count"] == 2 and found.lines.count(f"{HERE}:") == 2
    assert "numpy.linalg.eigvals" in str(p) and "numpy.linalg.eigvals" in Page(p.html()).text
    with ap.profile() as p:
        float(matrix.sum())
    assert "numpy.linalg.eigvals" not in p.to_dict("fallbacks")["function"]


def test_calls_of_two_threads() -> None:
    def call() -> None:
        np.linalg.eigvals(ap.eye(30))

    with ap.profile() as p:
        call()
        for _ in range(2):
            other = threading.Thread(target=call)
            other.start()
            other.join()
    found = pd.DataFrame(p.to_dict())
    threads = found[found.name == "numpy.linalg.eigvals"].thread
    assert len(threads) == 3 and threads.iloc[0] not in set(threads[1:])


def test_errors_of_use(tmp_path: Path) -> None:
    p = ap.profile()
    with pytest.raises(RuntimeError, match="not begun"):
        str(p)
    assert p._repr_html_() is None and "new" in repr(p)
    with p:
        for read in (p.html, p.to_dict, lambda: p.save(tmp_path / "p.html"), lambda: p.to_msprof(tmp_path / "p.csv"),
                     lambda: p.to_chrome(tmp_path / "p.json")):
            with pytest.raises(RuntimeError, match="not ended"):
                read()
        with pytest.raises(RuntimeError, match="nest"), ap.profile():
            pass
        with pytest.raises(RuntimeError, match="nest"), ap.profiler.record():
            pass
        with pytest.raises(RuntimeError, match="begun once"), p:
            pass
    assert "profile of" in repr(p) and list(tmp_path.iterdir()) == []
    with pytest.raises(RuntimeError, match="begun once"), p:
        pass
    with pytest.raises(ValueError, match="work, programs, tasks"):
        p.to_dict("lines")
    with ap.profiler.record(), pytest.raises(RuntimeError, match="nest"), ap.profile():
        pass
    with ap.profile() as after:  # what failed has left nothing behind
        pass
    assert isinstance(after, Profile)


@pytest.mark.parametrize("events", [0, -1, 1.5, "many", True])
def test_a_number_of_events(events: Any) -> None:
    with pytest.raises(ValueError, match="events"):
        ap.profile(events=events)


def test_what_is_no_function() -> None:
    def generator() -> Any:
        yield 1

    async def coroutine() -> None:
        pass

    with pytest.raises(TypeError, match="save"):
        ap.profile("page.html")  # type: ignore[arg-type]
    for function in (generator, coroutine):
        with pytest.raises(TypeError, match="after its call"):
            ap.profile(function)


def test_few_events_are_kept() -> None:
    with ap.profile(events=3) as p:
        for _ in range(20):
            float((ap.ones(SIZE) + 1.0).sum())
    assert len(p.to_dict("work")["name"]) <= 3
    assert "events are lost" in str(p) and "events are lost" in Page(p.html()).text


def test_a_function(tmp_path: Path) -> None:
    path = tmp_path / "last.html"

    @ap.profile(save=path)
    def summed(n: int) -> float:
        """Of n twos."""
        return float((ap.ones(n) * 2.0).sum()) if n > 1 else summed(SIZE)

    assert (summed.__name__, summed.__doc__, summed.profile) == ("summed", "Of n twos.", None)
    assert summed(SIZE) == 2.0 * SIZE
    first = summed.profile
    assert "multiply" in str(first) and "multiply" in Page(path.read_text(encoding="utf-8")).text
    assert summed(1) == 2.0 * SIZE  # it calls itself
    assert summed.profile is not first and "multiply" in str(summed.profile)

    @ap.profile
    def failing() -> None:
        raise KeyError("x")

    for _ in range(2):
        with pytest.raises(KeyError):
            failing()
    assert isinstance(str(failing.profile), str)
    with ap.profile(), pytest.raises(RuntimeError, match="nest"):
        failing()


def test_the_page_of_a_block_that_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError), ap.profile(save=tmp_path / "p.html"):
        float((ap.ones(SIZE) + 1.0).sum())
        raise KeyError
    assert "add" in Page((tmp_path / "p.html").read_text(encoding="utf-8")).text
    with pytest.raises(KeyError), ap.profile(save=tmp_path / "missing" / "p.html"):
        raise KeyError
    with pytest.raises(OSError, match="missing"), ap.profile(save=tmp_path / "missing" / "p.html"):
        pass


def test_lines_are_not_noted_afterwards() -> None:
    def noted() -> set[str]:
        with ap.profiler.record() as trace:
            float((ap.ones(SIZE) * 2.0).sum())
        return {event["lines"] for event in trace.events if event["name"].startswith("program")}

    before = noted()
    with ap.profile():
        pass
    assert noted() == before


@each_device
def test_files_for_other_viewers(device: str, tmp_path: Path) -> None:
    with ap.Device(str(device)), ap.profile() as p:
        work(np.linspace(0, 1, SIZE, dtype=np.float32))
    p.to_chrome(tmp_path / "p.json")
    events = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    named = {(one["pid"], one["tid"]) for one in events if one["ph"] == "M" and one["name"] == "thread_name"}
    assert {(one["pid"], one["tid"]) for one in spans} <= named
    assert all(one["dur"] >= 0 for one in spans) and any(one["name"] == "program" for one in spans)
    assert [one["args"]["bytes"] for one in events if one["ph"] == "C"] == p.to_dict("memory")["bytes"]
    if device != "cpu" and not p.to_dict("tasks")["name"]:
        with pytest.raises(RuntimeError, match="msprof"):
            p.to_msprof(tmp_path / "p.csv")
        return
    p.to_msprof(tmp_path / "p.csv")
    with open(tmp_path / "p.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["Device_id", "Model ID", "Task ID", "Stream ID"] and len(rows[0]) == 20
    starts = [float(row["Task Start Time(us)"]) for row in rows]
    assert starts == sorted(starts) and all(float(row["Task Duration(us)"]) >= 0 for row in rows)
    assert {row["Task Type"] for row in rows} <= ({"CPU"} if device == "cpu" else {"AI_CORE", "AI_CPU"})


@needs_simulator
def test_tasks_of_the_simulated_device() -> None:
    def timeline() -> int:
        return len(cannsim.timeline()["traceEvents"])

    device = str(OTHERS[0])
    with ap.Device(device):
        with ap.profile() as p:
            float((ap.asarray(np.ones(SIZE, np.float32)) * 2.0).sum())
        before = timeline()
        float((ap.asarray(np.ones(SIZE, np.float32)) * 2.0).sum())
        assert timeline() == before  # they are kept for the profile's time
        found = p.to_dict("tasks")
        assert "aclnnMuls" in found["name"] and set(found["device"]) == {device}
        end = Page(p.html()).data["end"]
        slack = p._seen.uncertain / 1e3
        assert all(-slack <= start <= end + slack for start in found["start_us"])
        assert "aclnnMuls" in Page(p.html()).text and "host begins its work" in str(p)
        cannsim.configure(trace=True)
        try:
            with ap.profile():
                pass
            before = timeline()
            float((ap.asarray(np.ones(SIZE, np.float32)) * 2.0).sum())
            assert timeline() > before  # who has asked for them still gets them
        finally:
            cannsim.configure(trace=False)
