"""The site: every page has a place in it, links lead somewhere, messages name headings that exist."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import diagrams
import website

NAMES = [str(page.relative_to(website.ROOT)) for page in website.pages()]
CHINESE = sorted((website.DOCS / "zh").glob("*.md"))
HEADINGS = re.findall(r'return "(docs/[^"]*)";', (website.ROOT / "core/base/documentation.hpp").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    assert list(website.broken(website.ROOT / name)) == []


def test_broken_links_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title: `f(x)`, [more](page.md)\n## A title\n## A title\n```\n# no title\n[a](b)\n```\n"
        "[x](no.md) [x](#a-title-fx-more) [x](#a-title) [x](page.md#a-title-1) [x](#no-title)\n"
        "`[x](no2.md)` ![x](no.svg) [x](https://example.org/no)\n"
    )
    found = [one.partition(": ")[0] for one in website.broken(page)]
    assert found == ["no.md", "#no-title", "no.svg"]


def test_every_page_is_reachable() -> None:
    """By the lists, of which Sphinx's tables of contents are made; the gallery's by its folder."""
    listed = set(re.findall(r"^(?!\W)(\S+)$", website.contents(), re.MULTILINE))
    there = {str(page.relative_to(website.DOCS).with_suffix("")) for page in website.DOCS.rglob("*.md")}
    gallery = {name for name in there if name.startswith("gallery/")}
    assert there - gallery - {"index"} == listed - {"api/index", "changelog", "gallery/*", "gallery/index"}
    assert ("gallery/*" in listed) == bool(gallery)


def test_there_are_pages_in_chinese() -> None:
    names = "index quick-start quick-start-npu from-numpy from-cupy from-torch-npu how-it-works"
    assert {page.stem for page in CHINESE} >= set(names.split())


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.stem)
def test_languages_lead_to_each_other(page: Path) -> None:
    english = website.DOCS / page.name
    assert f"*[English](../{page.name})*" in page.read_text(encoding="utf-8").splitlines()[:4]
    assert f"*[中文](zh/{page.name})*" in english.read_text(encoding="utf-8").splitlines()[:4]


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.stem)
def test_languages_have_the_same_code(page: Path) -> None:
    """But for what comments say."""

    def code(text: str) -> list[str]:
        blocks = "\n".join(re.findall(r"^```(?:python|sh)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
        lines = (line.partition("#")[0].strip() for line in blocks.splitlines())
        return [line for line in lines if line]

    english = website.DOCS / page.name
    assert code(page.read_text(encoding="utf-8")) == code(english.read_text(encoding="utf-8"))


def test_pictures_are_those_that_are_drawn() -> None:
    drawn = diagrams.pictures()
    there = {name: (diagrams.FOLDER / name).read_text(encoding="utf-8") for name in drawn}
    assert there == drawn, "python tools/diagrams.py"
    words = "".join(text for name, text in drawn.items() if name.endswith(".zh.svg"))
    assert all(chinese.replace("\"", "&quot;") in words or chinese in words for chinese in diagrams.CHINESE.values())


@pytest.mark.parametrize("link", HEADINGS)
def test_messages_name_headings_that_exist(link: str) -> None:
    name, _, anchor = link.partition("#")
    page = website.ROOT / name
    assert page.exists()
    assert not anchor or anchor in website.anchors(page)


def test_messages_take_their_links_from_one_place() -> None:
    assert len(HEADINGS) >= 5
    core, package = website.ROOT / "core", website.ROOT / "src"
    sources = [*core.rglob("*.cpp"), *core.rglob("*.hpp"), *package.rglob("*.py")]
    strays = [str(path) for path in sources if re.search(r"see docs/\w", path.read_text(encoding="utf-8"))]
    assert strays == []


def test_links_out_of_the_folder_lead_to_copies(tmp_path: Path) -> None:
    page = website.DOCS / "zh" / "page.md"
    text = "[devices.md](../devices.md#s) [b](../../CHANGELOG.md) [c](../../examples/streams.py) [d](https://x.org)"
    text += " [README.md](../../examples/README.md)"
    moved = website._relinked(text, page, tmp_path / "zh" / "page.md", tmp_path)
    assert moved == ("[](../devices.md#s) [b](../changelog.md) [c](../files/examples/streams.py) "
                     "[d](https://x.org) [README.md](../files/examples/README.md.txt)")
    assert (tmp_path / "files/examples/streams.py").read_bytes() == (website.ROOT / "examples/streams.py").read_bytes()


@pytest.fixture(scope="module")
def configuration() -> ModuleType:
    """docs/conf.py, which Sphinx reads."""
    pytest.importorskip("sphinx", reason="the site is built with the extra `docs`, which the tests do without")
    spec = importlib.util.spec_from_file_location("site_configuration", website.DOCS / "conf.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_captions_are_in_both_languages(configuration: ModuleType) -> None:
    captions = re.findall(r":caption: (.*)", website.contents())
    assert {*captions} == {*configuration.CAPTIONS, configuration.HEADING}


def test_the_search_knows_both_languages(configuration: ModuleType) -> None:
    split = configuration.BothLanguages({}).split
    assert split("NumPy数组, eager_size") == ["NumPy", "数", "组", "数组", "eager_size"]
    assert split("延迟执行") == ["延", "迟", "执", "行", "延迟", "迟执", "执行"]


@pytest.fixture(scope="module")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages, one in each language, with the site's settings."""
    for needed in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(needed, reason="the site is built with the extra `docs`, which the tests do without")
    source = tmp_path_factory.mktemp("source")
    shutil.copy(website.DOCS / "conf.py", source)
    (source / "zh").mkdir()
    entries = (("API", "a"), ("中文", "zh/index"))
    tables = "".join(f"```{{toctree}}\n:caption: {name}\n{page}\n```\n" for name, page in entries)
    (source / "index.md").write_text(f"# Begin\n{tables}")
    (source / "a.md").write_text("# A page\n## Next\nwords\n")
    (source / "zh" / "index.md").write_text("# 文档\n## Next\n融合 words\n")
    site = source / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(source), str(site)]
    subprocess.run(command, check=True, timeout=120)
    return site


def test_the_theme_speaks_the_language_of_the_page(small_site: Path) -> None:
    def words(name: str) -> set[str]:
        """What the theme says on a page: outside of its text and of links to pages."""
        text = (small_site / name).read_text(encoding="utf-8")
        text = re.sub(r"(?s)<article.*?</article>|<(script|style|li|a)\b.*?</\1>", "", text)
        said = re.findall(r"(?:aria-label|title|placeholder)=\"([^\"]*)\"|>([^<]*)<", text)
        return {word.strip() for pair in said for word in pair if re.search(r"\w", word)}

    titles = {"asnumpy", "API", "中文", "A page", "Begin", "文档 - asnumpy", "A page - asnumpy", "文档"}
    english, chinese = words("a.html") - titles, words("zh/index.html") - titles
    assert {"On this page", "Search", "Menu", "Toggle site navigation sidebar"} <= english
    assert {"本页内容", "搜索", "菜单", "显示或隐藏导航栏"} <= chinese
    assert not any(re.search("[\u3400-\u9fff]", word) for word in english)
    assert [word for word in chinese if not re.search("[\u3400-\u9fff]", word)] == []
    page = (small_site / "zh" / "index.html").read_text(encoding="utf-8")
    assert "<h2>Next<" in page, "the text is the page's"
    assert 'lang="zh-CN"' in page and page.index(">中文<") < page.index(">接口参考（英文）<")


def test_each_language_has_its_search(small_site: Path) -> None:
    for name, leads_to in (("a.html", "search.html"), ("zh/index.html", "../search-zh.html")):
        assert f'action="{leads_to}"' in (small_site / name).read_text(encoding="utf-8")
    page = (small_site / "search-zh.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script src="([^"?]*)', page)
    assert {"_static/sphinx.js", "_static/searchtools.js", "searchindex.js"} <= set(scripts)
    assert "\\u641c\\u7d22" in (small_site / "_static" / "sphinx.js").read_text()  # what the search says
    assert 'placeholder="搜索"' in page and "<title>搜索 - asnumpy</title>" in page
    assert "sphinx.js" not in (small_site / "search.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The ``x`` of\n  :func:`exp`, `y`.", "The `x` of `exp`, `y`."),
        ("a*b_c <d> [e](f)", r"a\*b\_c \<d\> \[e\](f)"),
    ],
)
def test_docstrings_as_markdown(text: str, plain: str) -> None:
    import website_reference

    assert website_reference.plain(text) == plain


def test_an_entry_of_the_reference() -> None:
    import asnumpy as ap
    import website_reference

    entries = website_reference.Entries()
    text = "\n".join(entries.entry("exp", ap.exp))
    assert text.startswith("`````{py:function} exp(x, /, out=None, *, where=True")
    assert "*Runs:* recorded and fused." in text and "one operator: float16, bfloat16, float32; AICPU: float64" in text
    assert entries.entry("exp", ap.exp) == [], "a name has one entry"
    assert "signs that LAPACK chooses" in "\n".join(entries.entry("linalg.svd", ap.linalg.svd))
    assert "{py:method} ndarray.sum(" in "\n".join(entries.entry("ndarray.sum", ap.ndarray.sum))
