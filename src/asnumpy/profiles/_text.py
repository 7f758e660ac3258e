"""A profile as text for terminals."""

from __future__ import annotations

from asnumpy.profiles._figures import Seen

MOST = 25   # rows
WIDEST = 48  # of a name

UNKNOWN_ARITHMETIC = "The trace does not tell the arithmetic of programs that run together"
OF_DEVICES = """A device took part: the host begins its work and goes on, so times are the host's, and no bandwidth or
arithmetic is told of them"""
NOT_MEASURED = "What this machine reaches was not measured: another recording runs, or there is no memory for it"


def rate(value: float | None) -> str:
    return "" if value is None else f"{value / 1e9:.2f}"


def percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def size(nbytes: float | None) -> str:
    return "" if nbytes is None else f"{nbytes / 1e6:.2f}"


def about_limits(seen: Seen) -> str:
    """One sentence on what the shares are parts of, or why there are none."""
    if seen.used_devices:
        return OF_DEVICES.replace("\n", " ")
    limits = seen.limits
    return NOT_MEASURED if limits is None else limits.text()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _programs(seen: Seen) -> list[str]:
    total = sum(row.own for row in seen.rows) or 1
    names = [_cut(row.name, WIDEST) for row in seen.rows[:MOST]]
    width = max([4, *map(len, names)])
    head = f"{'kind':<9} {'name':<{width}} {'calls':>6} {'ms':>10} {'share':>6} {'MB':>9} {'GB/s':>7} {'of it':>6}"
    lines = [f"{head} {'Gop/s':>7} {'of it':>6}  lines"]
    for row, name in zip(seen.rows[:MOST], names, strict=True):
        moved, computed = seen.shares(row)
        bandwidth, arithmetic = seen.rates(row)
        figures = [
            f"{row.calls:>6} {row.own / 1e6:>10.3f} {percent(row.own / total):>6} {size(row.bytes):>9}",
            f"{rate(bandwidth):>7} {percent(moved):>6}",
            f"{rate(arithmetic):>7} {percent(computed):>6}",
        ]
        lines.append(f"{row.kind:<9} {name:<{width}} {' '.join(figures)}  {_cut(row.lines, 60)}".rstrip())
    if len(seen.rows) > MOST:
        lines.append(f"... and {len(seen.rows) - MOST} more")
    return lines


def text(seen: Seen) -> str:
    """All of it but the time line."""
    lines = [
        f"profile: {seen.seconds:.3f} s, asnumpy's work {seen.work:.3f} s, all threads ({seen.device}, "
        f"threads: {seen.threads})",
    ]
    if seen.lost:
        lines.append(f"{seen.lost:,} events are lost: figures are of the newest; ap.profile(events=...) keeps more")
    lines += ["", *_programs(seen), "", about_limits(seen), UNKNOWN_ARITHMETIC, ""]
    begun, ended = seen.in_use
    lines.append(f"memory in use: {begun / 1e6:.2f} MB at the beginning, {ended / 1e6:.2f} MB at the end, at most "
                 f"{seen.peak / 1e6:.2f} MB")
    if seen.fallbacks:
        lines += ["", "on the host, or by NumPy:"]
        lines += [f"  {one['function']} {one['dtypes']}  {one['count']} times, {one['bytes']:,} bytes, "
                  f"{one['device']}: {one['reason']}  {one['lines']}".rstrip() for one in seen.fallbacks]
    return "\n".join(lines)
