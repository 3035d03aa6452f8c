"""Makes problems from OpenTofu's templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from statefmt.golang import quote
from statefmt.lifecycle.problem import ValueProblem
from statefmt.model.cty import CtyValue, Path
from statefmt.model.cty.go_notation import go_notation
from statefmt.model.cty.parts import marks_deep
from statefmt.text.pattern import pattern

_VERB = pattern(r"%#v|%[dqs]")


class FoundProblem(NamedTuple):
    """A problem whose message is not yet written: comparing sets finds many that are not reported.

    `template` is one of Go's `fmt`: `%#v` takes a value, `%q` and `%s` a text, `%d` a number.
    """

    path: Path
    template: str
    values: tuple[CtyValue | str | int, ...]


Problems: TypeAlias = Iterator[FoundProblem]


def problem(path: Path, template: str, *values: CtyValue | str | int) -> FoundProblem:
    """Make a problem of a template and what goes into it."""
    return FoundProblem(path, template, values)


def reported(problems: Problems) -> tuple[ValueProblem, ...]:
    """Write the messages. Values with a part that is marked as sensitive are hidden, where OpenTofu shows marks."""
    return tuple(ValueProblem(each.path, each.template, _message(each)) for each in problems)


def _message(found: FoundProblem) -> str:
    rest = iter(found.values)

    def text(verb: str) -> str:
        value = next(rest)
        if isinstance(value, CtyValue):
            return "(sensitive value)" if "sensitive" in marks_deep(value) else go_notation(value)
        return quote(value) if verb == "%q" and isinstance(value, str) else str(value)

    return _VERB.sub(lambda match: text(match[0]), found.template)
