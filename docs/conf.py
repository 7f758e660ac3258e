"""How Sphinx makes the site: `python tools/website.py` runs it on a copy of these pages, with the generated ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import sphinx.search
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

project = "asnumpy"
copyright = "the authors of asnumpy"
html_title = "asnumpy"
extensions = ["myst_parser"]
html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
smartquotes = False  # a Chinese font draws a curly apostrophe as wide as a character
myst_heading_anchors = 6  # links name headings as they do on GitHub
toc_object_entries = False  # functions are found by the search, not in a list of five hundred beside the page

# What the theme says, on pages in Chinese.
IN_CHINESE = {
    "On this page": "本页内容", "Back to top": "回到顶部", "Next": "下一页", "Previous": "上一页", "Home": "首页",
    "Skip to content": "跳到正文",
}
HAN = "\u3400-\u9fff"


class BothLanguages(SearchEnglish):
    """English words; of Chinese, which has no spaces, each pair of neighbours. The page's script cuts queries alike."""

    _runs = re.compile(rf"[{HAN}]+|(?:(?![{HAN}])\w)+")
    js_splitter_code = rf"""
var splitQuery = (query) =>
  (query.match(/[{HAN}]+|(?:(?![{HAN}])[\p{{L}}\p{{N}}_])+/gu) || []).flatMap((run) =>
    /[{HAN}]/.test(run) && run.length > 1
      ? Array.from({{ length: run.length - 1 }}, (_, at) => run.slice(at, at + 2))
      : [run]);
"""

    def split(self, input: str) -> list[str]:
        words: list[str] = []
        for run in self._runs.findall(input):
            if re.match(f"[{HAN}]", run):
                words += [*run, *(run[at : at + 2] for at in range(len(run) - 1))]
            else:
                words.append(run)
        return words


sphinx.search.languages["en"] = BothLanguages


def say_the_language(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    context["language"] = "zh-CN" if page.startswith("zh/") else "en"


def translate_the_theme(app: Sphinx, failure: Exception | None) -> None:
    """On pages that are written; the theme knows one language for a whole site."""
    for page in [] if failure else Path(app.outdir, "zh").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for said, chinese in IN_CHINESE.items():
            text = re.sub(rf"(>\s*){said}(\s*<)", rf"\g<1>{chinese}\2", text)
        page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", say_the_language)
    app.connect("build-finished", translate_the_theme)
