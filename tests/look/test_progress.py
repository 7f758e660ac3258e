"""Bars: when there is one, what it shows, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import asnumpy as ap
from asnumpy.look import Bar, _progress, bar
from asnumpy.stores import _loading


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def screen_of(monkeypatch: pytest.MonkeyPatch, terminal: bool = True, seconds: float = 0.0) -> Screen:
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_progress, "SECONDS", seconds)
    monkeypatch.setattr(_progress, "OFTEN", 0.0)
    return screen


def left_on(screen: Screen) -> str:
    """What is in the line at the end."""
    line = ""
    for part in re.split(r"(\r|\x1b\[K|\x1b\[A|\n)", screen.getvalue()):
        if part == "\r":
            line = "\r" + line.lstrip("\r")
        elif part == "\x1b[K":
            line = ""
        elif part:
            text = line.removeprefix("\r")
            line = part + text[len(part):] if line.startswith("\r") else text + part
    return line.strip()


@pytest.mark.parametrize("installed", [True, False], ids=["tqdm", "without tqdm"])
def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    if installed:
        pytest.importorskip("tqdm", reason="tqdm draws this bar where it is installed")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    screen = screen_of(monkeypatch)
    threads = threading.active_count()
    with bar("reading") as made:
        made.to(0.0, "first")
        made.to(0.5, "second")
        assert "reading" in screen.getvalue() and "second" in screen.getvalue()
        made.clear()
        assert left_on(screen) == ""
        made.to(1.0, "third")
        assert "third" in screen.getvalue()
    assert left_on(screen) == ""
    assert threading.active_count() == threads


@pytest.mark.parametrize(("terminal", "setting", "shown"), [
    (True, "auto", True), (False, "auto", False), (True, "off", False), (False, "on", True), (False, "off", False),
])
def test_the_setting(monkeypatch: pytest.MonkeyPatch, terminal: bool, setting: str, shown: bool) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    screen = screen_of(monkeypatch, terminal)
    with ap.config.using(progress=setting), bar("work") as made:
        made.to(0.25, "a quarter")
    assert ("a quarter" in screen.getvalue()) == shown
    assert shown or screen.getvalue() == ""


@pytest.mark.parametrize("installed", [True, False], ids=["tqdm", "without tqdm"])
def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    if installed:
        pytest.importorskip("tqdm", reason="tqdm draws this bar where it is installed")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    screen = screen_of(monkeypatch, seconds=3600.0)
    with bar("work") as made:
        for k in range(100):
            made.to(k / 100)
    assert screen.getvalue().strip() == ""


def test_it_ends_with_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    screen = screen_of(monkeypatch)
    with pytest.raises(KeyError):
        with bar("work") as made:
            made.to(0.5)
            raise KeyError
    assert "work" in screen.getvalue() and left_on(screen) == ""


def test_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with bar("work") as made:
        made.to(0.5)
    assert type(made) is Bar


def test_a_check_of_an_operator_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    screen = screen_of(monkeypatch)
    assert ap.operators.check("library.log_softmax", cases=3, seed=1).ran
    said = screen.getvalue()
    assert [f"case {k}" in said for k in range(4)] == [True, True, True, False]
    assert "log_softmax" in said and left_on(screen) == ""


def test_verifying_what_is_kept_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One file after the other, also where one of them is not read in time."""
    monkeypatch.setitem(sys.modules, "tqdm", None)
    screen, load = screen_of(monkeypatch), _loading._load
    timers: list[Any] = []

    class Timer:
        """One whose time is over when the first of several files has been told of."""

        def __init__(self, seconds: float, function: Callable[[], None]) -> None:
            self.function = function

        def start(self) -> None:
            timers.append(self)

        def cancel(self) -> None:
            timers.remove(self)

    def timed(binaries: Sequence[tuple[Path, str]], tell: Callable[[str], None]) -> str:
        def told(why: str) -> None:
            tell(why)
            if len(binaries) > 1:
                timers[0].function()

        return load(binaries, told)

    monkeypatch.setattr(_loading.threading, "Timer", Timer)
    monkeypatch.setattr(_loading, "_load", timed)
    files = [tmp_path / name for name in ("first.so", "never.so", "last.so")]
    for file in files:
        os.mkfifo(file) if file.stem == "never" else file.write_text("no library")
    wrong = _loading.that_do_not_load([(file, "simulator") for file in files])
    reasons = ["expected an ELF file", f"did not load within {_loading.SECONDS} s", "expected an ELF file"]
    assert wrong == list(zip(files, reasons, strict=True))
    assert re.findall(r"loading \[(#*) *\] (\S+)", screen.getvalue()) == [
        ("#" * 8, "first.so"), ("#" * 16, "never.so"), ("#" * 24, "last.so")
    ]
    assert left_on(screen) == ""
