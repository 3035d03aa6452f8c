"""Templates in files and in texts, which see nothing but the names they are given.

Source: OpenTofu `internal/lang/funcs/render_template.go`, `filesystem.go`, `string.go`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from statefmt.config.expressions import Step, Traversal
from statefmt.config.functions.file_reading import read_bytes
from statefmt.config.functions.registry import FunctionError, Parameter, Surroundings, function
from statefmt.config.functions.shapes import text_of
from statefmt.config.position import Source
from statefmt.config.references import references
from statefmt.config.refusal import Refusal
from statefmt.config.values import Part, Value
from statefmt.cty import STRING, MapType, ObjectType
from statefmt.golang import quote

_NAME: Final = re.compile(r"[^\W\d][\w-]*")
_VARS: Final = Parameter("vars", parts=True)


class _Given:
    """The names of a template."""

    def __init__(self, directory: Path, values: Mapping[str, Part]) -> None:
        self.directory: Path | None = directory
        self._values = values

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Step, ...]]:
        return self._values[reference.root], reference.steps


@function(Parameter("path", STRING), _VARS, surroundings=True)
def templatefile(surroundings: Surroundings, path: Part, values: Part) -> Part:
    try:
        content = read_bytes(surroundings, text_of(path)).decode()
    except UnicodeDecodeError:
        raise FunctionError(f"contents of {text_of(path)} are not valid UTF-8", 0) from None
    return _rendered(surroundings, text_of(path), content, values)


@function(Parameter("data", STRING), _VARS, surroundings=True)
def templatestring(surroundings: Surroundings, data: Part, values: Part) -> Part:
    return _rendered(surroundings, "<template>", text_of(data), values)


def _rendered(surroundings: Surroundings, name: str, content: str, values: Part) -> Part:
    from statefmt.config.native import read_template

    if not isinstance(values, Value) or not isinstance(values.type, (MapType, ObjectType)):
        raise FunctionError("invalid vars value: must be a map", 1)
    assert isinstance(values.data, Mapping)
    for variable in values.data:
        if not _NAME.fullmatch(variable):
            raise FunctionError(f"invalid template variable name {quote(variable)}", 1)
    source = Source(name, content.encode())
    expression, problems = read_template(source, 0, len(source.content), content, exact=True)
    if problems:
        raise FunctionError(f"{problems[0].range}: {problems[0].summary}; {problems[0].detail}")
    for reference in references(expression):
        if reference.root not in values.data:
            where = f"{quote(reference.root)}, referenced at {reference.root_range}"
            raise FunctionError(f"vars map does not contain key {where}", 1)
    try:
        return surroundings.evaluate(expression, _Given(surroundings.directory, values.data))
    except Refusal as refusal:
        problem = refusal.problem
        raise FunctionError(f"{problem.range}: {problem.summary}; {problem.detail}") from None
