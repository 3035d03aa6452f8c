"""Makes problems from OpenTofu's templates."""

from __future__ import annotations

from statefmt.golang import quote
from statefmt.lifecycle.problem import ValueProblem
from statefmt.model.cty import CtyValue, Path
from statefmt.model.cty.go_notation import go_notation
from statefmt.text.pattern import pattern

_VERB = pattern(r"%#v|%[dqs]")


def problem(path: Path, template: str, *values: CtyValue | str | int) -> ValueProblem:
    """Make a problem of a template of Go's `fmt`: `%#v` takes a value, `%q` and `%s` a text, `%d` a number."""
    rest = iter(values)

    def text(verb: str) -> str:
        value = next(rest)
        if isinstance(value, CtyValue):
            return go_notation(value)
        return quote(value) if verb == "%q" and isinstance(value, str) else str(value)

    return ValueProblem(path, template, _VERB.sub(lambda match: text(match[0]), template))
