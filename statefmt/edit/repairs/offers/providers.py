"""Offers choices for resources without one readable provider configuration (PRV001 to PRV006)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.document import RESOURCES, LooseDocument
from statefmt.edit.repairs.offers.parts import fixed
from statefmt.formats.writing.changes import Path
from statefmt.golang import encode_string
from statefmt.model.addrs import NO_KEY, AbsProviderInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.provider_text import Unreadable, read_config, read_instance

_PROVIDER: Final = "provider"
_KNOWN: Final = frozenset({"module", "mode", "type", "name", "each", "provider", "instances"})


def conflict(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Bind all objects of the resource to one configuration; those that have it keep their keys."""
    blocks = document.blocks(document.resource_address(path[:2]))
    found = {str(bound) for _, bound in _bound(document, blocks) if bound is not None}
    for text in sorted(found):
        yield _to(document, blocks, text)
    yield _named(lambda given: _changes(document, blocks, given))


def spread_keys(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Bind the current and the deposed objects of one instance to one provider instance."""
    blocks = document.blocks(document.resource_address(path[:2]))
    key = document.key(path[:4])
    objects = [(one, bound) for one, bound in _bound(document, blocks) if document.key(one) == key]
    for text in sorted({str(bound) for _, bound in objects if bound is not None}):
        changes = {(*one, _PROVIDER): encode_string(text) for one, _ in objects}
        yield fixed(_choice_name(text), "bind all objects of the instance to it", changes)
    yield _named(lambda given: {(*one, _PROVIDER): _instance(given) for one, _ in objects})


def missing(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Name the provider, or take that of the other objects or resources of the type, first in the same module."""
    block = path[:2]
    blocks = document.blocks(document.resource_address(block))
    own = {str(bound.config) for _, bound in _bound(document, blocks) if bound is not None}
    for text in sorted(own or _alike(document, block)):
        yield fixed(
            _choice_name(text),
            "as other objects of the resource" if own else "as other resources of the type",
            _for_missing(document, path, text),
        )
    yield _named(lambda given: _for_missing(document, path, given))


def invalid(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Name the provider instead of the unreadable address, or take that of others."""
    block = path[:2]
    is_instance = len(path) > 3  # /resources/0/instances/0/provider
    others = {
        str(bound)
        for one, bound in _bound(document, document.blocks(document.resource_address(block)))
        if bound is not None and one != path[:4]
    }
    for text in sorted(others or _alike(document, block)):
        named = text if is_instance else _config_text(text)
        yield fixed(_choice_name(named), "as others of the type", {path: encode_string(named)})
    keyed = read_instance(document.string(path))
    if not is_instance and not isinstance(keyed, Unreadable):
        yield fixed("instances", "write it to each instance", _down(document, block, str(keyed)))
    yield _named(lambda given: {path: _instance(given) if is_instance else _configuration(given)})


def both_levels(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Name the provider at one level only; the objects keep the provider that counts, if it is at the instances."""
    block = path[:2]
    inherited = document.string((*block, _PROVIDER))
    yield fixed("instances", "keep the addresses of the instances", _down(document, block, inherited))
    own = {
        (*one, _PROVIDER): None for one in document.parts((*block, "instances")) if document.string((*one, _PROVIDER))
    }
    yield fixed("resource", f"keep the address of the resource, {inherited}, without keys", own)


def merge(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Join the blocks of a resource into its first one."""
    blocks = document.blocks(document.resource_address(path[:2]))
    first, *others = blocks
    if document.raw((*first, "instances")) is None:
        return
    same = {document.string((*block, _PROVIDER)) for block in blocks}
    extra = [block for block in others if any(name not in _KNOWN for name in document.names(block))]
    if len(same) == 1 and not extra:
        yield Choice(
            "merge", "move the objects of later blocks to the first", lambda _: _merged(document, first, others)
        )


def _merged(document: LooseDocument, first: Path, others: Sequence[Path]) -> dict[Path, bytes | None]:
    changes: dict[Path, bytes | None] = {}
    for block in others:
        for one in document.parts((*block, "instances")):
            changes[*first, "instances", f"-{block[-1]}-{one[-1]}"] = document.raw(one)
        changes[block] = None
    return changes


def _down(document: LooseDocument, block: Path, inherited: str) -> dict[Path, bytes | None]:
    """Move the provider of a resource to its objects without one."""
    changes: dict[Path, bytes | None] = {(*block, _PROVIDER): None}
    for one in document.parts((*block, "instances")):
        if not document.string((*one, _PROVIDER)):
            changes[*one, _PROVIDER] = encode_string(inherited)
    return changes


def _for_missing(document: LooseDocument, path: Path, text: str) -> dict[Path, bytes | None]:
    """Name the provider at the level at which the block names others."""
    block = path[:2]
    bound = read_instance(text)
    keyed = not isinstance(bound, Unreadable) and bound.key != NO_KEY
    some = any(document.string((*one, _PROVIDER)) for one in document.parts((*block, "instances")))
    if some or keyed:
        return {(*path[:4], _PROVIDER): _instance(text)}
    return {(*block, _PROVIDER): _configuration(text)}


def _to(document: LooseDocument, blocks: Sequence[Path], text: str) -> Choice:
    return Choice(
        _choice_name(text), "bind the objects of other configurations to it", lambda _: _changes(document, blocks, text)
    )


def _changes(document: LooseDocument, blocks: Sequence[Path], given: str) -> dict[Path, bytes | None]:
    """Bind every object to the configuration of an address; objects of others to the address itself."""
    target = read_instance(given)
    if isinstance(target, Unreadable):
        raise SurgeryError(target.findings[0].detail)
    after = {
        one: bound if bound is not None and bound.config == target.config else target
        for one, bound in _bound(document, blocks)
    }
    changes: dict[Path, bytes | None] = {}
    keyless = all(bound.key == NO_KEY for bound in after.values())
    for block in blocks:
        level = document.string((*block, _PROVIDER))
        if level and not keyless:
            changes[*block, _PROVIDER] = None
        elif level and level != str(target.config):
            changes[*block, _PROVIDER] = encode_string(str(target.config))
    for one, bound in after.items():
        level = document.string((*one[:2], _PROVIDER))
        own = document.string((*one, _PROVIDER))
        if level and keyless:
            if own:
                changes[*one, _PROVIDER] = None
        elif own != str(bound):
            changes[*one, _PROVIDER] = encode_string(str(bound))
    return changes


def _bound(document: LooseDocument, blocks: Sequence[Path]) -> list[tuple[Path, AbsProviderInstance | None]]:
    """Return the objects of blocks with the provider instance in force; None if it is missing or unreadable."""
    found: list[tuple[Path, AbsProviderInstance | None]] = []
    for block in blocks:
        config = read_config(document.string((*block, _PROVIDER)))
        inherited = None if isinstance(config, Unreadable) else AbsProviderInstance(config, NO_KEY)
        for one in document.parts((*block, "instances")):
            own = document.string((*one, _PROVIDER))
            bound = read_instance(own) if own else inherited
            found.append((one, None if isinstance(bound, Unreadable) else bound))
    return found


def _alike(document: LooseDocument, block: Path) -> set[str]:
    """Return the configurations of other resources of the type: in the module, else in the state."""
    kind, module = document.string((*block, "type")), document.string((*block, "module"))
    near: set[str] = set()
    far: set[str] = set()
    for other in document.parts((RESOURCES,)):
        if other != block and document.string((*other, "type")) == kind:
            configs = {str(bound.config) for _, bound in _bound(document, [other]) if bound is not None}
            far |= configs
            if document.string((*other, "module")) == module:
                near |= configs
    return near or far


def _named(changes: Callable[[str], dict[Path, bytes | None]]) -> Choice:
    return Choice(_PROVIDER, "this provider, as in a state", changes, "ADDRESS")


def _choice_name(text: str) -> str:
    return f"{_PROVIDER}={text}"


def _config_text(text: str) -> str:
    bound = read_instance(text)
    return text if isinstance(bound, Unreadable) else str(bound.config)


def _instance(text: str) -> bytes:
    bound = read_instance(text)
    if isinstance(bound, Unreadable):
        raise SurgeryError(bound.findings[0].detail)
    return encode_string(text)


def _configuration(text: str) -> bytes:
    config = read_config(text)
    if isinstance(config, Unreadable):
        raise SurgeryError(config.findings[0].detail)
    return encode_string(text)
