"""A project's folder: what its files say it holds."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

GROUP = "asnumpy.operators"


@dataclass(frozen=True)
class Project:
    """A folder with a pyproject.toml that names operators."""

    folder: Path
    package: str                  # what is imported
    operators: tuple[str, ...]

    @property
    def sources(self) -> Path:
        """The folder of the package's files."""
        return self.folder / "src" / self.package

    def kernels(self) -> dict[str, list[Path]]:
        """The files of kernels, by their device."""
        found: dict[str, list[Path]] = {"cpu": [], "ascend": [], "cuda": sorted(self.sources.rglob("*.cu"))}
        for path in sorted(self.sources.rglob("*.cpp")):
            found["ascend" if "kernel_operator.h" in path.read_text(errors="replace") else "cpu"].append(path)
        return {device: paths for device, paths in found.items() if paths}


def project(folder: Path) -> Project:
    """The project in a folder.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is none, or its pyproject.toml names no operator.
    """
    file = folder / "pyproject.toml"
    if not file.is_file():
        raise FileNotFoundError(
            f"expected a project's folder with a pyproject.toml, got {folder.resolve()}; "
            "python -m asnumpy operator new NAME writes one"
        )
    try:
        points = tomllib.loads(file.read_text()).get("project", {}).get("entry-points", {}).get(GROUP, {})
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from None
    if not points:
        raise ValueError(f'{file}: expected operators in [project.entry-points."{GROUP}"], found none')
    package = next(iter(points.values())).partition(":")[0].partition(".")[0]
    return Project(folder, package, tuple(points))
