"""Reads the encryption block of a module, merged with those of override files.

Source: OpenTofu `internal/configs/module.go`.
"""

from __future__ import annotations

from pathlib import Path

from statefmt.configuration.model import EncryptionBlock
from statefmt.encryption import EncryptionConfiguration, Origin, configuration_of, merged
from statefmt.encryption.sources._blocks import BlockReader
from statefmt.encryption.sources._readable import unreadable
from statefmt.encryption.sources._surroundings import SourceSurroundings
from statefmt.encryption.sources._text import check_text
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.body import Body
from statefmt.hcl.syntax.json.body import read_json_file
from statefmt.hcl.syntax.native.files import read_file
from statefmt.model.errors import ConfigurationError


def module_configuration(surroundings: SourceSurroundings) -> EncryptionConfiguration | None:
    """Read the configuration of the module; None if it has none. Raises ConfigurationError."""
    assert surroundings.module is not None
    found: EncryptionConfiguration | None = None
    taken: dict[str, EncryptionBlock] = {}
    for block in surroundings.declarations.encryption:
        # Each override file may have one block, all other files together one.
        other = taken.setdefault(block.source.file if block.override else "", block)
        if other is not block:
            raise ConfigurationError(
                "encryption: a module may have only one such block, and one in each override file; found two, "
                f"at {surroundings.place(other.range)} and at {surroundings.place(block.range)}"
            )
        over = _read(block, surroundings, surroundings.module)
        found = over if found is None else merged(found, over)
    return found


def _read(block: EncryptionBlock, surroundings: SourceSurroundings, origin: Origin) -> EncryptionConfiguration:
    where = surroundings.place(block.range)
    check_text(block.source, where.rpartition(":")[0])
    problems: list[Problem] = []
    try:
        body = _body(block, problems)
        before = len(problems)
        blocks = list(BlockReader(origin, where, surroundings, json=block.json).inside(body))
    except RecursionError:
        raise ConfigurationError(f"{where}: the encryption block is nested too deeply") from None
    if len(problems) > before:
        raise unreadable(problems[before], surroundings.declarations, Path(surroundings.root))
    return configuration_of(blocks)


def _body(block: EncryptionBlock, problems: list[Problem]) -> Body:
    """Parse the contents of the block again, adding its problems to `problems`."""
    body: Body = read_json_file(block.source, problems) if block.json else read_file(block.source, problems)
    found = (each for terraform in body.blocks("terraform") for each in terraform.body.blocks("encryption"))
    return next(each.body for each in found if each.range == block.range)
