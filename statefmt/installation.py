"""How to add the packages of an extra to this installation of statetool, for messages that miss one."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# A requirement of the metadata, such as `duckdb<3,>=1.4; extra == "fleet"`.
_REQUIREMENT: Final = r"([A-Za-z0-9._-]++)(?:\[([a-z,]++)\])?+([^;]*+);.*extra == ['\"]%s['\"]"
_DISTRIBUTION: Final = "statetool"


def how_to_install(extra: str) -> str:
    """Return a sentence with the command that installs the packages of an extra here.

    The command names packages, never statetool itself: on a package index, the name could be anybody's.
    """
    packages = sorted(_packages(extra))
    if not packages or Path(sys.prefix, "PEX-INFO").exists():
        # The single file cannot be extended; without metadata, the packages are unknown.
        return f"install statetool from a clone with its extra {extra!r}: pip install '.[{extra}]'"
    if Path(sys.prefix, "pipx_metadata.json").exists():
        return f"run {shlex.join(['pipx', 'inject', _DISTRIBUTION, *packages])}"
    if importlib.util.find_spec("pip") is None:
        return f"run {shlex.join(['uv', 'pip', 'install', '--python', sys.executable, *packages])}"
    return f"run {shlex.join([sys.executable, '-m', 'pip', 'install', *packages])}"


def _packages(extra: str) -> Iterator[str]:
    """Yield the requirements of an extra, and of the extras that it names."""
    # Imported late: only messages about missing packages need it.
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        return
    expression = re.compile(_REQUIREMENT % re.escape(extra))
    for requirement in requirements:
        found = expression.fullmatch(requirement)
        if found is None:
            continue
        name, extras, versions = found.groups()
        if name == _DISTRIBUTION:
            for other in extras.split(","):
                yield from _packages(other)
        else:
            versions = versions.strip()
            yield f"{name}[{extras}]{versions}" if extras else f"{name}{versions}"
