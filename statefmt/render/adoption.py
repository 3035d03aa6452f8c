"""Prints where the objects of a state belong in a new configuration, as a table, as blocks and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from statefmt.analysis.adoption.model import AdoptedPair, Adoption, OpenChoice, RefusedPair
from statefmt.analysis.diff.model import Move
from statefmt.analysis.providers import short_names
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import local_name_of
from statefmt.configuration.unrolling import Unrolled
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, hcl_quote
from statefmt.render.diff.blocks import is_writable, moved_block
from statefmt.render.json_output import document
from statefmt.render.table import fitted_table
from statefmt.render.terminal import UNLIMITED, Terminal, counted, printable_lines
from statefmt.text import printable, shell_word

_HEADINGS: Final = ("OBJECT", "BELONGS TO", "PROVIDER", "EVIDENCE")
# So many lines are in each list.
_MOST: Final = 50


def adoption_text(found: Adoption, terminal: Terminal) -> str:
    """Render what was found, without the blocks."""
    names = short_names({pair.target.provider for pair in found.pairs})
    parts: list[str] = []
    if found.pairs:
        rows = [_row(pair, names) for pair in found.pairs]
        columns = None if terminal.width == UNLIMITED else terminal.width
        parts.append(fitted_table(_HEADINGS, rows, terminal, columns=columns))
    staying: dict[str, list[OpenChoice]] = {}
    for choice in found.choices:
        if [pair.target.address for pair in choice.candidates] == [choice.source.addr]:
            staying.setdefault(choice.reason, []).append(choice)
        else:
            parts.append(_choice_text(choice))
    for reason, choices in staying.items():
        title = f"Not certain: these objects keep their address, but {reason}; --pair ADDRESS=ADDRESS confirms one:"
        parts.append(_listed(title, (str(choice.source.addr) for choice in choices)))
    parts += map(_refusal_text, found.refused)
    if found.left:
        title = "The new configuration has no instance for these objects, so OpenTofu will destroy them:"
        parts.append(_listed(title, (str(one.addr) for one in found.left)))
    if found.dropped:
        parts.append(_listed("Data resources that leave the state, and are read again:", map(str, found.dropped)))
    if found.new and (found.pairs or found.choices):
        parts.append(_listed("New instances without an object:", (str(one.address) for one in found.new)))
    if found.unknown:
        reasons = (f"{name}: {reason}" for name, reason in found.unknown.items())
        parts.append(_listed("Not known, and not proposed:", reasons))
    parts.append(summary_text(found))
    return "\n\n".join(parts)


def summary_text(found: Adoption) -> str:
    """Return the numbers in a sentence."""
    counts = [
        f"{counted(len(found.pairs), 'object')} to adopt",
        f"{found.settled:,} in place",
        f"{len(found.choices):,} to choose",
        f"{len(found.refused):,} refused",
        f"{len(found.left):,} without a place",
    ]
    return "; ".join(counts)


def _row(pair: AdoptedPair, names: dict[AbsProviderInstance, str]) -> tuple[str, ...]:
    evidence = "; ".join(one.text for one in pair.evidence)
    stays = pair.source.addr == pair.target.address
    target = "(stays)" if stays else str(pair.target.address)
    return tuple(map(printable, (str(pair.source.addr), target, names[pair.target.provider], evidence)))


def _choice_text(choice: OpenChoice) -> str:
    lines = [
        f"{pair.target.address}" + (f" ({'; '.join(one.text for one in pair.evidence)})" if pair.evidence else "")
        for pair in choice.candidates
    ]
    if not lines:
        return printable(f"Not decided: {choice.source.addr}: {choice.reason}")
    if len(choice.candidates) == 1:
        pair = shell_word(f"{choice.source.addr}={choice.candidates[0].target.address}")
        lines.append(f"to confirm it: --pair {pair}")
        return _listed(f"Not certain: {choice.source.addr} may be this instance, but {choice.reason}:", lines)
    return _listed(f"Choose: {choice.source.addr} may be any of these, since {choice.reason}:", lines)


def _refusal_text(refusal: RefusedPair) -> str:
    return printable(f"Refused: {refusal.source.addr} is not {refusal.target.address}: {refusal.reason}")


def _listed(title: str, lines: Iterable[str]) -> str:
    given = list(lines)
    more = [f"  and {len(given) - _MOST:,} more"] if len(given) > _MOST else []
    return "\n".join([printable(title), *(f"  {printable(line)}" for line in given[:_MOST]), *more])


_FOR_OTHERS: Final = (
    "# For the states of colleagues and of other workspaces. A moved block does not say which provider instance an\n"
    "# object needs: OpenTofu takes the one of the new block.\n"
)
_TWO_STEPS: Final = (
    "# These objects are not in the new configuration, and OpenTofu needs their provider to destroy them. Keep its\n"
    "# block until they are gone, and remove it afterwards:\n"
)
_UNDECIDED: Final = (
    "# Where these objects belong is not decided, and OpenTofu needs the provider that they have in the state as long\n"
    "# as they have it. Keep its block until they are decided:\n"
)


def adoption_blocks(found: Adoption, moves: Sequence[Move], new: ProviderReferences) -> str:
    """Return what the new configuration lacks, as HCL; "" if it lacks nothing."""
    declared = {pair.source.addr for pair in found.pairs if pair.source.is_moved}
    blocks = [
        moved_block(move.old, move.new)
        for move in moves
        if move.old not in declared and is_writable(move.old) and is_writable(move.new)
    ]
    parts = ["\n".join([_FOR_OTHERS + blocks[0], *blocks[1:]])] if blocks else []
    parts += _kept_blocks(found, new)
    return "\n".join(parts)


def _kept_blocks(found: Adoption, new: ProviderReferences) -> Iterator[str]:
    """Yield the provider blocks that objects need which do not move, and that the new configuration lacks."""
    undecided = [*(choice.source for choice in found.choices), *(one.source for one in found.refused)]
    needed: dict[AbsProviderInstance, list[str]] = {}
    for source in (*found.left, *undecided):
        if new.declares(source.bound) is False:
            needed.setdefault(source.bound, []).append(str(source.addr))
    open_providers = {source.bound for source in undecided}
    for provider, addresses in needed.items():
        lines = [f"#   {printable(address)}" for address in dict.fromkeys(addresses)]
        reason = _UNDECIDED if provider in open_providers else _TWO_STEPS
        yield reason + "\n".join(lines) + "\n" + _kept_block(provider, new)


def _kept_block(provider: AbsProviderInstance, new: ProviderReferences) -> str:
    config = provider.config
    if provider.key is not NO_KEY:
        return f"# the key {printable(str(provider.key))} in for_each of {printable(str(config))}\n"
    module = new.configuration.modules.get(config.module)
    name = config.provider.type if module is None else local_name_of(module.declarations, config.provider)
    alias = f"  alias = {hcl_quote(config.alias)}\n" if config.alias else ""
    block = f"provider {hcl_quote(name)} {{\n{alias}  # with the arguments that it had\n}}\n"
    if config.module.is_root:
        return printable_lines(block)
    # At the top of the file, it would be a block of the root module.
    inside = "".join(f"#   {line}\n" for line in block.splitlines())
    where = f"in {config.module}" if module is not None else f"in {config.module}, which has to stay, too"
    return printable_lines(f"# {where}:\n{inside}")


def unrolled_text(made: Unrolled) -> str:
    """Return the blocks of a configuration without `for_each` in provider blocks, each with the place of the old."""
    blocks = (f"# {block.place}: in place of this block\n{block.text}" for block in made.blocks)
    return "\n\n".join(map(printable_lines, blocks))


def adoption_json(found: Adoption, blocks: str) -> bytes:
    """Render what was found (schema: `adopt-output.schema.json`)."""
    return document(
        pairs=[_pair_json(pair) for pair in found.pairs],
        choices=[
            {
                "from": str(choice.source.addr),
                "reason": choice.reason,
                "candidates": [_pair_json(pair) for pair in choice.candidates],
            }
            for choice in found.choices
        ],
        refused=[
            {"from": str(one.source.addr), "to": str(one.target.address), "reason": one.reason} for one in found.refused
        ],
        left=[{"address": str(one.addr), "provider": str(one.bound)} for one in found.left],
        dropped=list(map(str, found.dropped)),
        new=[str(one.address) for one in found.new],
        unknown=[{"name": name, "reason": reason} for name, reason in found.unknown.items()],
        settled=found.settled,
        blocks=blocks,
    )


def _pair_json(pair: AdoptedPair) -> dict[str, object]:
    return {
        "from": str(pair.source.addr),
        "to": str(pair.target.address),
        "provider": str(pair.target.provider),
        "evidence": [{"kind": one.kind.value, "text": one.text} for one in pair.evidence],
    }
