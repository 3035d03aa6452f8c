"""Reads the arguments that name plans of several folders, and names the state of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from typer import BadParameter

from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import folder_names


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
        raise BadParameter("only one of the plans can come from standard input")
    paths = [Path(os.path.abspath(folder)) for folder, _ in given]  # noqa: PTH100 - resolve() follows links
    for path, times in Counter(paths).items():
        if times > 1:
            folder = given[paths.index(path)][0]
            raise BadParameter(f"two plans are of the folder {folder}; write DIR=PLAN to name another one")
    return [
        FolderPlan(name, os.path.normpath(folder), file)
        for name, (folder, file) in zip(folder_names(paths), given, strict=True)
    ]


def _folder_and_file(argument: str) -> tuple[str, str]:
    folder, equals, file = argument.partition("=")
    if equals and folder and file and not os.path.lexists(argument):
        return folder, file
    return os.path.dirname(argument) or ".", argument  # noqa: PTH120 - Path would drop ./
