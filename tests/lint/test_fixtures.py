"""Every rule has states that it reports and states that come close to it, and a page; each code has one rule.

`tests/lint/CODE/fail-NAME.tfstate` is reported under CODE, at the addresses and pointers that stand in
`fail-NAME.expected.json`; `pass-NAME.tfstate` is not reported under it. One whose name ends with `-for-RELEASE` is
checked for that release, and one that ends with `-opened-by-METHODS` with the encryption configuration of these methods
of `tests/cli/encrypted.py`; those of STA019 are checked with the JSON schema. Rules that look at a configuration have
theirs in `tests/configurations`, those about plans in `tests/lint/plans`, and those of `verify` have recorded plans in
`tests/lifecycle`. Small states may be rows of the tables in `test_cases.py` instead.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Final

from statefmt.encryption import examine
from statefmt.formats.releases import parse_release
from statefmt.lint.check import check
from statefmt.lint.registry import all_pages, all_rules
from statefmt.model.findings import Code, Finding
from tests.cli.encrypted import configured
from tests.lint.states import text
from tests.lint.test_cases import FINE, REPORTED
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parent
FOR: Final = re.compile(r"-for-((?:opentofu|terraform)-[0-9]+\.[0-9]+)(?:$|-opened-by-)")
_OPENED: Final = re.compile(r"-opened-by-((?:old|new|plain)(?:-(?:old|new|plain))*)$")
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PARTS: Final = ("What it does", "Why is this bad?", "Example", "What to do")

_CODES: Final = sorted(Code)
_FILES: Final = sorted(path for path in _FOLDER.glob("[A-Z]*/*") if path.is_file())
FAILING: Final = [path for path in _FILES if path.name.startswith("fail-") and path.suffix == ".tfstate"]
# What each rule reports: its fixtures, or else its rows of the tables in test_cases.py.
STATES: Final = {path: path.read_bytes() for path in FAILING} | {
    Path(code, str(number)): text(state)
    for code, cases in REPORTED.items()
    if code not in {path.parent.name for path in FAILING}
    for number, (state, _, _) in enumerate(cases)
}
_PASSING: Final = [path for path in _FILES if path.name.startswith("pass-") and path.suffix == ".tfstate"]


def methods_of(fixture: Path) -> list[str]:
    """The methods of the encryption configuration of a fixture; none if it is checked without one."""
    methods = _OPENED.search(fixture.stem)
    return methods[1].split("-") if methods else []


def check_as(fixture: Path, data: bytes, code: str | None = None, *, name: str | None = None) -> list[Finding]:
    """What the rules find in a state, or one of them, with what belongs to a fixture."""
    named, methods = FOR.search(fixture.stem), methods_of(fixture)
    opened = examine(data, configured(*methods)) if methods else None
    return check(
        opened.plain if opened else data,
        select=None if code is None else [code],
        release=parse_release(named[1]) if named else None,
        name=name,
        opened=opened,
        json_schema=fixture.parent.name == Code.JSON_SCHEMA,
    )


def _check(path: Path, code: str | None = None) -> list[Finding]:
    return check_as(path, path.read_bytes(), code)


def _label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _places(findings: list[Finding], code: str) -> list[tuple[str, str]]:
    return sorted((finding.address, finding.pointer) for finding in findings if finding.code == code)


def _expected(path: Path) -> list[tuple[str, str]]:
    places = json.loads(path.with_suffix(".expected.json").read_bytes())
    assert all(place.keys() == {"address", "pointer"} for place in places)
    return sorted((place["address"], place["pointer"]) for place in places)


@each_row("path", FAILING, ids=_label)
def test_reported(path: Path) -> None:
    code = path.parent.name
    expected = _expected(path)
    assert expected, "a failing fixture has at least one finding"
    assert _places(_check(path, code), code) == expected


@each_row("path", FAILING, ids=_label)
def test_reported_whatever_other_rules_run(path: Path) -> None:
    code = path.parent.name
    assert _places(_check(path), code) == _expected(path)


@each_row("path", _PASSING, ids=_label)
def test_not_reported(path: Path) -> None:
    code = path.parent.name
    assert _places(_check(path, code), code) == []


@each_row("path", [*FAILING, *_PASSING], ids=_label)
def test_checked_the_same_twice(path: Path) -> None:
    assert _check(path) == _check(path)


@each_row("code", [code for code in _CODES if not code.startswith(("CFG", "CFS", "LIF", "PLN", "SCH"))])
@each_row("kind", ["fail", "pass"])
def test_has_fixtures(code: str, kind: str) -> None:
    tabled = REPORTED if kind == "fail" else FINE
    assert list((_FOLDER / code).glob(f"{kind}-*.tfstate")) or tabled.get(code)


def test_nothing_else_lies_about() -> None:
    odd = {
        str(path.relative_to(_FOLDER))
        for path in _FILES
        if not re.fullmatch(
            r"(?:fail|pass)-[a-z0-9.]+(?:-[a-z0-9.]+)*\.tfstate|fail-[a-z0-9.-]+\.expected\.json", path.name
        )
    }
    assert odd == set()
    assert {path.parent.name for path in _FILES} <= set(_CODES)
    expectations = {path.name.removesuffix(".expected.json") for path in _FILES if path.suffix == ".json"}
    assert expectations == {path.stem for path in FAILING}


def test_each_code_once() -> None:
    assert [code for code, count in Counter(_CODES).items() if count > 1] == []
    assert list(all_rules()) == _CODES


@each_row("code", _CODES)
def test_rule_and_page(code: str) -> None:
    page = all_pages()[code]
    assert page.rule.code == code
    module = page.rule.check.__module__.rpartition(".")[2]
    assert module in ("rule", code[:3].lower()) or module.startswith(f"{code.lower()}_")
    assert page.title
    assert page.title[0] != "#"
    _, *pieces = re.split(r"^## (.*)$", page.text, flags=re.MULTILINE)
    assert pieces[::2] == list(_PARTS)
    texts = dict(zip(pieces[::2], (piece.strip() for piece in pieces[1::2]), strict=True))
    assert all(texts.values())
    assert re.fullmatch(r"```(?:json|hcl)\n.*\n```", texts["Example"], re.DOTALL)


def test_names() -> None:
    names = [rule.name for rule in all_rules().values()]
    assert [name for name in names if not _NAME.fullmatch(name)] == []
    assert [name for name, count in Counter(names).items() if count > 1] == []
