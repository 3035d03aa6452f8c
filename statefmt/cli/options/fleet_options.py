"""Options of the commands about many states."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IntoOption = Annotated[
    Path, typer.Option("--into", metavar="FILE", show_default=False, help="The index; default: statetool.duckdb.")
]
