"""Reads the contents of an encryption block from a file or from TF_ENCRYPTION.

Source: OpenTofu `internal/encryption/config/config_load.go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from statefmt.configuration import Declarations
from statefmt.encryption import ArgumentBlock, EncryptionConfiguration, Origin, OriginKind, configuration_of
from statefmt.encryption.sources._blocks import BlockReader
from statefmt.encryption.sources._readable import unreadable
from statefmt.encryption.sources._surroundings import SourceSurroundings
from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.body import Body
from statefmt.hcl.syntax.json.body import read_json_file
from statefmt.hcl.syntax.native.files import read_file
from statefmt.model.errors import ConfigurationError

_UTF8_MARK: Final = b"\xef\xbb\xbf"
# In files of a module the block is nested in a terraform block.
_MODULE_FILES: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")


def text_configuration(origin: Origin, text: bytes, surroundings: SourceSurroundings) -> EncryptionConfiguration:
    """Read a configuration; like OpenTofu, treat it as JSON if it begins with a brace.

    In a file with the extension of a module file, reads the encryption block in its terraform block. Raises
    ConfigurationError.
    """
    place = origin.name
    source = SourceText(place, text.removeprefix(_UTF8_MARK))
    check_text(source, place)
    json = source.content.lstrip().startswith(b"{")
    problems: list[Problem] = []
    try:
        body: Body = read_json_file(source, problems) if json else read_file(source, problems)
        _check(problems)
        blocks: list[ArgumentBlock] = []
        for each in _bodies(origin, body):
            blocks += BlockReader(origin, place, surroundings, json=json).inside(each)
    except RecursionError:
        raise ConfigurationError(f"{place}: the encryption configuration is nested too deeply") from None
    _check(problems)
    return configuration_of(blocks)


def check_text(source: SourceText, place: str) -> None:
    """Raise ConfigurationError if a text is not UTF-8: replaced characters could change a passphrase."""
    try:
        source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = source.place(error.start)
        raise ConfigurationError(f"{place}:{line},{column}: this is not UTF-8") from None


def _check(problems: list[Problem]) -> None:
    if problems:
        raise unreadable(problems[0], Declarations("."), Path())


def _bodies(origin: Origin, body: Body) -> Iterator[Body]:
    if origin.kind is not OriginKind.FILE or not origin.name.endswith(_MODULE_FILES):
        yield body
        return
    found = [block for terraform in body.blocks("terraform") for block in terraform.body.blocks("encryption")]
    if len(found) != 1:
        raise ConfigurationError(
            f"{origin.name}: a module file must contain one terraform block with an encryption block, but this one "
            f"{'has several' if found else 'has none'}"
        )
    yield found[0].body
