"""Reads a whole configuration: the root directory, the values of its variables, and every module that it calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from statefmt.config.model import Configuration


class VariableOption(msgspec.Struct, frozen=True):
    """One `--var NAME=VALUE` (`name` and `value`) or `--var-file PATH` (`file`), in the order of the command line."""

    name: str = ""
    value: str = ""
    file: str = ""


class LoadOptions(msgspec.Struct, frozen=True):
    """What is given beside the directory.

    `environment` may have `TF_VAR_…`, `TF_DATA_DIR` and `TF_WORKSPACE`. `workspace` is the value of
    `terraform.workspace`; without it TF_WORKSPACE counts, then the file `environment` of the data directory.
    """

    variables: tuple[VariableOption, ...] = ()
    environment: Mapping[str, str] = {}
    workspace: str | None = None
    test_directory: str = "tests"


def load(directory: Path, options: LoadOptions | None = None) -> Configuration:
    """Read the configuration in a directory, as far as it can be read; `problems` of the result says what is wrong.

    Ranges name files relative to the working directory as OpenTofu does (`main.tf`, `modules/a/main.tf`), below
    `directory` as it was given. Each directory is read once. Never raises for what a directory can hold.
    """
    raise NotImplementedError
