"""`statetool` as a program of its own that runs the code beside these tests, not an installed copy of it."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]


def _program() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="statetool-program-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Tests run it as other users, too.
    folder.chmod(0o755)
    program = folder / "statetool"
    program.write_text(
        f"#!{sys.executable}\n"
        f"import sys\nsys.path[0] = {str(_ROOT)!r}\nfrom statefmt.cli.start import run\nsys.exit(run())\n"
    )
    program.chmod(0o755)
    return program


PROGRAM: Final = _program()
