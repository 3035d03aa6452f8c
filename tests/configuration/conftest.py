"""Configurations written for a test, and the values in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from statefmt.configuration import Configuration, LoadOptions, load, root_scope
from statefmt.hcl.value import Part, Unknown, Value, to_plain
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.values import write_value

Write: TypeAlias = Callable[..., Configuration]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files and load what they are: `write({"main.tf": "…"}, options)`."""

    def write(files: Mapping[str, str | bytes], options: LoadOptions | None = None) -> Configuration:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load(tmp_path, options)

    return write


def shown(part: Part) -> str:
    """A value as JSON; an unknown one as its reason, or what OpenTofu would say."""
    if isinstance(part, Unknown):
        return part.problem.summary if part.problem else f"unknown: {part.reason}"
    return write_value(PlainValue(part.type, to_plain(part))).decode()


def local(configuration: Configuration, name: str = "x") -> str:
    """The value of a local value of the root module."""
    return shown(root_scope(configuration).local(name))


def found(configuration: Configuration) -> list[str]:
    """The problems as `file:line,column summary`."""
    return [
        f"{problem.range.file}:{problem.range.line},{problem.range.column} {problem.summary}"
        if problem.range
        else problem.summary
        for problem in configuration.problems
    ]


def known(part: Part) -> Value:
    assert isinstance(part, Value), part
    return part
