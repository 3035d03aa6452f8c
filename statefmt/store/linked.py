"""The file that a name stands for: what is kept beside a state belongs to the file, whatever link it is reached by."""

from __future__ import annotations

import os
from pathlib import Path


def linked_file(path: Path) -> Path:
    """The path of the file itself where a name is a symbolic link, else the path as it is."""
    # Not Path.resolve: it raises for links in a circle.
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114 - Path.is_symlink may raise
