"""Collects the values of root variables from the environment, files and options.

Later sources override earlier ones, in OpenTofu's order: the environment, `terraform.tfvars`, `terraform.tfvars.json`,
`*.auto.tfvars` and `*.auto.tfvars.json` by name, then options as given. Source: `internal/command/meta_vars.go`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from statefmt.configuration.loading._directory import read_body, read_source
from statefmt.configuration.model import InputValue
from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.body import Body
from statefmt.hcl.syntax.json.body import read_json_file
from statefmt.hcl.syntax.native.files import read_file
from statefmt.store.files import is_inside

_ENVIRONMENT: Final = "TF_VAR_"
_DEFAULT: Final = "terraform.tfvars"


class VariableOption(msgspec.Struct, frozen=True):
    """One `--var NAME=VALUE` (`name` and `value`) or `--var-file PATH` (`file`) option.

    With `document`, the values are those of this JSON object, which `file` only names in messages.
    """

    name: str = ""
    value: str = ""
    file: str = ""
    document: bytes = b""


class InputReader:
    """Reads the variable values for the root module in a directory; for None, only from the environment and options.

    With `is_confined`, files of the directory that are links out of it are left out.
    """

    def __init__(self, root: Path | None, problems: list[Problem], *, is_confined: bool = False) -> None:
        self._root = root
        self._is_confined = is_confined
        self._problems = problems

    def read(self, environment: Mapping[str, str], options: tuple[VariableOption, ...]) -> dict[str, InputValue]:
        """Return the effective value of each variable. Files of options are relative to the working directory."""
        found: dict[str, InputValue] = {}
        for name, value in environment.items():
            if name.startswith(_ENVIRONMENT):
                variable = name.removeprefix(_ENVIRONMENT)
                found[variable] = InputValue(variable, name, text=value)
        if self._root is not None:
            for file in self._automatic(self._root):
                if self._is_confined and not is_inside(self._root / file, self._root):
                    continue
                found |= {value.name: value for value in self._file(self._root / file, file, pipes=False)}
        for option in options:
            if option.document:
                source = SourceText(option.file, option.document)
                body = read_json_file(source, self._problems)
                found |= {value.name: value for value in _values(body, option.file)}
            elif option.file:
                found |= {value.name: value for value in self._file(Path(option.file), option.file, pipes=True)}
            else:
                found[option.name] = InputValue(option.name, "--var", text=option.value)
        return found

    @staticmethod
    def _automatic(root: Path) -> list[str]:
        try:
            names = sorted((path.name for path in root.iterdir()), key=os.fsencode)
        except OSError:
            return []
        defaults = [name for name in (_DEFAULT, f"{_DEFAULT}.json") if name in names]
        return defaults + [name for name in names if name.endswith((".auto.tfvars", ".auto.tfvars.json"))]

    def _file(self, path: Path, shown: str, *, pipes: bool) -> Iterator[InputValue]:
        source = read_source(path, shown, self._problems, pipes=pipes)
        if source is None:
            return
        # A file with another name, such as a pipe, is JSON if it starts with a brace.
        if not shown.endswith((".json", ".tfvars")):
            json = source.content.lstrip().startswith(b"{")
            body: Body = read_json_file(source, self._problems) if json else read_file(source, self._problems)
        else:
            body = read_body(source, self._problems)
        if not shown.endswith(".json") and (declared := body.blocks("variable", 1)):
            detail = (
                "A variable file assigns values to variables that are declared elsewhere. Move this block to a "
                f"configuration file, and set the value here with: {declared[0].labels[0]} = <value>"
            )
            summary = "Variable declaration in .tfvars file"
            self._problems.append(error(ProblemKind.VARIABLE, summary, detail, declared[0].type_range))
        yield from _values(body, shown)


def _values(body: Body, shown: str) -> Iterator[InputValue]:
    for name in body.names():
        argument = body.attribute(name, literal=True)
        if argument is not None:
            yield InputValue(name, shown, argument.expression)
