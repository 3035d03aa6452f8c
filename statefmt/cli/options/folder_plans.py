"""Reads the arguments that name plans of several folders, and names the state of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import typer

from statefmt.locations import STANDARD_INPUT
from statefmt.text.pattern import pattern

_UNFIT: Final = pattern(r"[^a-zA-Z0-9_-]+")
_STARTS_A_NAME: Final = pattern(r"[a-zA-Z_]")


class FolderPlan(NamedTuple):
    """A plan in JSON, the folder of the root module that it was made for, and a name for the state of the folder."""

    state: str
    folder: str
    file: str


def folder_plans(arguments: Sequence[str]) -> list[FolderPlan]:
    """Return the plans that arguments `PLAN` and `DIR=PLAN` name. Raises BadParameter if two are of one folder.

    Without DIR, a plan is in its folder; one from standard input is of the current folder. States are named after
    their folders.
    """
    given = [_folder_and_file(argument) for argument in arguments]
    if [file for _, file in given].count(STANDARD_INPUT) > 1:
        raise typer.BadParameter("only one of the plans can come from standard input")
    paths = [Path(os.path.abspath(folder)) for folder, _ in given]  # noqa: PTH100 - resolve() follows links
    for path, times in Counter(paths).items():
        if times > 1:
            folder = given[paths.index(path)][0]
            raise typer.BadParameter(f"two plans are of the folder {folder}; write DIR=PLAN to name another one")
    return [
        FolderPlan(name, os.path.normpath(folder), file)
        for name, (folder, file) in zip(_names(paths), given, strict=True)
    ]


def _folder_and_file(argument: str) -> tuple[str, str]:
    folder, equals, file = argument.partition("=")
    if equals and folder and file and not os.path.lexists(argument):
        return folder, file
    return os.path.dirname(argument) or ".", argument  # noqa: PTH120 - Path would drop ./


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a valid and distinct name for each folder, with as many of its last parts as that takes."""
    names = [_name(path.parts[-1:]) for path in paths]
    depth = 1
    while (repeated := {name for name, times in Counter(names).items() if times > 1}) and depth < 8:
        depth += 1
        names = [
            _name(path.parts[-depth:]) if name in repeated else name for path, name in zip(paths, names, strict=True)
        ]
    if repeated:
        names = [f"{name}_{number}" for number, name in enumerate(names, 1)]
    return names


def _name(parts: Sequence[str]) -> str:
    name = _UNFIT.sub("_", "_".join(parts)).strip("_") or "state"
    return name if _STARTS_A_NAME.match(name) else f"_{name}"
