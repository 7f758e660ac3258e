"""The time line of a page: rows of spans and a curve of memory on a canvas, with zoom, by a script in the page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from asnumpy.profiles._exports import DEVICES, HOST
from asnumpy.profiles._tasks import Task
from asnumpy.profiles._units import Unit

MOST = 20000  # spans that are drawn, the longest
POINTS = 4000  # of the curve of memory

COLOURS = {
    "program": "#4a7fb5", "operation": "#d08a2e", "copy": "#3f9b62", "host": "#c04a4a", "fallback": "#c04a4a",
    "queue": "#c9ced6", "task": "#7b5ea7",
}
TITLES = {
    "program": "programs", "operation": "operations that stand alone", "copy": "copies", "task": "tasks of a device",
    "host": "NumPy's functions, and what fell back", "queue": "finding and beginning programs",
}
STYLE = """
#line { border: 1px solid #ccc; display: block; width: 100%; touch-action: none; cursor: grab; }
#tools button { font: inherit; min-width: 2.2em; } #tools span { margin-right: 1em; white-space: nowrap; }
#tools i { display: inline-block; width: .9em; height: .9em; margin-right: .3em; vertical-align: -.1em; }
#told { min-height: 3em; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: .3em 0 1.5em; }
"""

SCRIPT = """
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("line"), told = document.getElementById("told");
  const pen = canvas.getContext("2d"), LANE = 18, GAP = 8, LEFT = 150, AXIS = 22, CURVE = data.memory.length ? 80 : 0;
  const whole = [0, Math.max(data.end, 1)];
  let view = whole.slice(), width = 0, chosen = null;
  let height = AXIS;
  const tops = data.rows.map(function (row) { const top = height; height += row.lanes * LANE + GAP; return top; });
  const curveTop = height; height += CURVE + GAP;

  function time(us) {
    const unit = us >= 1e6 ? [1e6, " s"] : us >= 1e3 ? [1e3, " ms"] : [1, " us"];
    return Number((us / unit[0]).toPrecision(4)) + unit[1];
  }
  function size(bytes) {
    const names = ["B", "KiB", "MiB", "GiB", "TiB"]; let k = 0;
    while (bytes >= 1024 && k < 4) { bytes /= 1024; ++k; }
    return (k ? bytes.toFixed(1) : bytes) + " " + names[k];
  }
  function x(us) { return LEFT + (us - view[0]) / (view[1] - view[0]) * (width - LEFT); }
  function at(px) { return view[0] + (px - LEFT) / (width - LEFT) * (view[1] - view[0]); }
  function show(from, to) {
    const least = Math.min(whole[1], 0.05), span = Math.min(Math.max(to - from, least), whole[1]);
    from = Math.min(Math.max(from, 0), whole[1] - span);
    view = [from, from + span];
    draw();
  }
  function zoom(factor, around) { show(around - (around - view[0]) * factor, around + (view[1] - around) * factor); }

  function axis() {
    const rough = (view[1] - view[0]) / Math.max(2, (width - LEFT) / 110);
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(function (m) { return m * power; }).find(function (m) { return m >= rough; });
    pen.fillStyle = "#555"; pen.textBaseline = "middle";
    for (let tick = Math.ceil(view[0] / step) * step; tick <= view[1]; tick += step) {
      const px = x(tick);
      pen.fillStyle = "#eee"; pen.fillRect(px, AXIS, 1, height - AXIS);
      pen.fillStyle = "#555"; pen.fillText(tick ? time(tick) : "0", Math.min(px + 3, width - 60), AXIS / 2);
    }
  }
  function label(text, top) {
    pen.save(); pen.beginPath(); pen.rect(0, top - 2, LEFT - 8, LANE + 2); pen.clip();
    pen.fillStyle = "#222"; pen.fillText(text, 6, top + LANE / 2 - 1); pen.restore();
  }
  function curve() {
    if (!CURVE) return;
    const most = Math.max.apply(null, data.memory.map(function (p) { return p[1]; }).concat([1]));
    const y = function (bytes) { return curveTop + CURVE - bytes / most * (CURVE - 6); };
    label("memory in use", curveTop); label("up to " + size(most), curveTop + LANE);
    pen.save(); pen.beginPath(); pen.rect(LEFT, curveTop, width - LEFT, CURVE); pen.clip();
    pen.beginPath(); pen.moveTo(x(data.memory[0][0]), curveTop + CURVE);
    let last = data.memory[0][1];
    data.memory.forEach(function (p) { pen.lineTo(x(p[0]), y(last)); pen.lineTo(x(p[0]), y(p[1])); last = p[1]; });
    pen.lineTo(x(whole[1]), y(last)); pen.lineTo(x(whole[1]), curveTop + CURVE); pen.closePath();
    pen.fillStyle = "#dbe6f1"; pen.fill(); pen.strokeStyle = "#4a7fb5"; pen.stroke();
    pen.restore();
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth || 800;
    canvas.style.height = height + "px"; canvas.width = width * ratio; canvas.height = height * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = "#fff"; pen.fillRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    axis();
    data.rows.forEach(function (row, k) {
      pen.fillStyle = "#ddd"; pen.fillRect(0, tops[k] - GAP / 2, width, 1);
      label(row.title, tops[k]);
    });
    pen.save(); pen.beginPath(); pen.rect(LEFT, AXIS, width - LEFT, height); pen.clip();
    data.spans.forEach(function (span, k) {
      if (span[2] > view[1] || span[2] + span[3] < view[0]) return;
      const from = Math.max(x(span[2]), LEFT), to = Math.min(x(span[2] + span[3]), width);
      const top = tops[span[0]] + span[1] * LANE, wide = Math.max(to - from, 1);
      pen.fillStyle = data.colours[span[4]] || "#888"; pen.fillRect(from, top, wide, LANE - 2);
      if (k === chosen) { pen.strokeStyle = "#000"; pen.strokeRect(from + .5, top + .5, wide - 1, LANE - 3); }
      if (wide > 24) {
        pen.save(); pen.beginPath(); pen.rect(from, top, wide - 2, LANE); pen.clip();
        pen.fillStyle = span[4] === "queue" ? "#333" : "#fff";
        pen.fillText(data.names[span[5]], from + 3, top + LANE / 2 - 1); pen.restore();
      }
    });
    pen.restore();
    curve();
  }
  function find(px, py) {
    const near = 2 * (view[1] - view[0]) / (width - LEFT), us = at(px);
    let best = null, least = Infinity;
    data.spans.forEach(function (span, k) {
      const top = tops[span[0]] + span[1] * LANE;
      if (py < top || py >= top + LANE || us < span[2] - near || us > span[2] + span[3] + near) return;
      const far = Math.max(span[2] - us, us - span[2] - span[3], 0);
      if (far < least) { best = k; least = far; }
    });
    return best;
  }
  function tell(k) {
    const span = data.spans[k];
    const text = k === null ? "" : data.names[span[5]] + "\\n" + time(span[3]) + ", from " + time(span[2]) + " on"
      + (span[6] === null ? "" : ", " + size(span[6])) + (span[7] === null ? "" : "\\n" + data.names[span[7]]);
    told.textContent = text || "Point at a span. Wheel or + and -: closer and farther; drag: along; double click: all.";
  }

  let drag = null;
  canvas.addEventListener("wheel", function (event) {
    event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, at(Math.max(event.offsetX, LEFT)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", function (event) {
    drag = [event.offsetX, view[0], view[1]]; canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", function () { drag = null; });
  canvas.addEventListener("pointermove", function (event) {
    if (drag) {
      const moved = (drag[0] - event.offsetX) / (width - LEFT) * (drag[2] - drag[1]);
      show(drag[1] + moved, drag[2] + moved);
      return;
    }
    const found = find(event.offsetX, event.offsetY);
    if (found !== chosen) { chosen = found; tell(found); draw(); }
  });
  canvas.addEventListener("dblclick", function () { show(whole[0], whole[1]); });
  document.getElementById("tools").addEventListener("click", function (event) {
    const middle = (view[0] + view[1]) / 2, span = view[1] - view[0], what = event.target.value;
    if (what === "in") zoom(0.5, middle);
    if (what === "out") zoom(2, middle);
    if (what === "left") show(view[0] - span / 4, view[1] - span / 4);
    if (what === "right") show(view[0] + span / 4, view[1] + span / 4);
    if (what === "all") show(whole[0], whole[1]);
  });
  window.addEventListener("resize", draw);
  tell(null);
  draw();
})();
"""


def _lanes(spans: list[tuple[int, int]]) -> tuple[list[int], int]:
    """A lane for each of these times, by their beginnings, so that none lies on another; and the number of lanes."""
    free: list[int] = []  # when each lane's last span ends
    lanes = []
    for start, end in spans:
        lane = next((k for k, ended in enumerate(free) if ended <= start), len(free))
        free[lane:lane + 1] = [end]
        lanes.append(lane)
    return lanes, len(free)


def _script_data(value: Any) -> str:
    """JSON within a page: nothing in it ends the element that it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def drawn(
    units: list[Unit], tasks: list[Task], memory: list[tuple[int, int]], tracks: dict[int, dict[Any, str]],
    begun: int, ended: int,
) -> dict[str, Any]:
    """What the script draws; times in microseconds from the beginning."""
    known: dict[str, int] = {}

    def name(text: str) -> int:
        return known.setdefault(text, len(known))

    rows: list[dict[str, Any]] = []
    spans: list[list[Any]] = []
    on: dict[tuple[int, Any], list[Any]] = {(process, key): [] for process, keys in tracks.items() for key in keys}
    everything = [(unit, HOST, unit.thread) for unit in units] + [(task, DEVICES, task.stream) for task in tasks]
    everything.sort(key=lambda one: one[0].start - one[0].end)
    for one, process, key in everything[:MOST]:
        on[process, key].append(one)
    for (process, key), mine in on.items():
        if not mine:
            continue
        mine.sort(key=lambda one: (one.start, -one.end))
        lanes, most = _lanes([(one.start, one.end) for one in mine])
        for one, lane in zip(mine, lanes, strict=True):
            kind = getattr(one, "kind", "task")
            about = "  ".join(filter(None, (getattr(one, "detail", ""), getattr(one, "lines", ""))))
            spans.append([len(rows), lane, (one.start - begun) / 1e3, (one.end - one.start) / 1e3, kind, name(one.name),
                          getattr(one, "bytes", None), name(about) if about else None])
        rows.append({"title": tracks[process][key], "lanes": most})
    step = max(1, len(memory) // POINTS)
    highest = [max(memory[k:k + step], key=lambda point: point[1]) for k in range(0, len(memory), step)]
    return {
        "rows": rows, "spans": spans, "names": list(known), "colours": COLOURS, "end": (ended - begun) / 1e3,
        "memory": [[(at - begun) / 1e3, in_use] for at, in_use in highest],
        "left_out": max(len(everything) - MOST, 0),
    }


def _legend(kinds: Iterable[str]) -> str:
    return "".join(f'<span><i style="background:{COLOURS[kind]}"></i>{TITLES[kind]}</span>' for kind in kinds)


def element(data: dict[str, Any]) -> str:
    """The canvas with its script."""
    kinds = {"host" if span[4] == "fallback" else span[4] for span in data["spans"]}
    buttons = (("in", "+"), ("out", "&minus;"), ("left", "&larr;"), ("right", "&rarr;"), ("all", "all"))
    tools = "".join(f'<button type="button" value="{value}">{text}</button> ' for value, text in buttons)
    return (
        f'<p id="tools">{tools}{_legend(kind for kind in TITLES if kind in kinds)}</p>'
        '<canvas id="line"></canvas><div id="told">The time line needs JavaScript; the tables do not.</div>'
        f'<script type="application/json" id="data">{_script_data(data)}</script><script>{SCRIPT}</script>'
    )
