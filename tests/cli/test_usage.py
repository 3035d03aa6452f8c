"""Wrong use: exit status 2, how it is meant on standard error, and nothing done."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from statefmt.cli import commands
from statefmt.cli.command import Declared
from statefmt.cli.names import COMMANDS as ALL_COMMANDS, MODULES
from statefmt.cli.program import (
    _OTHER_NAMES as OTHER_NAMES,
    _TASKS as TASKS,
    command_arguments,
    command_named,
    declaration,
)
from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED
from tests.tables import each_row

# What is run, and what the last line of the message says.
CASES = [
    ("frobnicate", "Error: No such command 'frobnicate'. `statetool --help` lists them."),
    ("--frobnicate", "Error: No such option: --frobnicate"),
    ("check --frobnicate", "Error: No such option: --frobnicate"),
    ("check -frobnicate", "Error: No such option: -frobnicate"),
    ("list --stat=state", "Error: No such option: --stat. Did you mean --state?"),
    ("list -stat=state", "Error: No such option: -stat. Did you mean --state?"),
    ("list --config .", "Error: No such option: --config. Did you mean --encryption-config?"),
    ("help frobnicate", "Error: No such command 'frobnicate'."),
    ("lsit", "Error: No such command 'lsit'. Did you mean 'list'?"),
    ("move a.b a.c", "Error: No such command 'move'. Did you mean 'mv'?"),
    ("remove a.b", "Error: No such command 'remove'. Did you mean 'rm'?"),
    ("lint", "Error: No such command 'lint'. Did you mean 'check'?"),
    ("plan", "Error: Missing argument 'FILE'."),
    ("apply --resume --abort file", "Error: Invalid value for --abort: cannot be combined with --resume"),
    ("state", "Error: After 'state', write one of: list, show, mv, rm, replace-provider, pull."),
    ("state lsit", "Error: After 'state', write one of: list, show, mv, rm, replace-provider, pull."),
    ("fleet", "Error: After 'fleet', write one of: index, check, query, duplicates, graph, diff."),
    ("fleet --help", "Error: After 'fleet', write one of: index, check, query, duplicates, graph, diff."),
    ("fleet chek", "Error: No such command 'fleet chek'. Did you mean 'fleet check'?"),
    (
        "state push x",
        "Error: No such command 'state push'. To send a state to the backend of this folder: `statetool copy",
    ),
    ("push x", "Error: No such command 'push'. To send a state to the backend of this folder: `statetool copy FILE .`"),
    ("json", "Error: No such command 'json'. To print a state as JSON: `statetool show --format json`"),
    ("ops", "Error: No such command 'ops'. To see what an operations file does: `statetool plan FILE`"),
    ("dups", "Error: No such command 'dups'. Did you mean 'fleet duplicates'?"),
    ("fix", "Error: No such command 'fix'. `statetool check --fix` fixes what has one right answer"),
    ("orphans", "Error: No such command 'orphans'. `statetool check --config DIR` lists the objects"),
    ("workspace list", "Error: No such command 'workspace'. Did you mean 'workspaces'?"),
    ("login", "Error: No such command 'login': statetool works offline on states. Use `tofu login`."),
    # `terraform.tfstate` as the first word: which command?
    ("old.tfstate", "Error: No such command 'old.tfstate'. To check this state: statetool check old.tfstate"),
    ("check --select", "Error: Option '--select' requires an argument."),
    # An option is no value; else `-o --dry-run` would write a file of this name.
    ("check --select --exit-zero state", "Error: Option '--select' requires an argument."),
    ("list --format --state=state", "Error: Option '--format' requires an argument."),
    ("mv --state state -o --dry-run a.b a.c", "Error: Option '-o' requires an argument."),
    ("upgrade state --output -h", "Error: Option '--output' requires an argument."),
    ("list --encryption --var x=y --state state", "Error: Option '--encryption' requires an argument."),
    ("check --select XYZ state", "Error: Invalid value for --select/--ignore: no rule has a code that starts with"),
    ("check --ignore PRV,XYZ state", "Error: Invalid value for --select/--ignore: no rule has a code that starts with"),
    ("check --fail-on never state", "Error: Invalid value for '--fail-on': 'never' is not one of"),
    ("check --format yaml state", "Error: Invalid value for '--format': 'yaml' is not one of"),
    ("list --format yaml --state state", "Error: Invalid value for '--format': 'yaml' is not one of"),
    ("upgrade --style wide state", "Error: Invalid value for '--style': 'wide' is not one of"),
    ("upgrade state other", "Error: Invalid value for STATE: several states can only be written back: add --in-place"),
    ("upgrade -i state -", "Error: Invalid value for --in-place: needs files, not standard input"),
    ("upgrade -i --backup kept state other", "Error: Invalid value for --backup: takes one state"),
    ("upgrade -i -o new state other", "Error: Invalid value for --in-place: cannot be combined with --out"),
    ("upgrade state --state state", "Error: Invalid value for --state: name the state once"),
    ("upgrade --in-place -o new state", "Error: Invalid value for --in-place: cannot be combined with --out"),
    ("upgrade --in-place -", "Error: Invalid value for --in-place: needs a file, not standard input"),
    ("upgrade state -o=", "Error: Invalid value for --output: the name is empty"),
    ("fmt --stdout state other", "Error: Invalid value for --stdout: takes one state"),
    (
        "fmt --stdout --check state",
        "Error: Invalid value for --stdout: takes one state, and cannot be combined with --check",
    ),
    ("--color sometimes check state", "Error: Invalid value for --color: must be auto, always or never"),
]


@each_row(("line", "message"), CASES, ids=[case[0] for case in CASES])
def test_usage(
    line: str, message: str, statetool: Statetool, folder: Path, tree: Callable[[], dict[str, bytes]]
) -> None:
    (folder / "state").write_bytes(HAND_EDITED)
    result = statetool(*line.replace("-o=", "-o ").split(" "))
    assert (result.status, result.out) == (2, b"")
    last = result.err[result.err.index("Error: ") :]
    assert last.replace("\n  ", " ").startswith(message), result.err
    assert tree() == {"state": HAND_EDITED}


COMMANDS = ["check", "downgrade", "fmt", "graph", "list", "outputs", "providers", "stats", "upgrade"]


@each_row("option", ["--help", "-h"])
@each_row("command", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help(command: list[str], option: str, statetool: Statetool) -> None:
    result = statetool(*command, option)
    assert (result.status, result.err) == (0, "")
    assert result.text.startswith(" ".join(["Usage: statetool", *command, "[OPTIONS]"]))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_command(name: str, statetool: Statetool) -> None:
    assert f"\n  {name} " in statetool("--help").text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_state(name: str, statetool: Statetool) -> None:
    assert "\n  --state PATH " in statetool(name, "--help").text


@pytest.mark.parametrize("name", ["downgrade", "fmt", "upgrade"])
def test_every_writing_command_takes_yes(name: str, statetool: Statetool) -> None:
    assert " --yes " in statetool(name, "--help").text


def test_no_command(statetool: Statetool) -> None:
    """A screenful of 80x24 with the commands that people start with."""
    result = statetool()
    assert (result.status, result.err) == (0, "")
    lines = result.text.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) < 80
    shown = [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("  statetool")]
    assert len(shown) == 6
    assert set(shown) < set(ALL_COMMANDS)


@each_row("name", ALL_COMMANDS)
def test_own_options_fit_the_first_screen(name: str, statetool: Statetool) -> None:
    """Shared options are listed in named groups at the end."""
    lines = statetool(name, "--help").text.splitlines()
    # Those of `diff` take three lines more.
    assert lines.index("Examples:") <= (28 if name == "diff" else 26)
    assert lines.index("Examples:") < lines.index("Common options:")
    if declaration(name).decrypts:
        assert lines.index("Common options:") < lines.index("Encryption:")


@each_row("name", ALL_COMMANDS)
def test_examples(name: str) -> None:
    """Each help has two to four examples, and the command line takes each of them."""
    command = command_named(name)
    assert 2 <= len(command.examples) <= 4
    lines = [f"  {line}" for what, line in command.examples for line in (f"# {what}", line)]
    assert [line for line in command.get_help(typer.Context(command)).splitlines() if line in lines] == lines
    for _, line in command.examples:
        called = [words for words in _commands(line) if words[0] == "statetool"]
        assert called
        for _, *words in called:
            found, *arguments = command_arguments(words)
            # Parses everything, and runs nothing.
            command_named(found).make_context(found, arguments)


@each_row("name", ALL_COMMANDS)
def test_every_option_has_a_long_name(name: str) -> None:
    """typer 0.27 takes the name of an option without one from a metavar of the same letters."""
    sides = [side for one in command_named(name).params for side in (one.opts, one.secondary_opts)]
    options = [side for side in sides if side and side[0].startswith("-")]
    assert options
    for side in options:
        assert any(re.fullmatch("--[a-z0-9-]+", option) for option in side), side


def test_suggested_names_are_commands() -> None:
    """A name has one suggestion, is no command itself, and what is suggested is a command with these options."""
    assert not {*OTHER_NAMES, *TASKS} & {*ALL_COMMANDS}
    assert not {*OTHER_NAMES} & {*TASKS}
    assert {*OTHER_NAMES.values()} <= {*ALL_COMMANDS}
    for line in {line for text in TASKS.values() for line in re.findall("`statetool ([^`]+)`", text)}:
        name, *arguments = line.split()
        command = command_named(name)
        needed = [parameter for parameter in command.params if parameter.required]
        command.make_context(name, arguments or ["placeholder" for _ in needed])


def _commands(line: str) -> list[list[str]]:
    """Return the words of each command in a line of shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    skipped = False
    for word in lexer:
        if set(word) <= set("|&;"):
            commands.append([])
        elif set(word) <= set("<>"):
            skipped = True
        elif skipped:
            skipped = False
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


def test_every_declared_command_is_listed_with_its_module() -> None:
    found = set()
    for module in pkgutil.iter_modules(commands.__path__):
        for name, value in vars(importlib.import_module(f"{commands.__name__}.{module.name}")).items():
            if isinstance(value, Declared):
                found.add((name, module.name))
    assert found == {(f"{re.sub('[ -]', '_', name)}_command", module) for name, module in MODULES.items()}
