"""Reads the blocks inside an encryption block, in native or JSON syntax."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from statefmt.encryption import ArgumentBlock, ArgumentValue, Origin
from statefmt.encryption.sources._arguments import METHOD, argument_value, is_constant, method_value
from statefmt.encryption.sources._surroundings import SourceSurroundings
from statefmt.hcl.syntax.body import Argument, Block as WrittenBlock, Body
from statefmt.model.errors import ConfigurationError

# The number of labels of each block type, by the type of the parent: JSON needs it to tell blocks from objects.
_TOP: Final = {"key_provider": 2, "method": 2, "state": 0, "plan": 0, "remote_state_data_sources": 0}
_TARGET: Final = {"fallback": 0}
_INSIDE: Final[Mapping[str, Mapping[str, int]]] = {
    "state": _TARGET,
    "plan": _TARGET,
    "fallback": _TARGET,
    "default": _TARGET,
    "remote_state_data_source": _TARGET,
    "remote_state_data_sources": {"default": 0, "remote_state_data_source": 1},
}
_NOT_HERE: Final = "unknown block; expected the contents of an encryption block"


class BlockReader:
    """Reads the blocks of one encryption configuration at the position `where`."""

    def __init__(self, origin: Origin, where: str, surroundings: SourceSurroundings, *, json: bool) -> None:
        self._origin = origin
        self._where = where
        self._surroundings = surroundings
        self._json = json

    def inside(self, body: Body) -> Iterator[ArgumentBlock]:
        """Yield the blocks of a body. Raises ConfigurationError if it contains anything else."""
        for name in (*body.names(), *body.block_types()):
            if name in _TOP and (self._json or name in body.block_types()):
                continue
            argument = body.attribute(name)
            where = self._where if argument is None else self._surroundings.place(argument.range)
            raise ConfigurationError(f"{name}: {_NOT_HERE} ({where})")
        for type_, labels in _TOP.items():
            for block in body.blocks(type_, labels):
                yield self._block(block)

    def _block(self, block: WrittenBlock) -> ArgumentBlock:
        body = block.body
        known = _INSIDE.get(block.type, {})
        values: dict[str, ArgumentValue] = {}
        places: dict[str, str] = {}
        origins: dict[str, Origin] = {}
        for name in body.names():
            argument = None if self._json and name in known else body.attribute(name)
            if argument is None:
                continue
            places[name] = self._surroundings.place(argument.range)
            origins[name] = self._origin_of(argument)
            if name == METHOD and block.type in _INSIDE:
                values[name] = method_value(argument, json=self._json)
            else:
                values[name] = argument_value(argument, self._surroundings, json=self._json)
        inner = [self._block(each) for type_, labels in known.items() for each in body.blocks(type_, labels)]
        # Only cloud key providers have nested blocks, and those are refused, so the type is enough.
        inner += [ArgumentBlock(type_) for type_ in body.block_types() if type_ not in known]
        place = self._surroundings.place(block.range)
        return ArgumentBlock(block.type, block.labels, values, tuple(inner), place, places, origins)

    def _origin_of(self, argument: Argument) -> Origin:
        """Return the configuration that determines a value: the module if the expression uses its names or files."""
        module = self._surroundings.module
        return self._origin if module is None or is_constant(argument) else module
