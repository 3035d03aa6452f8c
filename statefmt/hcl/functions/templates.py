"""Renders templates from files and strings, which see only the names they are given.

Source: OpenTofu `internal/lang/funcs/render_template.go`, `filesystem.go`, `string.go`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from statefmt.golang import quote
from statefmt.hcl.functions.file_reading import read_bytes
from statefmt.hcl.functions.registry import FunctionError, FunctionSurroundings, Parameter, function
from statefmt.hcl.functions.shapes import text_of
from statefmt.hcl.source.position import SourceText
from statefmt.hcl.syntax.expressions import Access, Traversal
from statefmt.hcl.syntax.references import references
from statefmt.hcl.value import Part, Value
from statefmt.hcl.values.refusal import Refusal
from statefmt.model.cty import STRING, MapType, ObjectType

_NAME: Final = re.compile(r"[^\W\d][\w-]*")
_VARS: Final = Parameter("vars", parts=True)


class _Given:
    """The scope of a template."""

    def __init__(self, directory: Path, values: Mapping[str, Part]) -> None:
        self.directory: Path | None = directory
        self._values = values

    is_confined = False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        return self._values[reference.root], reference.steps


@function(Parameter("path", STRING), _VARS, surroundings=True)
def templatefile(surroundings: FunctionSurroundings, path: Part, values: Part) -> Part:
    try:
        content = read_bytes(surroundings, text_of(path)).decode()
    except UnicodeDecodeError:
        raise FunctionError(f"contents of {text_of(path)} are not valid UTF-8", 0) from None
    return _rendered(surroundings, text_of(path), content, values)


@function(Parameter("data", STRING), _VARS, surroundings=True)
def templatestring(surroundings: FunctionSurroundings, data: Part, values: Part) -> Part:
    return _rendered(surroundings, "<template>", text_of(data), values)


def _rendered(surroundings: FunctionSurroundings, name: str, content: str, values: Part) -> Part:
    from statefmt.hcl.syntax.native.files import read_template

    if not isinstance(values, Value) or not isinstance(values.type, (MapType, ObjectType)):
        raise FunctionError("invalid vars value: must be a map", 1)
    assert isinstance(values.data, Mapping)
    for variable in values.data:
        if not _NAME.fullmatch(variable):
            raise FunctionError(f"invalid template variable name {quote(variable)}", 1)
    source = SourceText(name, content.encode())
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
