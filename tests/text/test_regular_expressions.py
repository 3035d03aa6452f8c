"""No regular expression takes more than linear time, whatever text it is given.

Every expression in the code is found in the syntax trees, with the methods that are called on it, and run on long
repetitions of what it is made of: its characters, its literal parts, and short texts that fit its parts.
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import importlib
import itertools
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from re import _constants as node, _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import pytest

import statefmt
from statefmt import installation
from statefmt.analysis.providers import facts
from statefmt.formats.raw_json import _tokens, slips
from statefmt.redaction import secrets as secret_probes
from statefmt.redaction.secrets import search as secret_shapes

_ROOT = Path(statefmt.__file__).parent
_METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}
_CALLS = _METHODS | {"compile"}
# What a module that has to do with expressions contains.
_MENTIONED = re.compile(r"\bpattern\(|\bre\.|\.(?:" + "|".join(sorted(_METHODS)) + r")\b")
# Linear time takes well under a millisecond for this many characters, quadratic time tens of them.
_SHORT = 3_000
_SUSPECT = 0.004
_FACTOR = 4
_LONG_ENOUGH = 5.0
_RATIO = 9.0

# Expressions made in functions, by module and function: examples of what they come to; none where `_listed` has them.
_MADE: Mapping[tuple[str, str], Sequence[str | bytes]] = {
    ("statefmt.text", "_test"): [fnmatch.translate("*a*b?c*[*]*d"), fnmatch.translate("*a*a*a*a*a*b")],
    ("statefmt.hcl.functions.numbers", "parseint"): [r"([+-]?)([0-9a-fA-F]+)"],
    ("statefmt.text", "__getattr__"): [],
    ("statefmt.formats.raw_json.slips", "_comments"): [slips._COMMENT, slips._MARKER, slips._BLANK],
    ("statefmt.formats.raw_json.slips", "_everywhere"): [
        _tokens.STRING + b"?|(" + expression + b")" for expression in (slips._COMMENT, slips._MARKER, slips._BLANK)
    ],
    ("statefmt.installation", "_packages"): [installation._REQUIREMENT % "fleet"],
    ("statefmt.redaction.secrets", ""): [],
    **{
        ("statefmt.analysis.providers.facts", function): []
        for function in (
            "settings_facts",
            "object_facts",
            "override_facts",
            "overridden",
            "fact_kinds",
            "is_cosmetic",
            "_read",
        )
    },
    ("statefmt.redaction.secrets.search", "_shapes"): [],
}


class Found(NamedTuple):
    """An expression, where it is written, and the methods that it is used with."""

    place: str
    expression: str | bytes
    flags: int
    methods: frozenset[str]


def _modules() -> Iterator[tuple[ModuleType, ast.Module, Path]]:
    for path in sorted(_ROOT.rglob("*.py")):
        name = ".".join(["statefmt", *path.relative_to(_ROOT).with_suffix("").parts]).removesuffix(".__init__")
        if name.endswith("__main__"):
            continue
        if _MENTIONED.search(source := path.read_text(encoding="utf-8")):
            yield importlib.import_module(name), ast.parse(source), path


def _maker(call: ast.Call) -> str | None:
    """What makes or uses an expression in a call: `pattern`, `compile`, or the name of a method."""
    match call.func:
        case ast.Name(id="pattern"):
            return "compile"
        case ast.Attribute(value=ast.Name(id="re"), attr=name) if name in _CALLS:
            return name
    return None


@functools.cache
def _all_found() -> tuple[list[Found], list[str]]:
    """All expressions, and the places of those that cannot be resolved."""
    trees = list(_modules())
    used: dict[str, set[str]] = {}
    for _, tree, _ in trees:
        for part in ast.walk(tree):
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _METHODS:
                    used.setdefault(name, set()).add(method)
    found: list[Found] = []
    unresolved: list[str] = []
    for module, tree, path in trees:
        local: dict[str, set[str]] = {}
        for part in ast.walk(tree):
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _METHODS:
                    local.setdefault(name, set()).add(method)
        names = {
            id(statement.value): target.id
            for statement in ast.walk(tree)
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            if isinstance(target, ast.Name)
        }
        for function, call in _calls(tree):
            maker = _maker(call)
            if maker is None:
                continue
            name = names.get(id(call), "")
            methods = {maker} if maker != "compile" else local.get(name) or used.get(name) or _METHODS
            place = f"{path.relative_to(_ROOT.parent)}:{call.lineno}"
            try:
                values = [
                    eval(compile(ast.Expression(value), f"<{place}>", "eval"), vars(module))  # our own code
                    for value in [call.args[0], *[word.value for word in call.keywords if word.arg == "flags"]]
                ]
                if maker == "compile" and len(call.args) > 1:
                    values.append(eval(compile(ast.Expression(call.args[1]), f"<{place}>", "eval"), vars(module)))
            except NameError:
                examples = _MADE.get((module.__name__, function))
                if examples is None:
                    unresolved.append(f"{place} in {function}")
                found += [Found(place, example, 0, frozenset(methods)) for example in examples or ()]
                continue
            found.append(Found(place, values[0], int(values[1]) if len(values) > 1 else 0, frozenset(methods)))
    found += _listed()
    return found, unresolved


def _listed() -> Iterator[Found]:
    """The expressions that are made from tables, as they come out."""
    for piece, rests in secret_probes._RESTS.items():
        expression = piece + b"(?:" + b"|".join(rests) + b")"
        yield Found(f"statefmt/redaction/secrets/__init__.py:{piece!r}", expression, 0, frozenset({"search"}))
    for shape in secret_shapes.SHAPES:
        flags = re.DOTALL | re.ASCII
        yield Found(
            f"statefmt/redaction/secrets/search.py:{shape.kind}", shape.pattern.pattern, flags, frozenset({"search"})
        )

    for name, knowledge in facts._KNOWLEDGE.items():
        readings = (*knowledge.arguments, *knowledge.attributes)
        used = {knowledge.unlike, knowledge.cosmetic, *(one.value for one in readings)}
        used |= {one.name for one in knowledge.arguments}
        for text in sorted(used):
            place = f"statefmt/analysis/providers/facts.py:{name}"
            yield Found(place, text, 0, frozenset({"fullmatch"}))


def _calls(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Call):
            yield function, child
        yield from _calls(child, child.name if isinstance(child, ast.FunctionDef) else function)


def _attacks(found: Found) -> Iterator[tuple[str, str, str]]:
    """Beginnings, repeated parts and ends: what fits before each repetition, what it repeats, and what fits nothing."""
    text = found.expression if isinstance(found.expression, str) else found.expression.decode("latin-1")
    tree = parser.parse(text, found.flags & ~re.LOCALE)
    beginnings, parts, characters = {""}, {"a", " ", "\\", '"', "0", ".", "-", "/"}, set[str]()
    _walk(tree, [""], beginnings, parts, characters)
    # Those that the expression names come first.
    chosen = sorted(characters, key=lambda char: (char not in text, char))[:14]
    pumps = sorted(parts | set(chosen), key=lambda part: (len(part), part))[:36]
    pumps += ["".join(pair) for pair in itertools.permutations(chosen[:6], 2)]
    starts = sorted(beginnings, key=lambda part: (len(part), part))[:6]
    for start, pump, end in itertools.product(starts, pumps, ("", "\0!")):
        if pump:
            yield start, pump, end


def _walk(tree: Any, before: list[str], beginnings: set[str], parts: set[str], characters: set[str]) -> None:
    """Collect what a tree is made of; `before` are short texts that fit up to here."""
    here = list(before)
    run = ""
    for kind, value in tree:
        if kind is node.LITERAL:
            run += chr(value)
            characters.add(chr(value))
            parts.add(run)
        else:
            run = ""
        if kind in (node.IN, node.NOT_LITERAL, node.ANY):
            characters.update(_members(kind, value))
        for inner in _inner(kind, value):
            beginnings.update(here)
            parts.update(_fitting(inner))
            _walk(inner, here, beginnings, parts, characters)
        here = [text + more for text in here[:4] for more in _fitting([(kind, value)])][:4]


def _inner(kind: Any, value: Any) -> list[Any]:
    match kind:
        case node.MAX_REPEAT | node.MIN_REPEAT | node.POSSESSIVE_REPEAT:
            return [value[2]]
        case node.SUBPATTERN:
            return [value[3]]
        case node.BRANCH:
            return list(value[1])
        case node.ATOMIC_GROUP:
            return [value]
        case node.ASSERT | node.ASSERT_NOT:
            return [value[1]]
    return []


def _fitting(tree: Any) -> list[str]:
    """A few short texts that fit a tree, lookarounds aside."""
    texts = [""]
    for kind, value in tree:
        if kind is node.LITERAL:
            here = [chr(value)]
        elif kind in (node.IN, node.NOT_LITERAL, node.ANY):
            here = sorted(_members(kind, value))[:3]
        elif kind in (node.MAX_REPEAT, node.MIN_REPEAT, node.POSSESSIVE_REPEAT):
            here = [text * min(max(value[0], 1), 40) for text in _fitting(value[2])]
        elif kind is node.BRANCH:
            here = [text for branch in value[1] for text in _fitting(branch)[:2]][:8]
        elif kind in (node.SUBPATTERN, node.ATOMIC_GROUP):
            here = _fitting(_inner(kind, value)[0])
        else:
            here = [""]
        texts = [text + more for text in texts for more in here or [""]][:8]
    return texts


def _members(kind: Any, value: Any) -> set[str]:
    """Some characters that fit a class: the ends of its ranges, and one of each of the usual kinds."""
    if kind is node.ANY:
        return {"a", "."}
    expression = re.compile(parser_text(kind, value), re.DOTALL)
    usual = {char for char in 'aZ0_ \n\\"-./:=[{$%é' if expression.fullmatch(char)}
    ends = {chr(code) for code in _codes(kind, value) if expression.fullmatch(chr(code))}
    return set(sorted(usual)[:5]) | set(sorted(ends)[:6])


def _codes(kind: Any, value: Any) -> Iterator[int]:
    for inner, content in value if kind is node.IN else ():
        if inner is node.LITERAL:
            yield content
        elif inner is node.RANGE:
            yield from content


def parser_text(kind: Any, value: Any) -> str:
    """A class as an expression again."""
    if kind is node.NOT_LITERAL:
        return f"[^{re.escape(chr(value))}]"
    names = {
        node.CATEGORY_DIGIT: r"\d",
        node.CATEGORY_NOT_DIGIT: r"\D",
        node.CATEGORY_SPACE: r"\s",
        node.CATEGORY_NOT_SPACE: r"\S",
        node.CATEGORY_WORD: r"\w",
        node.CATEGORY_NOT_WORD: r"\W",
    }
    text = ""
    for inner, content in value:
        match inner:
            case node.NEGATE:
                text += "^"
            case node.LITERAL:
                text += re.escape(chr(content))
            case node.RANGE:
                text += f"{re.escape(chr(content[0]))}-{re.escape(chr(content[1]))}"
            case node.CATEGORY:
                text += names[content]
    return f"[{text}]"


def _runs(found: Found) -> Iterator[tuple[str, Callable[[str | bytes], object]]]:
    compiled: Any = re.compile(found.expression, found.flags)
    empty: Any = "" if isinstance(found.expression, str) else b""
    for method in sorted(found.methods):
        if method in ("sub", "subn"):
            yield method, lambda text: compiled.sub(empty, text)
        elif method == "finditer":
            yield method, lambda text: list(compiled.finditer(text))
        else:
            yield method, getattr(compiled, method)


def _text(attack: tuple[str, str, str], length: int, *, binary: bool) -> str | bytes:
    start, pump, end = attack
    text = start + pump * (length // len(pump)) + end
    return text.encode("latin-1", "replace") if binary else text


def _taken(run: Callable[[str | bytes], object], text: str | bytes) -> float:
    best = _LONG_ENOUGH
    for _ in range(3):
        begin = time.process_time()
        run(text)
        best = min(best, time.process_time() - begin)
        if best < _SUSPECT:
            break
    return best


def _too_slow(found: Found) -> str | None:
    """The attack that takes more than linear time, if there is one."""
    binary = isinstance(found.expression, bytes)
    for attack in _attacks(found):
        for method, run in _runs(found):
            short = _taken(run, _text(attack, _SHORT, binary=binary))
            if short < _SUSPECT:
                continue
            long = _taken(run, _text(attack, _SHORT * _FACTOR, binary=binary))
            if long > _RATIO * short:
                return f"{found.place}: {method} of {found.expression!r} with {attack!r}: {short:.4f} s, {long:.4f} s"
    return None


class _HangError(Exception):
    """An expression takes for ever."""


def _hangs(number: int, frame: FrameType | None) -> None:
    raise _HangError


def test_all_expressions_are_known() -> None:
    found, unresolved = _all_found()
    assert not unresolved
    assert len(found) > 100


# `make test` runs some of them, `make slow` the others.
_SOME = 6


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.slow] if part else []) for part in range(_SOME)]
)
def test_linear_time(part: int) -> None:
    assert list(filter(None, map(_slow_or_endless, _all_found()[0][part::_SOME]))) == []


def _slow_or_endless(found: Found) -> str | None:
    """The attack that takes too long, if there is one."""
    before = signal.signal(signal.SIGVTALRM, _hangs)
    # Nothing takes a second of this; what takes exponential time takes for ever.
    signal.setitimer(signal.ITIMER_VIRTUAL, 15)
    try:
        return _too_slow(found)
    except _HangError:
        return f"{found.place}: {found.expression!r} does not come to an end"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "expression", [r"(a+)+$", r"(?:a|aa)+!", r"a*a*!", r'"(?:[^"\\]|\\.)*"|x', r"\s+$", r"[a-z]+[0-9a-z]*-"]
)
def test_is_noticed(expression: str) -> None:
    before = signal.signal(signal.SIGVTALRM, _hangs)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    try:
        assert _too_slow(Found("here", expression, 0, frozenset({"match", "search", "findall"})))
    except _HangError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
