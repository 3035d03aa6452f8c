"""Doing what a finding about a configuration says: the printed configuration pasted where it belongs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from statefmt.configuration import load
from statefmt.model.addrs import Module
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.findings import Finding
from statefmt.render.findings import fix_text

_AS_IN: Final = re.compile(r"\n  # all other arguments as in (.*):(\d+)\n")
_FILE: Final = re.compile(r"^# (\S+/main\.tf)$", re.MULTILINE)
_REPLACED: Final = re.compile(r"\s*(alias|for_each)\s*=")
_WHERE: Final = re.compile(r" in (the root module|module\.[\w.-]+?)(?: again:|[,:]| until)")


def paste(folder: Path, finding: Finding) -> None:
    """Put what a finding prints into a configuration: in the place of the block that it names, or in addition."""
    directory = _directory(folder, finding)
    own, *others = _FILE.split(finding.fix.snippet)
    for name, text in zip(others[::2], others[1::2], strict=True):
        file = directory / name
        file.parent.mkdir(parents=True)
        file.write_text(text.strip() + "\n")
    old = _AS_IN.search(own)
    if old is None:
        main = directory / "main.tf"
        main.write_text(f"{main.read_text()}\n{own}\n")
        return
    file, first = folder / old[1], int(old[2]) - 1
    lines = file.read_text().split("\n")
    last = lines.index("}", first)
    kept = [*_kept(lines[first + 1 : last])]
    block = own[: old.start() + 1] + "".join(f"{line}\n" for line in kept) + own[old.end() :]
    file.write_text("\n".join([*lines[:first], *block.split("\n"), *lines[last + 1 :]]))


def _kept(lines: list[str]) -> list[str]:
    """The arguments of a block that the new one takes over."""
    kept: list[str] = []
    depth = 0
    replacing = False
    for line in lines:
        if not depth:
            replacing = _REPLACED.match(line) is not None
        depth += line.count("{") - line.count("}")
        if not replacing:
            kept.append(line)
    return kept


def _directory(folder: Path, finding: Finding) -> Path:
    """Where the module is that the block goes to."""
    where = _WHERE.search(fix_text(finding.fix))
    named = where[1] if where else "the root module"
    module = Module() if named == "the root module" else parse_module_instance(named).module()
    return folder / load(folder).modules[module].declarations.directory
