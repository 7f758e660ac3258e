"""`%load_ext asnumpy`: cells whose imports of NumPy are rewritten."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for prompt in ("ps1", "ps2", "ps3"):  # which a shell leaves behind, and by which others know an interactive process
        monkeypatch.setattr(sys, prompt, "", raising=False)
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    yield made
    if "asnumpy" in made.extension_manager.loaded:
        made.extension_manager.unload_extension("asnumpy")
    made.restore_sys_module_state()


def value(shell: Any, cell: str) -> Any:
    done = shell.run_cell(cell)
    done.raise_error()
    return done.result


def test_cells(shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "beside_the_notebook.py").write_text("import numpy as np\n")
    assert value(shell, "import numpy as np\nnp") is np
    capsys.readouterr()
    value(shell, "%load_ext asnumpy")
    assert "np is still NumPy" in capsys.readouterr().out
    assert value(shell, "np") is np
    assert value(shell, "import numpy as np\nnp") is ap
    assert value(shell, "import beside_the_notebook\nbeside_the_notebook.np") is ap
    assert value(shell, "from numpy import linalg\nlinalg") is ap.linalg
    value(shell, "%unload_ext asnumpy")
    assert value(shell, "np") is ap  # what was imported stays
    assert value(shell, "import numpy as np\nnp") is np
    value(shell, "%load_ext asnumpy")
    assert value(shell, "import numpy\nnumpy") is ap


def test_a_cell_that_asks_for_what_is_lacking(shell: Any) -> None:
    value(shell, "%load_ext asnumpy")
    with pytest.raises(ImportError, match="cannot import name 'core' from 'numpy'"):
        value(shell, "from numpy import core")
    assert value(shell, "import numpy as np\nnp") is ap  # the next cell is rewritten too
