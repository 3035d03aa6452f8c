"""Reads the `backend` or `cloud` block of a root module, from as few of its files as possible.

Sources: OpenTofu `internal/configs/backend.go`, `cloud.go`, `module.go` (NewModule, mergeFile).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from statefmt.configuration._load import LoadOptions, load
from statefmt.configuration._scope import root_scope
from statefmt.configuration.directory import list_files, read_body, read_source
from statefmt.hcl.evaluate import evaluate, evaluate_literal
from statefmt.hcl.operations import convert
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText
from statefmt.hcl.syntax import Block, Body, Expression
from statefmt.hcl.syntax.native import read_expression
from statefmt.hcl.value import Part, Unknown, UnknownKind, Value, first_unknown, is_sensitive_within
from statefmt.model.cty import STRING
from statefmt.model.cty.number import Number
from statefmt.model.errors import StoreError, Wording
from statefmt.store.backends.description import HIDDEN, SettingValue
from statefmt.store.backends.options import HARMLESS, may_name_place
from statefmt.store.backends.settings import OPTION_PLACE, GivenSetting, SettingSource

# The variables of the environment that set input variables.
_VARIABLE: Final = "TF_VAR_"
# Unknown blocks with this many labels or more are not located.
_MOST_LABELS: Final = 4
_UNREAD: Final = (ProblemKind.SYNTAX, ProblemKind.UNREADABLE)
_UNSEEN: Final = "the state may be in a backend that it names; correct it, or name the state with --state"


class BackendBlock(msgspec.Struct, frozen=True):
    """A `backend "TYPE"` block, or a `cloud` block with the type `cloud`; `place` is its file and line.

    If `is_backend` is False, the block is another one that may locate the state, and `type` is its name in messages.
    """

    type: str
    settings: tuple[GivenSetting, ...]
    place: str
    is_backend: bool = True


def read_backend_block(
    directory: Path,
    environment: Mapping[str, str],
    workspace: str | None = None,
    replaced: Container[str] = (),
    allowed: Container[str] = (),
) -> BackendBlock | None:
    """Return the block of the root module in a directory, None if it has none.

    The directory may be untrusted, and its block names a host. So values are evaluated from the text of the
    configuration alone: functions that read files have no value, and neither have environment variables that are not
    `allowed` by name (`TF_VAR_region`). Omits arguments that are `replaced`. Raises StoreError if a value is unknown,
    if there are two blocks, or if a file that may contain a block cannot be read.
    """
    try:
        listing = list_files([path.name for path in directory.iterdir() if not path.is_dir()])
    except OSError:
        return None
    problems: list[Problem] = []
    own = _blocks(directory, listing.primary, problems)
    if len(own) > 1:
        places = " and ".join(str(_place(directory, block.range)) for block in own[:2])
        raise StoreError(
            f"a configuration can have only one backend, cloud or state_store block; found two, at {places}"
        )
    # An override replaces the block, even one of the other type.
    found = [*own, *_blocks(directory, listing.overrides, problems)]
    if not found:
        for other, range_ in _others(directory, (*listing.primary, *listing.overrides)):
            return BackendBlock(f'the block "{other}"', (), _place(directory, range_), is_backend=False)
        for problem in problems:
            if problem.kind in _UNREAD:
                where = directory if problem.range is None else _place(directory, problem.range)
                raise StoreError(f"{where}: this file cannot be read in full, and {_UNSEEN}")
        return None
    block = found[-1]
    if block.type == "state_store":
        return BackendBlock(f'state_store "{block.labels[0]}"', (), _place(directory, block.range), is_backend=False)

    def settings_with(variables: Mapping[str, str]) -> tuple[GivenSetting, ...]:
        def value_of(expression: Expression) -> Part:
            part = evaluate_literal(expression)
            if first_unknown((part,)) is None:
                return part
            options = LoadOptions(environment=variables, workspace=workspace, children=False, is_confined=True)
            return evaluate(expression, root_scope(load(directory, options), is_confined=True))

        return tuple(body_settings(block.body, SettingSource.BLOCK, directory, value_of, replaced))

    kind = "cloud" if block.type == "cloud" else block.labels[0]
    usable = {name: value for name, value in environment.items() if not name.startswith(_VARIABLE) or name in allowed}
    settings = settings_with(usable)
    if secrets := _secrets(usable, settings):
        settings = _with_shown(settings, lambda: settings_with(usable | dict.fromkeys(secrets, HIDDEN)))
    return BackendBlock(kind, settings, _place(directory, block.range))


def _secrets(variables: Mapping[str, str], settings: Iterable[GivenSetting]) -> list[str]:
    """Return the environment variables that a block may use, and whose values must not be shown.

    Any of them may set a sensitive variable of the configuration.
    """
    mine = [name for name in variables if name.startswith(_VARIABLE)]
    if any(setting.sensitive for setting in settings):
        return mine
    # Imported late: it compiles many patterns, and few blocks use a variable.
    from statefmt.redaction.secrets.search import may_be_secret

    return [name for name in mine if may_be_secret(name.removeprefix(_VARIABLE), variables[name])]


def _with_shown(
    settings: tuple[GivenSetting, ...], without_secrets: Callable[[], tuple[GivenSetting, ...]]
) -> tuple[GivenSetting, ...]:
    """Return settings with displayable values: evaluated with other values for the secret variables.

    So the displayed value contains no secret, whatever the block derives from it.
    """
    try:
        others = {setting.name: setting.value for setting in without_secrets()}
    except StoreError:
        others = {}
    return tuple(
        setting
        if others.get(setting.name, HIDDEN) == setting.value
        else msgspec.structs.replace(setting, shown=others.get(setting.name, HIDDEN))
        for setting in settings
    )


def read_settings_file(path: str) -> tuple[GivenSetting, ...]:
    """Read the settings in a `--backend-config` file, which has only literal values. Raises StoreError."""
    problems: list[Problem] = []
    source = read_source(Path(path), path, problems, pipes=True)
    settings: tuple[GivenSetting, ...] = ()
    if source is not None:
        settings = tuple(body_settings(read_body(source, problems), SettingSource.OPTION, Path(), evaluate_literal))
    for problem in problems:
        if problem.kind in _UNREAD:
            # The detail may quote a secret.
            why = problem.detail if source is None else f"{problem.range}: {problem.summary}"
            raise StoreError(f"{OPTION_PLACE}: {why}")
    return settings


def literal_value(text: str, place: str) -> SettingValue:
    """Return the value of an expression without names. Raises StoreError, without the text."""
    content = text.encode("utf-8", "surrogateescape")
    expression, problems = read_expression(SourceText(place, content), 0, len(content), text, exact=True)
    if problems:
        raise StoreError(f"{place}: this is not a valid expression")
    return _known(evaluate_literal(expression), place)[0]


def body_settings(
    body: Body,
    source: SettingSource,
    directory: Path,
    value_of: Callable[[Expression], Part],
    left_out: Container[str] = (),
) -> Iterator[GivenSetting]:
    """Yield the settings of a block or file. Raises StoreError, without the text of a value."""
    for name in body.names():
        if name in left_out:
            continue
        argument = body.attribute(name)
        if argument is not None:
            place = _place(directory, argument.range)
            value, sensitive = _known(value_of(argument.expression), f"{place}: {name}")
            yield GivenSetting(name, value, source, place, sensitive)
    for type_ in body.block_types():
        for block in body.blocks(type_):
            inner = list(body_settings(block.body, source, directory, value_of))
            value = {setting.name: setting.value for setting in inner}
            sensitive = any(setting.sensitive for setting in inner)
            yield GivenSetting(type_, value, source, _place(directory, block.range), sensitive)


def _blocks(directory: Path, names: tuple[str, ...], problems: list[Problem]) -> list[Block]:
    found: list[Block] = []
    for terraform in _terraform_blocks(directory, names, problems):
        body = terraform.body
        found += [*body.blocks("backend", 1), *body.blocks("cloud"), *body.blocks("state_store", 1)]
    return found


def _terraform_blocks(directory: Path, names: tuple[str, ...], problems: list[Problem]) -> Iterator[Block]:
    for name in names:
        source = read_source(directory / name, name, problems)
        if source is not None and may_name_place(source.content):
            yield from read_body(source, problems).blocks("terraform")


def _others(directory: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Range]]:
    """Yield the names and positions of unknown blocks and arguments in `terraform`."""
    ignored: list[Problem] = []
    for terraform in _terraform_blocks(directory, names, ignored):
        body = terraform.body
        for word in (*body.block_types(), *body.names()):
            if word not in HARMLESS:
                argument = body.attribute(word)
                found = [block for labels in range(_MOST_LABELS) for block in body.blocks(word, labels)]
                yield word, argument.range if argument else found[0].range if found else terraform.range


def _known(part: Part, place: str) -> tuple[SettingValue, bool]:
    """Return a value in JSON form, and whether any part of it is sensitive. Raises StoreError if it is unknown."""
    unknown = first_unknown((part,))
    if unknown is not None:
        raise StoreError(
            f"{place}: {_reason(unknown)}; ",
            Wording("set it with --backend-config", "set it in BackendOptions.settings"),
            *_allowing(unknown),
        )
    assert isinstance(part, Value)
    return _plain(part, place), is_sensitive_within(part)


def _allowing(unknown: Unknown) -> Iterator[Wording]:
    """Yield advice on how to allow an environment variable."""
    if unknown.kind is UnknownKind.VARIABLE and unknown.problem is None:
        variable = _VARIABLE + unknown.reason.partition(" ")[0].removeprefix("var.")
        yield Wording(
            f", or let the block use {variable} with --allow-env {variable}",
            f", or let the block use {variable} with allowed_env=({variable!r},) in BackendOptions",
        )


def _reason(unknown: Unknown) -> str:
    if unknown.problem is not None:
        return f"OpenTofu would refuse the value: {unknown.problem.summary}"
    # Reasons of other kinds may quote the expression, and with it a secret.
    told = unknown.reason if unknown.kind is not UnknownKind.OTHER else "it depends on what only a plan knows"
    if unknown.kind is UnknownKind.VARIABLE:
        # No option sets variables of a backend block.
        told = f"{told.partition(': ')[0]} in a variable file"
    return f"the value is not known, because {told}"


def _plain(part: Part, place: str) -> SettingValue:
    assert isinstance(part, Value)
    match part.data:
        case Number() as number:
            return _number(part, number, place)
        case tuple() as items:
            return [_plain(item, place) for item in items]
        case Mapping() as members:
            return {name: _plain(member, place) for name, member in members.items()}
        case data:
            return data


def _number(part: Value, number: Number, place: str) -> int | float:
    whole = number.small_integer()
    if whole is not None:
        return whole
    text = convert(part, STRING)
    assert isinstance(text, Value)
    found = float(str(text.data))
    if not math.isfinite(found):
        raise StoreError(f"{place}: this number is too large")
    return found


def _place(directory: Path, range_: Range) -> str:
    return f"{directory / range_.file}:{range_.line}"
