"""Models a migration of tfmigrate, and reads its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.edit.hcl_file import invalid, read_hcl_file, refuse_problems
from statefmt.edit.tfmigrate._environment import EnvironmentNames
from statefmt.edit.tfmigrate._words import action_words
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.source import Problem, Range
from statefmt.hcl.syntax import Argument, Block, Body, Expression, TupleExpression
from statefmt.hcl.value import Value, first_unknown, to_plain
from statefmt.model.errors import SettingsError

STATE: Final = "state"
_DEFAULT_WORKSPACE: Final = "default"
# The arguments of each type of migration, besides `actions`: its directories with their workspaces, and what tfmigrate
# makes of a plan, which statetool never runs.
_FOLDERS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    STATE: (("dir", "workspace"),),
    "multi_state": (("from_dir", "from_workspace"), ("to_dir", "to_workspace")),
}
_PLANNING: Final[Mapping[str, tuple[str, ...]]] = {
    STATE: ("force", "skip_plan"),
    "multi_state": ("force", "from_skip_plan", "to_skip_plan"),
}


class MigrationFolder(NamedTuple):
    """A directory of a root module as the file names it, its workspace, and where the file has it."""

    path: str
    workspace: str
    range: Range


class MigrationAction(NamedTuple):
    """An action: the words of its line, and where the line is."""

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
