"""Renders what prevents the removal of a provider instance, with commands to copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statefmt.model.addrs import AbsResourceInstance
from statefmt.render.printable import printable
from statefmt.render.providers.use_text import bound_numbers, object_text
from statefmt.render.terminal import Terminal
from statefmt.store.backends import state_words
from statefmt.text import shell_line, shell_word

if TYPE_CHECKING:
    # Most runs ask for no removal and skip this import.
    from statefmt.analysis.providers.removal import ProviderRemoval


def removal_text(found: ProviderRemoval, terminal: Terminal, state: str | None = None) -> str:
    """Render every object bound to the provider to remove, in list order, and what to do about them.

    `state` is the file to name in commands; None if they find it by default.
    """
    name = found.name
    if not found.objects:
        return terminal.wrap(f"Nothing is bound to {name}: it can be removed.", "", "  ")
    destroy = found.to_destroy
    parts = [
        terminal.wrap(f"{name} has {bound_numbers(found.objects)}:", "", "  "),
        "\n".join(f"  {printable(object_text(obj))}" for obj in found.objects),
    ]
    while_there = "before the provider is removed" if found.whole else "while the provider still has its key"
    if destroy:
        advice = f"Remove these from the configuration, or give them another provider there, and apply {while_there}. "
        parts += [
            terminal.wrap(advice + "To destroy them now, with everything that depends on them:", ""),
            _command("tofu destroy", [f"-target={_quoted(addr)}" for addr in destroy]),
        ]
    if found.deposed_alone:
        parts.append(terminal.wrap(f"The next `tofu apply` destroys deposed objects. Run it {while_there}.", ""))
    if found.to_reread:
        parts.append(
            terminal.wrap("A data source has nothing to destroy, but its block must use another provider first.", "")
        )
    if destroy:
        parts += [
            terminal.wrap("To forget them without destroying the real objects:", ""),
            _command("statetool rm", [*_state(state), *(_quoted(addr) for addr in destroy)]),
            terminal.wrap("To bind them to another provider instance that can manage them:", ""),
            _command("statetool rebind", [*_state(state), *(_quoted(addr) for addr in destroy), "PROVIDER_INSTANCE"]),
        ]
    return "\n\n".join(parts)


def _quoted(addr: AbsResourceInstance) -> str:
    return shell_word(str(addr))


def _state(name: str | None) -> list[str]:
    return [] if name is None else [shell_line(state_words(name))]


def _command(name: str, arguments: Sequence[str]) -> str:
    return " \\\n".join([f"  {name}", *(f"    {argument}" for argument in arguments)])
