"""Rewrites the options of a command line, including spellings of `tofu` and `terraform`, for typer's parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from typer.core import TyperOption

# Synonyms of statetool's options, with a value if it is fixed.
_OTHER_OPTIONS: Final = {
    "-json": ("--format", "json"),
    "-no-color": ("--color", "never"),
    "-auto-approve": ("--yes", None),
    "-state-out": ("--out", None),
}
# The meaning of names in `mv`, which writes another state.
_IN_MOVES: Final = {"-state-out": ("--to-state", None)}
# Options with an optional value, and the default value.
_VALUES_LEFT_OUT: Final = {"--install-completion": "detect"}
_TRUE: Final = frozenset({"true", "t", "1"})
_FALSE: Final = frozenset({"false", "f", "0"})
_ENOUGH_ALIKE: Final = 0.5


class CommandLine(NamedTuple):
    """The words after a command.

    Args:
        options: The long names of the options in command line order, with their values; "" for flags.
        words: The options for typer, as `--name` or `--name=value`.
        arguments: All other words.
        problem: The message about the first wrong option; "" if there is none.
        waiting: The long name of a final option without its value; "" if there is none.
    """

    options: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    arguments: tuple[str, ...]
    problem: str
    waiting: str


class _Option(NamedTuple):
    name: str
    takes_value: bool


class SpellingReader:
    """Reads the command line of a command with some parameters.

    It accepts `-state=PATH` for `--state`, `-lock=false` for `--no-lock`, and the names of `tofu` such as `-json`.
    """

    def __init__(self, parameters: Sequence[Any], *, of_group: bool = False) -> None:
        """Read for typer's `parameters`; the options of a group end before its first argument."""
        self._of_group = of_group
        # A place from the end, such as -1.
        self._takes_numbers = any("RUN" in (parameter.metavar or "") for parameter in parameters)
        self._options = _options(parameters)
        self._known: Final = [name for name in self._options if name.startswith("--")]
        # A single dash and a single letter is a short option.
        self._options |= {name[1:]: self._options[name] for name in self._known if len(name) > len("--x")}
        others = _OTHER_OPTIONS | (_IN_MOVES if "--to-state" in self._options else {})
        self._others: Final = {
            name: other for short, other in others.items() if other[0] in self._options for name in (short, f"-{short}")
        }
        self._options |= {name: self._options[other] for name, (other, _) in self._others.items()}
        self._found: list[tuple[_Option, str]] = []
        self._problem = self._waiting = ""

    def read(self, words: Sequence[str]) -> CommandLine:
        """Parse the words. After a wrong option, the rest is still parsed, for `was_given`."""
        rest, arguments = [*reversed(words)], []
        while rest:
            word = rest.pop()
            if word == "--" or (self._of_group and not word.startswith("-")):
                arguments += [*([word] if self._of_group else []), *reversed(rest)]
                break
            if word == "-" or not word.startswith("-") or (self._takes_numbers and word[1:].isdigit()):
                arguments.append(word)
            elif word.partition("=")[0] in self._options or word.startswith("--"):
                self._read_long(word, rest)
            else:
                self._read_short(word, rest)
        return CommandLine(
            options=tuple((option.name, value) for option, value in self._found),
            words=tuple(
                f"{option.name}={value}" if option.takes_value else option.name for option, value in self._found
            ),
            arguments=tuple(arguments),
            problem=self._problem,
            waiting=self._waiting,
        )

    def _read_long(self, word: str, rest: list[str]) -> None:
        name, equals, text = word.partition("=")
        value = text if equals else None
        other = self._others.get(name)
        if other is not None and value is None:
            name, value = other
        elif other == _IN_MOVES["-state-out"] and value == "-":
            # Standard output can only be a copy.
            name = "--out"
        option = self._options.get(name)
        if option is None:
            self._refuse(self._unknown(name))
        elif option.takes_value:
            self._add(name, option, value, rest)
        elif value in _FALSE:
            negation = self._options.get(f"--no-{name.lstrip('-')}")
            self._found += [] if negation is None else [(negation, "")]
        elif value is None or value in _TRUE:
            self._found.append((option, ""))
        else:
            self._refuse(f"Option '{name}' does not take a value.")

    def _read_short(self, word: str, rest: list[str]) -> None:
        """Read one or more letters; the value of the last letter may follow it."""
        for place, letter in enumerate(word[1:], 2):
            option = self._options.get(f"-{letter}")
            if option is None:
                self._refuse(self._unknown(word.partition("=")[0]))
                return
            if option.takes_value:
                self._add(f"-{letter}", option, word[place:] or None, rest)
                return
            self._found.append((option, ""))

    def _add(self, name: str, option: _Option, value: str | None, rest: list[str]) -> None:
        # An option is not a value; otherwise `-o --dry-run` would write a file of this name.
        following = rest[-1].partition("=")[0] if rest else None
        if value is None and (following is None or following in self._options):
            self._waiting = "" if rest else option.name
            value = _VALUES_LEFT_OUT.get(option.name)
            if value is None:
                self._refuse(f"Option '{name}' requires an argument.")
                # The option was in place of the value, so it was not meant as an option.
                del rest[-1:]
                return
        self._found.append((option, rest.pop() if value is None else value))

    def _refuse(self, problem: str) -> None:
        self._problem = self._problem or problem

    def _unknown(self, name: str) -> str:
        word = name.lstrip("-")
        containing = [option for option in self._known if word in option and len(word) > 1]
        near = [*containing, *alike(f"--{word}", self._known, _ENOUGH_ALIKE)]
        return f"No such option: {name}." + (f" Did you mean {near[0]}?" if near else "")


def _options(parameters: Sequence[Any]) -> dict[str, _Option]:
    """Return the options by all their names. The two sides of a flag such as `--lock/--no-lock` are two options."""
    found: dict[str, _Option] = {}
    for parameter in parameters:
        for names in (parameter.opts, parameter.secondary_opts) if isinstance(parameter, TyperOption) else ():
            long = next((name for name in names if name.startswith("--")), "")
            found |= dict.fromkeys(names, _Option(long, not parameter.is_flag))
    return found


def alike(name: str, names: Sequence[str], cutoff: float = 0.6) -> list[str]:
    """Return the most similar name to a mistyped one, if any is similar."""
    # Imported late: few command lines are wrong.
    from difflib import get_close_matches

    return get_close_matches(name, names, 1, cutoff)
