#!/usr/bin/env python3
"""Builds the documentation as a site in build/site: the pages, the changelog, a reference made of the package.

python tools/website.py           builds it; whatever Sphinx warns of is an error
python tools/website.py --links   lists the links that lead out of the repository, without following them

The pages are read on GitHub, too, and know nothing of Sphinx: its tables of contents are made of the lists in
docs/index.md and docs/zh/index.md.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"
# Where Sphinx finds them beside the pages of docs.
ELSEWHERE = {"CHANGELOG.md": "changelog.md", "README.md": "index.md", "README.zh.md": "zh/index.md"}
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*\s*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^()\s]+)\)")


def prose(text: str) -> str:
    """A page without its blocks of code."""
    return _FENCED.sub("", text)


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures, in order."""
    return _LINK.findall(re.sub(r"`[^`\n]*`(?!\])", "", prose(page.read_text(encoding="utf-8"))))


def anchors(page: Path) -> set[str]:
    """The names that its headings have, on GitHub as on the site."""
    found: set[str] = set()
    for title in re.findall(r"^#+ +(.*?)\s*$", prose(page.read_text(encoding="utf-8")), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        numbered = (f"{name}-{n}" for n in itertools.count(1))
        found.add(name if name not in found else next(one for one in numbered if one not in found))
    return found


def is_external(link: str) -> bool:
    return re.match(r"[a-z]+:", link) is not None


def pages() -> list[Path]:
    """Every page that people read: those of docs, and those at the repository's root."""
    return sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ELSEWHERE)])


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in links(page):
        if is_external(link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            yield f"{link}: there is no {os.path.relpath(target, ROOT)}"
        elif anchor and anchor not in anchors(target):
            yield f"{link}: no heading of {os.path.relpath(target, ROOT)} has this name"


def sections(index: Path) -> dict[str, list[str]]:
    """The pages that a list names, without their `.md`, by the heading above them."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in index.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            title = line.removeprefix("## ").strip()
        elif named := re.match(r"\* \[[^\]]*\]\(([^()#:]+)\.md\)", line):
            found.setdefault(title, []).append(named.group(1))
    return found


def _contents(caption: str, entries: list[str], *options: str) -> str:
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", *options, "", *entries, "```", ""])


def contents() -> str:
    """What Sphinx needs in docs/index.md: every page, by the headings of the lists."""
    tables = [
        _contents(caption, [entry for entry in entries if not entry.startswith("gallery/")])
        for caption, entries in sections(DOCS / "index.md").items()
    ]
    if any(DOCS.glob("gallery/*.md")):  # behind the first list; the folder's own index before the others
        first = ["gallery/index"] if (DOCS / "gallery" / "index.md").exists() else []
        tables.insert(1, _contents("Gallery", [*first, "gallery/*"], ":glob:"))
    chinese = [entry for entries in sections(DOCS / "zh" / "index.md").values() for entry in entries]
    tables.append(_contents("API", ["api/index", "changelog"]))
    tables.append(_contents("中文", ["zh/index", *(f"zh/{entry}" for entry in chinese)]))
    return "".join(tables)


def _relinked(text: str, page: Path, staged: Path, folder: Path) -> str:
    """A page whose links out of docs lead to copies within the folder that Sphinx reads, and say titles, not files."""

    def moved(found: re.Match[str]) -> str:
        name, sharp, anchor = found.group(1).partition("#")
        target = (page.parent / name).resolve()
        if is_external(found.group(1)) or not name or not target.is_file():
            return found.group(0)
        if target.is_relative_to(DOCS):
            new = folder / target.relative_to(DOCS)
        elif (inside := str(target.relative_to(ROOT))) in ELSEWHERE:
            new = folder / ELSEWHERE[inside]
        else:
            # as text where it is a page: Sphinx would take it for one of its own
            new = folder / "files" / (f"{inside}.txt" if inside.endswith(".md") else inside)
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, new)
        return f"]({os.path.relpath(new, staged.parent)}{sharp}{anchor})"

    return re.sub(r"\[[\w/-]+\.md\](\([^():]+\.md[)#])", r"[]\1", _LINK.sub(moved, text))


def stage(folder: Path) -> None:
    """Everything that Sphinx reads, in a folder of its own."""
    import website_reference  # it loads the package, which the list of links does without

    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for page in [*DOCS.rglob("*.md"), ROOT / "CHANGELOG.md"]:
        staged = folder / (ELSEWHERE[page.name] if page.parent == ROOT else page.relative_to(DOCS))
        text = _relinked(page.read_text(encoding="utf-8"), page, staged, folder)
        staged.write_text(text + (contents() if page == DOCS / "index.md" else ""), encoding="utf-8")
    for name, text in website_reference.pages().items():
        (folder / "api").mkdir(exist_ok=True)
        (folder / "api" / name).write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", action="store_true", help="list the links that lead out of the repository")
    if parser.parse_args().links:
        print(*sorted({link for page in pages() for link in links(page) if is_external(link)}), sep="\n")
        return 0
    source, site = BUILD / "site-source", BUILD / "site"
    stage(source)
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-d", str(BUILD / "site-trees")]
    done = subprocess.run([*command, "-b", "html", str(source), str(site)], check=False)
    if not done.returncode:
        print(site / "index.html")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
