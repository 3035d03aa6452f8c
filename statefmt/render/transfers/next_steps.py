"""Says what to do after the states of a folder have been moved to another backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.backends import BackendMove
from statefmt.text import shell_line
from statefmt.whereabouts.find import folder_programs

# Where init looks for a state before the new backend.
# Source: OpenTofu `internal/command/meta_backend.go` (backend_C_r_s).
_LOCAL_STATE: Final = "terraform.tfstate"


def next_steps(move: BackendMove, *, deleted: bool) -> Iterator[str]:
    """Yield sentences: the `init` that records the new backend, and what it may ask. `deleted` are the sources."""
    backend = move.target.backend
    folder = str(backend.folder)
    chdir = [] if folder == "." else [f"-chdir={folder}"]
    lines = [shell_line([program, *chdir, "init", "-reconfigure"]) for program in folder_programs(backend.folder)]
    yield f"now run {' or '.join(f'`{line}`' for line in lines)} with this backend block, and then a plan"
    if move.source.location == _LOCAL_STATE and move.source.backend.folder == backend.folder and not deleted:
        yield (
            "if init asks whether to migrate workspaces, it has found the old files: answer `yes`, which changes "
            "nothing, since it compares the states"
        )
