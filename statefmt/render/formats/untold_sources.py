"""Renders why a state was not written: nothing says where its providers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from statefmt.formats.releases import all_releases
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import ProviderSourceError
from statefmt.render.counted import counted
from statefmt.render.formats.engines import legacy_options, registry_options
from statefmt.render.terminal import Terminal
from statefmt.text import shell_line

_MOST_TYPES: Final = 5
# Options that stay on the same line as their value.
_TAKE_A_VALUE: Final = ("--config", "--legacy-provider", "--registry")


def untold_text(
    error: ProviderSourceError, command: Callable[..., Sequence[str]], terminal: Terminal, *, has_configuration: bool
) -> str:
    """Render the reason, and each way out as a command; the lines after the first ":\\n" are not to be wrapped.

    `command` returns the words of this run's command line with more options.
    """
    short = error.short
    ways: list[tuple[str, list[list[str]]]]
    for_terraform = error.host == TERRAFORM_HOST and not error.ambiguous
    concerned = error.unknown if for_terraform else short
    count = sum(short.get(type_, 0) for type_ in concerned)
    text = f"not written: {count:,} of {counted(error.total, 'resource')} {'names' if count == 1 else 'name'} "
    text += f"the provider by type only ({_listed(short, concerned)}), "
    if for_terraform:
        text += "and Terraform silently drops resources with such a provider"
    elif error.ambiguous:
        found = "; ".join(f"{type_}: {' or '.join(sources)}" for type_, sources in error.ambiguous.items())
        text += f"and the source is ambiguous ({found})"
    else:
        engines = {one.engine_name: None for one in all_releases() if one.legacy_provider_host != DEFAULT_HOST}
        text += "and the engine that will read the state is unknown. "
        text += f"{' and '.join(engines)} silently drops resources whose provider has no source"
    text += "".join(f". {problem}" for problem in error.problems)
    if for_terraform:
        ways = [("with their sources", [legacy_options(concerned)])]
    elif error.ambiguous:
        ways = [("with the sources that you mean", list(_chosen(error)))]
    else:
        ways = [
            ("for OpenTofu", [registry_options("opentofu", ())]),
            ("for Terraform", [registry_options("terraform", short)]),
            ("with sources of your own", [legacy_options(short)]),
        ]
        if not has_configuration:
            ways.append(("as the configuration in DIR and its .terraform.lock.hcl say", [["--config", "DIR"]]))
        ways.append(("without sources, which only OpenTofu reads", [["--registry", "keep"]]))
    lines = [f"{text}. {'Choose one' if len(ways) > 1 else 'Write the state'}:"]
    for what, each in ways:
        lines.append(f"  {what}:")
        lines += [line for options in each for line in _command_lines(command(*options), terminal)]
    return "\n".join(lines)


def _chosen(error: ProviderSourceError) -> Iterable[list[str]]:
    """Yield the options for each source that an ambiguous type may have."""
    for type_, sources in error.ambiguous.items():
        others = [other for other in (*error.ambiguous, *error.unknown) if other != type_]
        for source in sources:
            yield ["--legacy-provider", f"{type_}={source}", *legacy_options(others)]


def _command_lines(words: Sequence[str], terminal: Terminal) -> list[str]:
    """Render a command to paste; a long one is continued on the next line."""
    lines = ["   "]
    rest = iter(words)
    for word in rest:
        part = shell_line([word, next(rest, "")] if word in _TAKE_A_VALUE else [word])
        if len(lines[-1]) + len(part) > terminal.width - len(" \\ ") and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {part}"
    return lines


def _listed(short: Mapping[str, int], concerned: Iterable[str]) -> str:
    types = sorted(concerned, key=lambda type_: (-short.get(type_, 0), type_))
    shown = [f"{type_}: {short.get(type_, 0):,}" for type_ in types[:_MOST_TYPES]]
    return ", ".join(shown) + (f" and {len(types) - _MOST_TYPES} more types" if len(types) > _MOST_TYPES else "")
