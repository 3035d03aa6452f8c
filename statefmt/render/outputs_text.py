"""Output values with their types, like HCL."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw

from statefmt.cty import CtyTypeError, parse_type
from statefmt.errors import SelectionError
from statefmt.render.hcl import name_text, value_text
from statefmt.render.printable import printable
from statefmt.render.raw_value import raw_value
from statefmt.render.terminal import Terminal
from statefmt.render.type_text import type_text
from statefmt.states import OutputValue
from statefmt.values.hidden import HIDDEN
from statefmt.values.partial import decoded


def typed_outputs_text(outputs: Sequence[OutputValue], terminal: Terminal, *, show_sensitive: bool) -> str:
    """Each output as an assignment, under a comment with its type; no newline at the end."""
    return "\n\n".join(_output(output, terminal, show_sensitive) for output in outputs)


def raw_output(output: OutputValue, *, show_sensitive: bool) -> bytes:
    """A text, number or bool as it is. Raises SelectionError for other values, and for a sensitive one."""
    if output.sensitive and not show_sensitive:
        raise SelectionError(f"the output {output.name!r} is sensitive; --show-sensitive shows it")
    try:
        value = decoded(Raw(output.value))
    except ValueError as error:
        raise SelectionError(f"the output {output.name!r} is nested too deeply to be shown") from error
    return raw_value(value, f"the output {output.name!r}")


def output_type_text(output: OutputValue, *, hidden: bool) -> str:
    """The type of an output as a constraint, without the names of attributes where its value is hidden."""
    try:
        return type_text(parse_type(output.type), names=not hidden)
    except CtyTypeError:
        return "any"


def _output(output: OutputValue, terminal: Terminal, show_sensitive: bool) -> str:
    hidden = output.sensitive and not show_sensitive
    notes = [printable(output_type_text(output, hidden=hidden)), *(["sensitive"] if output.sensitive else [])]
    lines = [terminal.paint(f"# {', '.join(notes)}", "dim")]
    if output.deprecated:
        lines.append(terminal.paint(f"# deprecated: {printable(output.deprecated)}", "yellow"))
    value = HIDDEN if hidden else _value(output)
    return "\n".join([*lines, f"{terminal.paint(name_text(output.name), 'bold')} = {value}"])


def _value(output: OutputValue) -> str:
    try:
        return value_text(decoded(Raw(output.value)))
    except (ValueError, RecursionError):
        return "(nested too deeply to be shown: --format json shows it)"
