"""A real program in the middle of an apply, which holds the lock of a state."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.compat.program import Program

# An apply of this holds the lock until there is a file called `release`.
HOLDING: Final = """
resource "terraform_data" "holder" {
  provisioner "local-exec" { command = "touch held; until [ -e release ]; do sleep 0.05; done" }
}
"""


@contextmanager
def program_holds(real: Program, folder: Path) -> Iterator[None]:
    """Apply a configuration with `HOLDING` in a folder that is initialised; the apply ends with the context."""
    with ThreadPoolExecutor(1) as pool:
        applied = pool.submit(real.run, folder, "apply", "-input=false", "-auto-approve", "-no-color")
        try:
            while not applied.done() and not (folder / "held").exists():
                time.sleep(0.01)
            assert not applied.done(), applied.result()
            yield
        finally:
            (folder / "release").touch()
        assert applied.result().status == 0, applied.result()
