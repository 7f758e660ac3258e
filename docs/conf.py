"""How Sphinx makes the site: `python tools/website.py` runs it on a copy of these pages, with the generated ones."""

from __future__ import annotations

import gettext
import re
from pathlib import Path
from typing import Any

import sphinx.locale
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
html_static_path = [str(Path(sphinx.locale.__file__).with_name("zh_CN") / "LC_MESSAGES" / "sphinx.js")]
smartquotes = False  # a Chinese font draws a curly apostrophe as wide as a character
myst_heading_anchors = 6  # links name headings as they do on GitHub
toc_object_entries = False  # functions are found by the search, not in a list of five hundred beside the page

# What the theme says, on pages in Chinese; what Sphinx says it has in Chinese itself.
IN_CHINESE = {
    "On this page": "本页内容", "Back to top": "回到顶部", "Next": "下一页", "Previous": "上一页", "Home": "首页",
    "Skip to content": "跳到正文", "Made with": "文档工具：",
    "Copyright &#169; %(copyright)s": "版权所有 &#169; %(copyright)s",
    "Please activate JavaScript to enable the search functionality.": "请启用 JavaScript 以使用搜索功能。",
    "Error": "错误",
    # These its templates have as they are, without asking for another language.
    "Contents": "目录", "Menu": "菜单", "Expand": "展开", "Light mode": "浅色模式", "Dark mode": "深色模式",
    "Auto light/dark, in light mode": "自动切换深浅色，当前为浅色",
    "Auto light/dark, in dark mode": "自动切换深浅色，当前为深色", "Toggle site navigation sidebar": "显示或隐藏导航栏",
    "Toggle table of contents sidebar": "显示或隐藏本页目录",
    "Toggle Light / Dark / Auto color theme": "切换浅色、深色、自动配色", "Link to this heading": "本节链接",
    "Link to this image": "图片链接", "Link to this table": "表格链接", "Link to this code": "代码链接",
}
# Headings of the table of contents; what they lead to is in English, but for the last.
CAPTIONS = {
    "Begin here": "入门（英文）", "Gallery": "示例（英文）", "Using it": "使用（英文）",
    "How it is built": "实现原理（英文）", "Dtypes and devices": "数据类型与设备（英文）",
    "Other libraries, and operators of your own": "其他库与自定义算子（英文）",
    "The simulator, figures, development": "模拟器、性能数据与开发（英文）", "API": "接口参考（英文）",
}
TOGGLE = "Toggle navigation of ", "展开或收起："
HEADING = "中文"  # of the table of contents with pages in Chinese
SEARCH = "search-zh"  # beside the other one: its script writes links as they are from there
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


CATALOGUE = gettext.translation("sphinx", Path(sphinx.locale.__file__).parent, ["zh_CN"])


def in_chinese(text: str) -> str:
    return IN_CHINESE.get(" ".join(text.split())) or CATALOGUE.gettext(text)


def is_chinese(page: str) -> bool:
    return page.startswith("zh/") or page == SEARCH


def say_it_in_chinese(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Words, navigation and search of a page in Chinese; the theme knows one language for a whole site."""
    context["language"] = "zh-CN" if is_chinese(page) else "en"
    if not is_chinese(page):
        return
    context["_"] = context["gettext"] = in_chinese
    app.add_js_file("sphinx.js")  # on this page: what the search says in Chinese
    to, own = context["pathto"], {"search": SEARCH, app.config.master_doc: "zh/index"}
    context["pathto"] = lambda name, *args, **named: to(own.get(name, name), *args, **named)
    said = re.compile(r'(?<=<span class="caption-text">)[^<]+')
    tree = said.sub(lambda found: CAPTIONS.get(found[0], found[0]), context.get("furo_navigation_tree", ""))
    first, *parts = re.split(r'(?=<p class="caption)', tree)
    parts.sort(key=lambda part: HEADING not in part)  # pages in Chinese come first, the others stay in order
    context["furo_navigation_tree"] = first + "".join(parts)


def add_a_search(app: Sphinx) -> list[tuple[str, dict[str, Any], str]]:
    """A second page to search the same index, in Chinese."""
    return [(SEARCH, {}, "search.html")]


def translate_the_rest(app: Sphinx, failure: Exception | None) -> None:
    """What templates do not ask for, on pages that are written: titles of pictures and of links, names for readers."""
    words = "|".join(map(re.escape, sorted(IN_CHINESE, key=len, reverse=True)))
    said = re.compile(rf'(<title>|(?:aria-label|title)=")({words})(?=<|")')
    out = Path(app.outdir)
    for page in [] if failure else [out / f"{SEARCH}.html", *out.glob("zh/*.html")]:
        text = said.sub(lambda found: found[1] + IN_CHINESE[found[2]], page.read_text(encoding="utf-8"))
        page.write_text(text.replace(*TOGGLE), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", say_it_in_chinese, priority=900)  # after the theme's own
    app.connect("html-collect-pages", add_a_search)
    app.connect("build-finished", translate_the_rest)
