"""Completes the line after a command: its options, and the values of options and arguments by their metavar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import typer
from typer.core import TyperArgument, TyperOption

from statefmt import StatetoolError
from statefmt.cli.names import COMMANDS, NextWord
from statefmt.cli.program import HELP_OPTIONS, command_named, program
from statefmt.cli.run import Run, run_context, running, system_context
from statefmt.cli.spellings import CommandLine, SpellingReader

if TYPE_CHECKING:
    from statefmt import Snapshot
    from statefmt.addrs import AbsResource, ModuleInstance


def after_global_options(words: Sequence[str]) -> Sequence[str] | None:
    """Return the words from the command on; None if an option still needs its value."""
    line = SpellingReader(program().params, of_group=True).read(words)
    return None if line.waiting else line.arguments


def next_words(words: Sequence[str], incomplete: str) -> list[NextWord]:
    """Return the candidates for `incomplete`, after a command and its words, or among global options."""
    is_command = bool(words) and not words[0].startswith("-")
    command = command_named(words[0]) if is_command else program()
    context = typer.Context(command, **HELP_OPTIONS)
    parameters = command.get_params(context)
    typed, name, text = words[is_command:], "", incomplete
    if incomplete.startswith("-") and "=" in incomplete:
        name, _, text = incomplete.partition("=")
    line = SpellingReader(parameters, of_group=not is_command).read([*typed, name] if name else typed)
    if line.waiting:
        return _values(next(one for one in parameters if line.waiting in one.opts), context, line, text)
    if incomplete.startswith("-") and "--" not in typed:
        return _option_names(parameters, line, incomplete)
    positional = [one for one in parameters if isinstance(one, TyperArgument)]
    free = [one for place, one in enumerate(positional) if one.nargs == -1 or place >= len(line.arguments)]
    return _values(free[0], context, line, incomplete) if free else []


def _option_names(parameters: Sequence[Any], line: CommandLine, incomplete: str) -> list[NextWord]:
    """Return the options that are not yet given, or can be repeated."""
    given = {name for name, _ in line.options}
    return [
        NextWord(name, help=one.help or "")
        for one in parameters
        if isinstance(one, TyperOption) and (one.multiple or given.isdisjoint((*one.opts, *one.secondary_opts)))
        for name in (*one.opts, *one.secondary_opts)
        if name.startswith(incomplete)
    ]


def _values(parameter: Any, context: typer.Context, line: CommandLine, typed: str) -> list[NextWord]:
    parameters = context.command.get_params(context)
    named = {name: one.name or "" for one in parameters for name in (*one.opts, *one.secondary_opts)}
    given = {named[name]: value for name, value in line.options}
    for one, value in zip((one for one in parameters if isinstance(one, TyperArgument)), line.arguments, strict=False):
        if one.nargs == -1:
            break
        given[one.name or ""] = value
    try:
        with running(Run(system_context())):
            found = values(parameter, given, typed)
    except (typer.TyperException, StatetoolError, OSError, ValueError, RecursionError):
        # Completion cannot show a message.
        return []
    # typer completes the members of enumerations.
    return [NextWord(str(one.value)) for one in parameter.shell_complete(context, typed)] if found is None else found


# The values on the command line so far, by parameter name.
TypedValues: TypeAlias = Mapping[str, str]
# Finds values of a parameter, by its name, that start with the typed text.
Completer: TypeAlias = Callable[[TypedValues, str, str], "list[NextWord]"]
# Options whose PATH leads to an attribute.
_OF_ATTRIBUTES: Final = frozenset({"attribute", "by", "path", "paths", "where"})
# The parameters for the folder of a workspace, unless it is the state.
_FOLDERS: Final[Mapping[str, tuple[str, ...]]] = {"from_workspace": ("source",), "to_workspace": ("target",)}
# A longer list than fits on a screen is completed step by step.
_MANY: Final = 100


def values(parameter: Any, given: TypedValues, typed: str) -> list[NextWord] | None:
    """Return values of a parameter of typer, found by its metavar without brackets and dots.

    Returns None if only typer knows the values. Raises StatetoolError or OSError if their state cannot be read.
    """
    metavar = parameter.metavar or ""
    found = _completers()
    name = metavar.removesuffix("...").removeprefix("[").removesuffix("]")
    completer = found.get(name) or found.get(metavar)
    return None if completer is None else completer(given, parameter.name, typed)


def _completers() -> Mapping[str, Completer]:
    addresses = _from_state(_addresses)
    providers = _from_state(_providers)
    outputs = _from_state(lambda snapshot, _: sorted(output.name for output in snapshot.outputs))
    files, folders = _of_kind("file"), _of_kind("dir")
    return {
        **dict.fromkeys(("SELECTOR", "ADDRESS", "SOURCE", "DESTINATION"), addresses),
        "[SELECTOR]... [PROVIDER_INSTANCE]": _from_state(
            lambda snapshot, typed: [*_addresses(snapshot, typed), *_providers(snapshot, typed)]
        ),
        **dict.fromkeys(("PROVIDER", "FROM", "TO"), providers),
        "TYPE": _from_state(lambda snapshot, _: sorted({one.addr.resource.type for one in snapshot.resources})),
        "NAME": lambda given, name, typed: (_saved if name == "saved" else outputs)(given, name, typed),
        "RUN": lambda _, __, typed: _starting(typed, ("latest", "previous", "first")),
        **dict.fromkeys(("STATE", "PLAN", "FILE", "BACKUP", "ERRORED", "OLD", "NEW", "FROM_STATE", "TO_STATE"), files),
        **dict.fromkeys(("DIR", "FROM_DIR", "TO_DIR"), folders),
        "PATH": lambda given, name, typed: [] if name in _OF_ATTRIBUTES else files(given, name, typed),
        "CODE": _codes,
        "DECISION": _decisions,
        "CODES": _codes,
        "WORKSPACE": _workspaces,
        "RELEASE": _releases,
        "COMMAND | TOPIC": _topics,
        "WHICH": lambda _, __, typed: _starting(typed, ("first", "last", "newest", NextWord("id=", type="part"))),
        "WHEN": lambda _, __, typed: _starting(typed, ("auto", "always", "never")),
    }


def _from_state(values: Callable[[Snapshot, str], Iterable[NextWord | str]]) -> Completer:
    """Complete from the state on the command line. Raises StatetoolError or OSError."""

    def complete(given: TypedValues, _: str, typed: str) -> list[NextWord]:
        from statefmt import read

        return _starting(typed, values(read(_data(given)).snapshot, typed))

    return complete


def _data(given: TypedValues) -> bytes:
    """Return the bytes of the state on the command line. Raises StatetoolError or OSError."""
    from statefmt.cli.named_state import state_name
    from statefmt.locations import STANDARD_INPUT, RemoteName
    from statefmt.store.files import read_bounded
    from statefmt.store.reading import LARGEST_STATE

    name = state_name(given.get("state_option") or given.get("state"), to_read=True)
    if name == STANDARD_INPUT or isinstance(name, RemoteName):
        # Completion makes no connections.
        raise OSError
    # Unlike commands, completion neither waits for a write nor recovers one.
    return read_bounded(name, LARGEST_STATE)


def _starting(typed: str, values: Iterable[NextWord | str]) -> list[NextWord]:
    items = [value if isinstance(value, NextWord) else NextWord(value) for value in values]
    return list({item.value: item for item in items if item.value.startswith(typed)}.values())


def _workspaces(given: TypedValues, name: str, typed: str) -> list[NextWord]:
    from statefmt.locations import workspaces

    folders = _FOLDERS.get(name, ("state_option", "state"))
    named = next((given[folder] for folder in folders if given.get(folder)), None)
    return _starting(typed, workspaces(run_context(), named, connect=False).names)


def _addresses(snapshot: Snapshot, typed: str) -> list[NextWord | str]:
    """Return the modules, resources and instances whose addresses start with the typed text.

    If there are many, returns only the next step, like shells complete paths: the modules one level deeper, and the
    resources above them.
    """
    modules: dict[ModuleInstance, str] = {}
    resources: dict[AbsResource, list[str]] = {}
    for resource in snapshot.resources:
        module = resource.addr.module
        if module not in modules:
            modules |= {one: str(one) for one in module.on_the_way} or {module: ""}
        text = f"{modules[module]}.{resource.addr.resource}" if module else str(resource.addr.resource)
        if text.startswith(typed):
            resources.setdefault(resource.addr, [text])
        if text.startswith(typed[: len(text)]):
            texts = [f"{text}{key}" for key in dict.fromkeys(obj.key for obj in resource.objects)]
            resources.setdefault(resource.addr, []).extend([one for one in texts if one.startswith(typed)])
    deeper = {module: text for module, text in modules.items() if text and text.startswith(typed)}
    if len(deeper) + sum(map(len, resources.values())) <= _MANY:
        return [*deeper.values(), *(text for texts in resources.values() for text in texts)]
    next_level = min((len(module.steps) for module in deeper), default=sys.maxsize)
    near = {addr: texts for addr, texts in resources.items() if len(addr.module.steps) < next_level}
    shown = (
        [texts[0] for texts in near.values()] if len(near) > 1 else [text for texts in near.values() for text in texts]
    )
    parts = [NextWord(text, type="part") for module, text in deeper.items() if len(module.steps) == next_level]
    return [*parts, *shown]


def _providers(snapshot: Snapshot, _: str) -> Iterable[str]:
    from statefmt.providers import provider_use, short_form

    uses = provider_use(snapshot)
    names = {short_form(use.config, one.provider.key): None for use in uses for one in use.instances}
    return [*names, *sorted({str(use.config.provider) for use in uses})]


def _saved(_: TypedValues, __: str, typed: str) -> list[NextWord]:
    from statefmt.fleet import saved_queries

    return _starting(typed, saved_queries())


def _codes(_: TypedValues, __: str, typed: str) -> list[NextWord]:
    """Complete the last of several codes, separated by commas."""
    from statefmt.rules import all_rules

    before, comma, last = typed.rpartition(",")
    rules = all_rules().items()
    return [NextWord(f"{before}{comma}{code}", help=rule.name) for code, rule in rules if code.startswith(last)]


def _decisions(given: TypedValues, _: str, typed: str) -> list[NextWord]:
    """Complete a decision on one defect; a decision with a value ends with `=`."""
    from statefmt.repairs import decision_places, defects

    found = defects(_data(given))
    items = [
        NextWord(
            f"{defect.finding.code} {place} {choice.name}{'=' if choice.value else ''}",
            # Without a trailing space.
            type="part" if choice.value else "plain",
            help=choice.text,
        )
        for defect, place in zip(found, decision_places(found), strict=True)
        for choice in defect.choices
    ]
    return _starting(typed, items)


def _releases(_: TypedValues, __: str, typed: str) -> list[NextWord]:
    from statefmt.releases import all_releases

    return _starting(typed, [f"{one.engine}-{one.number}" for one in all_releases()])


def _topics(_: TypedValues, __: str, typed: str) -> list[NextWord]:
    from statefmt.cli.commands.help import topics

    return _starting(typed, ["topics", *topics(), *COMMANDS])


def _of_kind(kind: str) -> Completer:
    """Return a completer that leaves a file or a folder to the shell."""
    return lambda _, __, typed: [NextWord(typed, type=kind)]
