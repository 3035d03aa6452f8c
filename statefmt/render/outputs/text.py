"""Renders output values like HCL: with their types, or as `tofu show` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw

from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import OutputValue
from statefmt.redaction.object_value import hides_output, output_value
from statefmt.redaction.partial import decoded
from statefmt.render.outputs.type import output_type_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.render.values.hcl import name_text, partial_text
from statefmt.render.values.raw_value import raw_value


def typed_outputs_text(outputs: Sequence[OutputValue], terminal: Terminal, *, show_sensitive: bool) -> str:
    """Render each output as an assignment under a comment with its type; no newline at the end."""
    return "\n\n".join(_typed(output, terminal, show_sensitive) for output in outputs)


def outputs_text(outputs: Sequence[OutputValue], terminal: Terminal, *, show_sensitive: bool, expand: bool) -> str:
    """Render the outputs by name, as `tofu show` prints them after the resources; no newline at the end."""
    lines = [terminal.paint("Outputs:", "bold"), ""]
    for output in sorted(outputs, key=lambda output: output.name):
        value = _value(output, show_sensitive, expand=expand)
        lines += [*_deprecation(output, terminal), f"{name_text(output.name)} = {value}"]
    return "\n".join(lines)


def raw_output(output: OutputValue, *, show_sensitive: bool) -> bytes:
    """Render a string, number or bool as it is. Raises SelectionError for other values and sensitive ones."""
    if hides_output(output) and not show_sensitive:
        why = "is sensitive" if output.sensitive else "looks like a secret, and is not marked as sensitive"
        raise SelectionError(f"the output {output.name!r} {why}; use --show-sensitive to show it")
    try:
        value = decoded(Raw(output.value))
    except ValueError as error:
        raise SelectionError(f"the output {output.name!r} is nested too deeply to be shown") from error
    return raw_value(value, f"the output {output.name!r}")


def _typed(output: OutputValue, terminal: Terminal, show_sensitive: bool) -> str:
    hidden = output.sensitive and not show_sensitive
    notes = [printable(output_type_text(output, hidden=hidden)), *(["sensitive"] if output.sensitive else [])]
    if not output.sensitive and not show_sensitive and hides_output(output):
        notes.append("not marked as sensitive: what looks like a secret is hidden")
    name = terminal.paint(name_text(output.name), "bold")
    lines = [terminal.paint(f"# {', '.join(notes)}", "dim"), *_deprecation(output, terminal)]
    return "\n".join([*lines, f"{name} = {_value(output, show_sensitive)}"])


def _deprecation(output: OutputValue, terminal: Terminal) -> list[str]:
    return [terminal.paint(f"# deprecated: {printable(output.deprecated)}", "yellow")] if output.deprecated else []


def _value(output: OutputValue, show_sensitive: bool, *, expand: bool = False) -> str:
    return partial_text(output_value(output, show_sensitive=show_sensitive), expand=expand)
