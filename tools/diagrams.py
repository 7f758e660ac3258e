"""Draws the pictures of "how it works" in docs/images, in English and in Chinese: python tools/diagrams.py."""

from __future__ import annotations

from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
INK, PALE, BLUE, GREEN, AMBER, GREY = "#1f2937", "#ffffff", "#dbeafe", "#dcfce7", "#fef3c7", "#f3f4f6"
CHINESE = {
    "NumPy: three operations, three passes over memory": "NumPy：三个运算，三次遍历内存",
    "asnumpy: one program, one pass": "asnumpy：一个程序，一次遍历",
    "memory": "内存", "in the cache, a tile at a time": "在缓存中逐块计算",
    "your program": "你的程序", "queue": "队列", "programs": "程序", "device": "设备",
    "a * b, exp, + c": "a * b、exp、+ c", "records": "记录", "cuts and fuses": "切分并融合", "tile by tile": "逐块执行",
    "print(y): a value is needed": "print(y)：需要数值",
    "multiply, exp, add: recorded, not run": "multiply、exp、add：已记录，未执行",
    "one loop: load, multiply, exp, add, store": "一个循环：读取、乘、exp、加、写回",
    "CPU: threads; NPU: CANN's operators": "CPU：多线程；NPU：CANN 算子",
    "one program over 12 tiles": "一个程序，12 个块", "thread 1": "线程 1", "thread 2": "线程 2",
    "each tile stays in the cache through all steps": "每个块在所有步骤中都留在缓存里",
    "host": "主机", "Ascend NPU": "昇腾 NPU", "NumPy, SciPy": "NumPy、SciPy", "arrays of \"cpu\"": "“cpu”上的数组",
    "arrays of \"ascend:0\"": "“ascend:0”上的数组", "CANN's operators": "CANN 算子",
    "to_device, from_numpy": "to_device、from_numpy",
    "to_numpy, print": "to_numpy、print",
    "what has no operator: counted, warned of once": "没有算子的运算：计数，并警告一次",
}


class Picture:
    """Boxes, arrows and words on white."""

    def __init__(self, width: int, height: int, chinese: bool) -> None:
        self.words = CHINESE if chinese else {}
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="system-ui, sans-serif" font-size="14">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0 8 4 0 8z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="{PALE}"/>',
        ]

    def text(self, x: float, y: float, words: str, size: int = 14, anchor: str = "middle", bold: bool = False) -> None:
        look = f'font-size="{size}" text-anchor="{anchor}" fill="{INK}"' + (' font-weight="600"' if bold else "")
        said = escape(self.words.get(words, words), quote=False)
        self.parts.append(f'<text x="{x:g}" y="{y:g}" {look}>{said}</text>')

    def box(self, x: float, y: float, width: float, height: float, fill: str, words: str = "") -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" '
            f'fill="{fill}" stroke="{INK}" stroke-opacity="0.5"/>'
        )
        if words:
            self.text(x + width / 2, y + height / 2 + 5, words)

    def arrow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        self.parts.append(
            f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" '
            f'stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"/>'
        )

    def drawn(self) -> str:
        return "\n".join([*self.parts, "</svg>", ""])


def passes(chinese: bool) -> str:
    """What lies between operations: arrays in memory, or tiles in the cache."""
    p = Picture(720, 330, chinese)
    p.text(20, 30, "NumPy: three operations, three passes over memory", 15, "start", True)
    p.box(20, 50, 680, 34, GREY)
    p.text(60, 72, "memory")
    for at, name in enumerate(("a, b", "a * b", "exp(a * b)", "y")):
        p.box(130 + 150 * at, 54, 100, 26, BLUE, name)
    for at, name in enumerate(("multiply", "exp", "add c")):
        x = 205 + 150 * at
        p.box(x, 115, 100, 28, AMBER, name)
        p.arrow(x - 25, 82, x + 25, 113)
        p.arrow(x + 75, 113, x + 125 - 20, 84)
    p.text(20, 190, "asnumpy: one program, one pass", 15, "start", True)
    p.box(20, 210, 680, 34, GREY)
    p.text(60, 232, "memory")
    p.box(130, 214, 100, 26, BLUE, "a, b, c")
    p.box(580, 214, 100, 26, BLUE, "y")
    p.box(205, 270, 400, 44, GREEN)
    for at, name in enumerate(("multiply", "exp", "add c")):
        p.text(270 + 135 * at, 290, name)
    p.text(405, 308, "in the cache, a tile at a time", 12)
    p.arrow(180, 242, 240, 268)
    p.arrow(570, 268, 620, 242)
    return p.drawn()


def way(chinese: bool) -> str:
    """How an operation travels."""
    p = Picture(720, 210, chinese)
    names = ("your program", "queue", "programs", "device")
    below = ("a * b, exp, + c", "multiply, exp, add: recorded, not run", "one loop: load, multiply, exp, add, store",
             "CPU: threads; NPU: CANN's operators")
    for at, (name, fill) in enumerate(zip(names, (BLUE, GREY, GREEN, AMBER), strict=True)):
        p.box(20 + 185 * at, 50, 125, 46, fill, name)
        p.text(28 + 185 * at, 66, f"{at + 1}", 11, "start", True)
    for at, words in enumerate(("records", "cuts and fuses", "tile by tile")):
        p.arrow(147 + 185 * at, 73, 202 + 185 * at, 73)
        p.text(175 + 185 * at, 40, words, 12)
    for at, words in enumerate(below):
        p.text(20, 125 + 20 * at, f"{at + 1}", 13, "start", True)
        p.text(40, 125 + 20 * at, words, 13, "start")
    p.text(360, 22, "print(y): a value is needed", 12)
    return p.drawn()


def tiles(chinese: bool) -> str:
    """How a program is shared between threads."""
    p = Picture(720, 170, chinese)
    p.text(20, 30, "one program over 12 tiles", 15, "start", True)
    for at in range(12):
        p.box(100 + 50 * at, 50, 46, 40, BLUE if at < 6 else GREEN, str(at + 1))
    p.text(248, 115, "thread 1")
    p.text(548, 115, "thread 2")
    p.text(398, 148, "each tile stays in the cache through all steps", 13)
    return p.drawn()


def devices(chinese: bool) -> str:
    """Where arrays lie, and what moves between."""
    p = Picture(720, 230, chinese)
    p.box(20, 20, 250, 190, GREY)
    p.text(145, 45, "host", 15, bold=True)
    p.box(45, 65, 200, 40, BLUE, 'arrays of "cpu"')
    p.box(45, 145, 200, 40, AMBER, "NumPy, SciPy")
    p.box(450, 20, 250, 190, GREY)
    p.text(575, 45, "Ascend NPU", 15, bold=True)
    p.box(475, 65, 200, 40, BLUE, 'arrays of "ascend:0"')
    p.box(475, 145, 200, 40, GREEN, "CANN's operators")
    p.arrow(247, 78, 473, 78)
    p.text(360, 70, "to_device, from_numpy", 12)
    p.arrow(473, 94, 247, 94)
    p.text(360, 110, "to_numpy, print", 12)
    p.arrow(575, 107, 575, 143)
    p.arrow(473, 165, 247, 165)
    p.text(360, 187, "what has no operator: counted, warned of once", 10)
    return p.drawn()


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    drawn = (passes, way, tiles, devices)
    languages = (("", False), (".zh", True))
    return {f"{draw.__name__}{end}.svg": draw(chinese) for draw in drawn for end, chinese in languages}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
