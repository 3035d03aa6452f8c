"""Reads the texts of the specification that are written by hand, and fills in the recorded cases that they name.

A text is Markdown. A section called `member resources.provider` belongs to that member. Lines that start with `@`
stand for something recorded, so that it cannot be wrong:

- `@show CASE POINTER` shows a part of the state of a case, and what OpenTofu makes of it;
- `@row CASE POINTER` does the same in a line of a table;
- `@lost CASE` says in a line of a table what each recorded release lost of a state;
- `@sample FILE` shows a file of `samples`;
- `@facts ABOUT…` is a table of facts from `releases.json`;
- `@summary` is a table of the first releases that keep what not all of them keep;
- `@becomes TEXT` says what becomes of a member in the next format.

`POINTER -> POINTER` gives the place in what OpenTofu wrote, if it is another one. See `cases.part` for `*` and `#`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import statefmt
from docs.specification import cases, facts

_FOLDER: Final = Path(__file__).parent / "texts"
_SAMPLES: Final = _FOLDER.parents[2] / "samples"
_HEADING: Final = re.compile(r"^## (.+)\n", re.MULTILINE)
_BECOMES: Final = re.compile(r"@becomes (.+)\n")
_DIRECTIVE: Final = re.compile(r"@(?P<name>show|row)\s+(?P<case>\S+)\s+(?P<at>/\S*|-)(?:\s+->\s+(?P<to>/\S*))?")
_LONGEST_CELL: Final = 120


@dataclass(frozen=True, slots=True)
class Text:
    """The parts of a text: `introduction`, what it says about members by path, and `sections` by title.

    `becomes` has what becomes of members in the next format, by path.
    """

    introduction: str
    members: Mapping[tuple[str, ...], str]
    becomes: Mapping[tuple[str, ...], str]
    sections: Mapping[str, str]


def text(name: str) -> Text:
    """Return the text of a page, with everything filled in."""
    introduction, *parts = _HEADING.split((_FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    members: dict[tuple[str, ...], str] = {}
    becomes: dict[tuple[str, ...], str] = {}
    sections: dict[str, str] = {}
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        kind, _, dotted = title.partition(" ")
        if kind != "member":
            sections[title] = _filled(body)
            continue
        path = tuple(dotted.split("."))
        fate = _BECOMES.match(body)
        if fate:
            becomes[path] = fate[1]
        members[path] = _filled(body[fate.end() if fate else 0 :])
    return Text(_filled(introduction), members, becomes, sections)


def _filled(body: str) -> str:
    blocks: list[str] = []
    for directive, group in groupby(body.strip().splitlines(), lambda line: line.partition(" ")[0]):
        lines, table = list(group), _TABLES.get(directive)
        if table and blocks and blocks[-1]:
            blocks.append("")
        blocks += [table(lines)] if table else map(_line, lines)
    return "\n".join(blocks)


def _line(line: str) -> str:
    if line.startswith("@facts "):
        return facts.table(line.split()[1:])
    if line.startswith("@sample "):
        return _sample(line.split()[1])
    if line == "@summary":
        return facts.summary()
    if not line.startswith("@"):
        return line
    case, before, after = _parts(line)
    shown = [
        f"`{case['id']}`:",
        "",
        "```json",
        cases.laid_out(before),
        "```",
        "",
        f"OpenTofu {_result(case, before, after)}",
    ]
    if after is not None and _differ(before, after):
        shown += ["", "```json", cases.laid_out(after), "```"]
    return "\n".join(shown)


def _sample(name: str) -> str:
    sample = (_SAMPLES / name).read_bytes()
    return f"`samples/{name}`:\n\n```json\n{cases.laid_out(cases.part(sample, '') or b'')}\n```"


def _table(lines: Sequence[str]) -> str:
    rows = ["| in the file | what OpenTofu does | case |", "| --- | --- | --- |"]
    for line in lines:
        case, before, after = _parts(line)
        result = _result(case, before, after).rstrip(":.")
        if after is not None and _differ(before, after):
            result += f" {_code(cases.on_one_line(after))}"
        rows.append(f"| {_code(cases.on_one_line(before))} | {result} | `{case['id']}` |")
    return "\n".join(rows)


def _lost(lines: Sequence[str]) -> str:
    found = [cases.releases()[line.split()[1]] for line in lines]
    releases = list(found[0]["releases"])
    head = f"| state | {' | '.join(f'OpenTofu {name}' for name in releases)} |\n| --- |{' --- |' * len(releases)}"
    rows = [f"| `{case['id']}` | {' | '.join(_loss(case['releases'][name]) for name in releases)} |" for case in found]
    return "\n".join([head, *rows])


def _loss(result: Mapping[str, Any]) -> str:
    if result["exit"] != 0:
        return "refuses it"
    lost = [
        f"{len(gone)} {kind if len(gone) > 1 else kind[:-1]}"
        for kind, gone in (("instances", result["lost_resources"]), ("members", result["lost_fields"]))
        if gone
    ]
    return f"exit status 0, loses {' and '.join(lost)}" if lost else "keeps all"


_TABLES: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {"@row": _table, "@lost": _lost}


def _parts(line: str) -> tuple[cases.Case, bytes, bytes | None]:
    """Return the case of a line, the part of its state, and that part as OpenTofu wrote it."""
    match = _DIRECTIVE.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"not understood: {line}")
    case = cases.find(match["case"])
    pointer = "" if match["at"] == "-" else match["at"]
    before = cases.part(cases.read(case), pointer)
    if before is None:
        raise LookupError(f"{case['id']} has no {pointer}")
    written = cases.written(case)
    return case, before, None if written is None else cases.part(written, match["to"] or pointer)


def _result(case: cases.Case, before: bytes, after: bytes | None) -> str:
    """Return a sentence on what OpenTofu does. It ends with a colon if what it wrote follows."""
    said = [_summary(finding) for finding in case["diagnostics"]]
    if case["outcome"] == "panic":
        return "crashes."
    if case["outcome"] != "ok":
        return f"refuses the state: {', '.join(dict.fromkeys(said))}."
    extra = f" and warns: {', '.join(dict.fromkeys(said))}" if said else ""
    if not case["deterministic"]:
        extra += " (it varies)"
    if statefmt.inspect(cases.read(case)).snapshot is None:
        extra += " (statetool refuses the state)"
    if after is None:
        return f"leaves it out{extra}."
    return f"writes{extra}:" if _differ(before, after) else f"writes the same{extra}."


def _summary(finding: Mapping[str, str]) -> str:
    return f"*{finding['summary']}*"


def _differ(before: bytes, after: bytes) -> bool:
    return cases.on_one_line(before) != cases.on_one_line(after)


def _code(text: str) -> str:
    """Return a cell with code. A long one is cut, with a mark."""
    if len(text) > _LONGEST_CELL:
        text = f"{text[: _LONGEST_CELL // 2]} … {text[-_LONGEST_CELL // 2 :]}"
    if not text.isprintable():
        raise ValueError(f"cannot be shown: {text!r}")
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}".replace("|", "\\|")
