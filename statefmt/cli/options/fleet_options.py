"""Options of the commands about many states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from typer import Option

DEFAULT_INDEX: Final = Path("statetool.duckdb")
IntoOption = Annotated[
    Path, Option("--into", metavar="FILE", show_default=False, help=f"The index; default: {DEFAULT_INDEX}.")
]
