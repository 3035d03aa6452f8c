"""Reads encryption configurations in HCL or JSON, from a file, the environment or a module.

    surroundings = read_surroundings(directory, environment, options)   # the values of variables, the module if any
    module_configuration(surroundings)                    # the encryption block of the module
    text_configuration(Origin.of_environment("TF_ENCRYPTION"), text, surroundings)

    layered_configuration(GivenText.of_file(path), None, (), environment)   # all that a run has, merged

All return an `EncryptionConfiguration` or raise ConfigurationError, with a position but without the text at it: that
may be a passphrase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.configuration import Declarations
from statefmt.configuration.model import EncryptionBlock
from statefmt.encryption import ArgumentBlock, EncryptionConfiguration, Origin, OriginKind, configuration_of, merged
from statefmt.encryption.sources._blocks import BlockReader, SourceSurroundings, read_surroundings, unreadable
from statefmt.hcl.source import Problem, SourceText
from statefmt.hcl.syntax import Body
from statefmt.hcl.syntax.json import LARGEST_FILE, read_json_file
from statefmt.hcl.syntax.native import read_file
from statefmt.model.errors import ConfigurationError
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from statefmt.configuration import VariableOption


# OpenTofu's variable for an encryption configuration.
_ENVIRONMENT: Final = "TF_ENCRYPTION"


class GivenText(NamedTuple):
    """A configuration that the user names: its origin, and a function that reads it."""

    origin: Origin
    content: Callable[[], bytes]

    @classmethod
    def of_file(cls, path: str) -> GivenText:
        """Return the configuration in a file. Reading it raises ConfigurationError."""

        def content() -> bytes:
            try:
                return read_bounded(path, LARGEST_FILE, pipes=True)
            except OSError as error:
                raise ConfigurationError(f"{path}: {reason_of(error)}") from error

        return cls(Origin.of_file(path), content)


def layered_configuration(
    given: GivenText | None,
    directory: str | None,
    options: tuple[VariableOption, ...],
    environment: Mapping[str, str],
    *,
    allow_external: bool = False,
) -> EncryptionConfiguration | None:
    """Merge the given configuration, TF_ENCRYPTION and that of the module in `directory`, in this order of precedence.

    `options` set variables of the module. Programs that the module names run only with `allow_external`. Returns None
    if nothing is configured. Raises ConfigurationError, with the place.
    """
    text = environment.get(_ENVIRONMENT, "").strip()
    if given is None and directory is None and not text:
        return None
    module = None if directory is None else Path(directory)
    surroundings = read_surroundings(module, environment, options, allow_external=allow_external)
    found = [] if module is None else [module_configuration(surroundings)]
    if text:
        content = text.encode("utf-8", "surrogateescape")
        found.append(text_configuration(Origin.of_environment(_ENVIRONMENT), content, surroundings))
    if given is not None:
        found.append(text_configuration(given.origin, given.content(), surroundings))
    layers = [one for one in found if one is not None]
    if not layers:
        raise ConfigurationError(f"{directory}: the module has no encryption block in a terraform block")
    over = layers[0]
    for one in layers[1:]:
        over = merged(over, one)
    return over


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
