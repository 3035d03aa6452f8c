"""Converts migrations of tfmigrate to operations files.

    migration = read_migration("20201109_mv.hcl", content, environment)
    converted = operations_of(migration, folders, snapshots)

Source: tfmigrate v0.4.5 (`config/migration.go`, `tfmigrate/*_action.go`, `tfmigrate/xmv_expander.go`, README).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.diff.moved import whole_moves
from statefmt.context import RunContext
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.model import (
    FileOperation,
    ForgetBlock,
    MoveBlock,
    OperationBlock,
    OperationsFile,
    ReplaceProviderBlock,
    StateBlock,
    folder_names,
    operations_text,
)
from statefmt.edit.operations_file.read import LARGEST_OPERATIONS, invalid, read_hcl_file, refuse_problems
from statefmt.edit.transactions.operations import snapshots_in_memory
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.hcl.syntax import Access, Argument, AttributeAccess, Block, Body, Expression, Traversal, TupleExpression
from statefmt.hcl.value import Part, Value, as_unknown, first_unknown, text, to_plain
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance, hcl_quote
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError, SettingsError, StoreError, SurgeryError, Wording
from statefmt.model.snapshot import Snapshot, instances
from statefmt.store.files import read_bounded
from statefmt.store.reading import is_folder, reason_of
from statefmt.text import pattern, printable


class ConvertedMigration(NamedTuple):
    """The states of a migration by their names, with absolute paths, and its operations in order.

    `unmatched` are the actions whose wildcards match nothing.
    """

    states: Mapping[str, StateBlock]
    operations: tuple[OperationBlock, ...]
    unmatched: tuple[str, ...]

    def text(self, folder: str | None = None) -> str:
        """Return an operations file, with paths relative to `folder` if it is given."""
        states = self.states
        if folder is not None:
            start = os.path.realpath(folder)
            states = {
                name: structs.replace(state, path=Path(os.path.relpath(state.path, start)).as_posix())
                for name, state in states.items()
            }
        return operations_text(states, self.operations)


def converted_migration(context: RunContext, path: str, *, root: str | None = None) -> ConvertedMigration:
    """Convert a migration file to operations.

    `root` is the folder in which tfmigrate runs, by default the folder of the file. Directories are relative to it and
    must be below it. States are read only if an `xmv` has wildcards, and nothing is written. Raises SettingsError for
    an invalid file and for directories that are elsewhere, SurgeryError for an action without an equivalent operation,
    and StatetoolError if a state cannot be read.
    """
    try:
        content = read_bounded(path, LARGEST_OPERATIONS, pipes=True)
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    migration = read_migration(path, content, context.environment)
    base = Path(root if root is not None else Path(path).parent)
    places = [_place(one, base, chosen=root is not None) for one in migration.folders]
    if len(set(zip(places, (one.workspace for one in migration.folders), strict=True))) < len(places):
        raise SettingsError(f"{migration.folders[1].range}: both states of the migration are the same")
    states = {
        name: StateBlock(place, one.workspace)
        for name, place, one in zip(_names(places, migration), places, migration.folders, strict=True)
    }
    return ConvertedMigration(states, *operations_of(migration, states, lambda: snapshots_in_memory(context, states)))


def _place(folder: MigrationFolder, base: Path, *, chosen: bool) -> str:
    """Return the real path of a directory. Raises SettingsError if it is missing or not below the base."""
    found = "" if "\0" in folder.path else os.path.realpath(base / folder.path)
    if not Path(found).is_relative_to(os.path.realpath(base)):
        raise SettingsError(
            f"{folder.range}: {printable(folder.path)} is not below {base}, so the migration is not read"
        )
    here = Path(folder.path)
    elsewhere = not chosen and is_folder(here) and os.path.realpath(here) != found
    advice = Wording(
        "; --root DIR names the folder that tfmigrate runs in", "; `root` names the folder that tfmigrate runs in"
    )
    if not is_folder(found):
        raise SettingsError(f"{folder.range}: {base / folder.path} is not a folder", advice)
    if elsewhere:
        raise SettingsError(
            f"{folder.range}: {folder.path} is a folder both below {base} and below the current one", advice
        )
    return found


def _names(places: list[str], migration: TfmigrateFile) -> list[str]:
    """Return a name for each state: the name of its directory, or of its workspace if both share a directory."""
    if len(set(places)) < len(places):
        return folder_names([Path(place, one.workspace) for place, one in zip(places, migration.folders, strict=True)])
    return folder_names([Path(place) for place in places])


STATE: Final = "state"
_DEFAULT_WORKSPACE: Final = "default"
# The arguments of each type of migration, besides `actions`: directories with their workspaces, and arguments about
# plans, which statetool never runs.
_FOLDERS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    STATE: (("dir", "workspace"),),
    "multi_state": (("from_dir", "from_workspace"), ("to_dir", "to_workspace")),
}
_PLANNING: Final[Mapping[str, tuple[str, ...]]] = {
    STATE: ("force", "skip_plan"),
    "multi_state": ("force", "from_skip_plan", "to_skip_plan"),
}


class MigrationFolder(NamedTuple):
    """A root module directory as written in the file, its workspace, and the position in the file."""

    path: str
    workspace: str
    range: Range


class MigrationAction(NamedTuple):
    """An action: the words of its line, and the position of the line."""

    words: tuple[str, ...]
    range: Range


class TfmigrateFile(NamedTuple):
    """A migration of one state, or from the first of two states to the second."""

    name: str
    folders: tuple[MigrationFolder, ...]
    actions: tuple[MigrationAction, ...]


def read_migration(name: str, content: bytes, environment: Mapping[str, str]) -> TfmigrateFile:
    """Read a migration file, in HCL, or in JSON if its name ends in `.json`.

    Raises SettingsError with the position of the first problem.
    """

    def migration(body: Body, problems: list[Problem]) -> TfmigrateFile:
        blocks = body.blocks("migration", 2)
        refuse_problems(problems)
        return _Reader(EnvironmentNames(environment)).migration(_only(name, body, blocks))

    return read_hcl_file(name, content, migration, is_json=name.endswith(".json"))


def _only(name: str, body: Body, found: Sequence[Block]) -> Block:
    others = [other for other in (*body.names(), *body.block_types()) if other != "migration"]
    if others:
        raise SettingsError(f"{name}: {others[0]!r} is not a part of a migration file")
    if len(found) != 1:
        raise SettingsError(f"{name}: a migration file has exactly one `migration` block, and this has {len(found)}")
    return found[0]


class _Reader:
    def __init__(self, names: EnvironmentNames) -> None:
        self._names = names

    def migration(self, block: Block) -> TfmigrateFile:
        type_, name = block.labels
        if type_ not in _FOLDERS:
            raise invalid(block.range, f"unknown type of migration {type_!r}; types are {' and '.join(_FOLDERS)}")
        known = {"actions", *_PLANNING[type_], *(one for pair in _FOLDERS[type_] for one in pair)}
        for argument in block.body.names():
            if argument not in known:
                found = block.body.attribute(argument)
                raise invalid(found.range if found else block.range, f"there is no argument {argument!r}")
        for other in block.body.block_types():
            raise invalid(block.range, f"unexpected block {other!r}")
        folders = tuple(self._folder(block, path, workspace) for path, workspace in _FOLDERS[type_])
        return TfmigrateFile(name, folders, tuple(self._actions(block)))

    def _folder(self, block: Block, path: str, workspace: str) -> MigrationFolder:
        given, named = block.body.attribute(path), block.body.attribute(workspace)
        if given is None and path != "dir":
            raise invalid(block.range, f"the argument {path} is missing")
        folder = "." if given is None else self._text(given.expression)
        space = "" if named is None else self._text(named.expression)
        return MigrationFolder(folder, space or _DEFAULT_WORKSPACE, given.range if given else block.range)

    def _actions(self, block: Block) -> Iterator[MigrationAction]:
        given = block.body.attribute("actions")
        if given is None:
            raise invalid(block.range, "the argument actions is missing")
        lines = list(self._lines(given))
        if not lines:
            raise invalid(given.range, "there are no actions")
        for line, place in lines:
            try:
                yield MigrationAction(action_words(line), place)
            except ValueError as error:
                raise invalid(place, f"{line!r}: {error}") from None

    def _lines(self, given: Argument) -> Iterator[tuple[str, Range]]:
        if isinstance(given.expression, TupleExpression):
            for item in given.expression.items:
                yield self._text(item), item.range
            return
        value = self._value(given.expression)
        if not isinstance(value, tuple) or not all(isinstance(item, str) for item in value):
            raise invalid(given.range, "actions is a list of strings")
        yield from ((str(item), given.range) for item in value)

    def _text(self, expression: Expression) -> str:
        value = self._value(expression)
        if not isinstance(value, str):
            raise invalid(expression.range, "expected a string")
        return value

    def _value(self, expression: Expression) -> object:
        found = evaluate(expression, self._names)
        unknown = first_unknown((found,))
        if unknown is not None or not isinstance(found, Value):
            problem = None if unknown is None else unknown.problem
            detail = f": {problem.detail}" if problem is not None else ""
            raise invalid(expression.range, f"only strings, and the environment as env.NAME, can be used here{detail}")
        return to_plain(found)


# Other variables may be secrets, which a repository must not put into the location of a state.
_PREFIX: Final = "TFMIGRATE_"
_OTHERS: Final = ("TF_WORKSPACE",)


class EnvironmentNames:
    """A scope with `env` only, and without functions."""

    directory: Path | None = None
    files_within = None

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read the variables of `environment`."""
        self._environment = environment

    @property
    def is_confined(self) -> bool:
        return True

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of a variable. Variables without the prefix of tfmigrate are unknown."""
        first, *rest = reference.steps or (None,)
        if reference.root != "env" or not isinstance(first, AttributeAccess):
            return _refused(reference, "There are no other names")
        if not (first.name.startswith(_PREFIX) or first.name in _OTHERS):
            detail = f"Only variables whose names start with {_PREFIX} are read; write the value of {first.name}"
            return _refused(reference, detail)
        value = self._environment.get(first.name)
        if value is None:
            return _refused(reference, f"The environment has no {first.name}")
        return text(value), tuple(rest)


def _refused(reference: Traversal, detail: str) -> tuple[Part, tuple[Access, ...]]:
    return as_unknown(error(ProblemKind.EVALUATION, "Invalid reference", detail, reference.range)), ()


# Splits the line of an action into words like a shell, without variables and substitutions. Source:
# mattn/go-shellwords, which tfmigrate uses.

# Characters that end a line for a shell, or start a substitution; addresses contain none outside quotes.
_SPECIAL: Final = frozenset(";&|<>()`")
_ESCAPED: Final = {"n": "\n", "t": "\t"}


def action_words(line: str) -> tuple[str, ...]:
    """Return the words of a line. Raises ValueError if a quote is open, or for a special character of the shell."""
    words: list[str] = []
    word: list[str] | None = None
    quote, escaped = "", False
    for char in line:
        if escaped:
            word, escaped = [*(word or ()), _ESCAPED.get(char, char)], False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            if char == quote:
                quote = ""
            elif word is not None:
                word.append(char)
        elif char in "'\"":
            quote, word = char, word or []
        elif char in " \t\r\n":
            if word is not None:
                words.append("".join(word))
            word = None
        elif char in _SPECIAL:
            raise ValueError(f"{char} has a meaning to shells; put the address in single quotes")
        else:
            word = [] if word is None else word
            word.append(char)
    if quote or escaped:
        raise ValueError("a quote is not closed" if quote else "the line ends in a backslash")
    return tuple(words if word is None else [*words, "".join(word)])


def operations_of(
    migration: TfmigrateFile, states: Mapping[str, StateBlock], snapshots: Callable[[], Mapping[str, Snapshot]]
) -> tuple[tuple[OperationBlock, ...], tuple[str, ...]]:
    """Return the operations for the actions, and the actions whose wildcards match nothing.

    `states` are the state of the migration, or the source and the target. `snapshots` reads the states, by name. It is
    called if an `xmv` has wildcards: they match the states at that point. Raises SurgeryError, with the position, for
    an action without an equivalent operation.
    """
    running = _Running(migration, states, snapshots)
    for action in migration.actions:
        try:
            running.add(action)
        except SurgeryError as error:
            raise SurgeryError(f"{action.range}: ", *error.parts, address=error.address) from error
    return tuple(one.block for one in running.operations), tuple(running.unmatched)


class _Running:
    """The operations so far, and the resulting states once an action needs them."""

    def __init__(
        self, migration: TfmigrateFile, states: Mapping[str, StateBlock], read: Callable[[], Mapping[str, Snapshot]]
    ) -> None:
        self.operations: list[FileOperation] = []
        self.unmatched: list[str] = []
        self._states = states
        self._source, *others = states
        self._target = others[0] if others else self._source
        self._type = STATE if len(migration.folders) == 1 else "multi_state"
        self._read = read
        self._now: dict[str, Snapshot] | None = None
        self._done = 0

    def add(self, action: MigrationAction) -> None:
        """Add the operations of an action. Raises SurgeryError."""
        blocks = list(self._blocks(action))
        self.operations += [FileOperation(block, action.range) for block in blocks]

    def _blocks(self, action: MigrationAction) -> Iterator[OperationBlock]:
        match action.words:
            case ("mv", source, target):
                yield self._move(source, target)
            case ("xmv", source, target) if WILDCARD in source:
                yield from self._with_wildcards(action, source, target)
            case ("xmv", source, target):
                yield self._move(source, target)
            case ("rm", *addresses) if addresses and self._type == STATE:
                yield ForgetBlock(tuple(self._address(self._source, one) for one in addresses))
            case ("replace-provider", old, new) if self._type == STATE:
                # The migration names the provider, so it is no mistake.
                yield ReplaceProviderBlock(old, new, new_provider=True)
            case ("import", address, name) if self._type == STATE:
                raise SurgeryError(
                    "only the provider can import; leave the action out, and write an import block into the "
                    f"configuration, with to = {address} and id = {hcl_quote(name)}"
                )
            case ("mv" | "xmv" | "rm" | "replace-provider" | "import", *_) if self._type == STATE:
                raise SurgeryError(f"{action.words[0]} has another number of arguments")
            case ("mv" | "xmv", *_):
                raise SurgeryError(f"{action.words[0]} takes two addresses")
            case _:
                kinds = "mv, xmv, rm and replace-provider" if self._type == STATE else "mv and xmv"
                raise SurgeryError(f"unknown action {' '.join(action.words[:1])!r}; {self._type} has {kinds}")

    def _move(self, source: str, target: str) -> MoveBlock:
        return MoveBlock(self._address(self._source, source), self._address(self._target, target))

    def _address(self, state: str, text: str) -> str:
        return f"state.{state}.{_parsed(text)}"

    def _with_wildcards(self, action: MigrationAction, source: str, target: str) -> Iterator[MoveBlock]:
        now = self._current()
        there = instances(now[self._source])
        pairs: dict[str, str] = {}
        for one in there:
            found = matched(source, str(one.addr))
            if found is None or not found.text:
                continue
            if found.start:
                raise SurgeryError(f"{source} also matches {found.text} inside {one.addr}; write the whole address")
            pairs[found.text] = filled(target, found)
        if not pairs:
            self.unmatched.append(" ".join(action.words))
        for old, new in self._joined(now, pairs).items():
            yield self._move(old, new)

    def _joined(self, now: Mapping[str, Snapshot], pairs: Mapping[str, str]) -> Mapping[str, str]:
        """Return moves of whole modules and resources, if the pairs move all their instances."""
        there = {one.addr for one in instances(now[self._source])}
        moved = [(old, new) for old, new in _instance_pairs(pairs) if old in there]
        if len(moved) < len(pairs):
            return pairs
        before = Counter(addr.containing_resource() for addr in there)
        after = Counter(one.addr.containing_resource() for one in instances(now[self._target]))
        if self._source == self._target:
            after.subtract(old.containing_resource() for old, _ in moved)
        after.update(new.containing_resource() for _, new in moved)
        return {str(move.old): str(move.new) for move in whole_moves(before, after, moved)}

    def _current(self) -> Mapping[str, Snapshot]:
        """Return the states after the operations so far."""
        if self._now is None:
            self._now = dict(self._read())
        made = run(OperationsFile(self._states, tuple(self.operations[self._done :])), self._now)
        self._now |= {name: edit.snapshot for name, edit in made.edits.items()}
        self._done = len(self.operations)
        return self._now


def _instance_pairs(pairs: Mapping[str, str]) -> Iterator[tuple[AbsResourceInstance, AbsResourceInstance]]:
    for old, new in ((_parsed(old), _parsed(new)) for old, new in pairs.items()):
        if isinstance(old, AbsResourceInstance) and isinstance(new, AbsResourceInstance):
            yield old, new


def _parsed(text: str) -> AbsResourceInstance | ModuleInstance:
    """Parse an address. Raises SurgeryError for any other string, such as a pattern."""
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        try:
            return parse_module_instance(text)
        except AddressError:
            pattern = "; only xmv takes wildcards" if WILDCARD in text else ""
            raise SurgeryError(f"invalid address {text!r}: {error}{pattern}", address=text) from error


# Matches the wildcards of tfmigrate's `xmv`: each `*` matches any characters, greedily, across modules and keys.
# Source: tfmigrate `tfmigrate/xmv_expander.go`, Go `regexp` (Expand).

WILDCARD: Final = "*"
_PLACE: Final = pattern(r"\$(?:(\$)|(\w+)|\{(\w+)\})")


class WildcardMatch(NamedTuple):
    """The part of an address that a pattern matches, its start, and the matches of its wildcards."""

    text: str
    start: int
    values: tuple[str, ...]


def matched(source: str, address: str) -> WildcardMatch | None:
    """Match a pattern in an address, like an unanchored regular expression.

    The match starts as far left as possible, and wildcards are greedy.
    """
    first, *rest = source.split(WILDCARD)
    start = address.find(first)
    if start < 0:
        return None
    limit, ends, starts = len(address), list[int](), list[int]()
    for part in reversed(rest):
        place = address.rfind(part, start + len(first), limit)
        if place < 0:
            return None
        starts.insert(0, place)
        ends.insert(0, place + len(part))
        limit = place
    begins = [start + len(first), *ends]
    values = tuple(address[one:other] for one, other in zip(begins, starts, strict=False))
    end = ends[-1] if ends else begins[0]
    return WildcardMatch(address[start:end], start, values)


def filled(target: str, found: WildcardMatch) -> str:
    """Replace `$1`, `${1}`… in a destination. Raises SurgeryError for an unknown wildcard."""

    def value(place: re.Match[str]) -> str:
        dollar, plain, braced = place.groups()
        name = plain or braced
        if dollar:
            return "$"
        values: Sequence[str] = (found.text, *found.values)
        if not (name.isdecimal() and int(name) < len(values)):
            raise SurgeryError(
                f"{target}: ${name} is not a wildcard of the source, and tfmigrate makes it empty; write "
                "$${{1}} before letters and digits"
            )
        return values[int(name)]

    return str(_PLACE.sub(value, target))
