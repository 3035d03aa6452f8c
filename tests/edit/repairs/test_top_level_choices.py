"""Each choice for outputs, check results and what a state says of itself, with the bytes that it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.edit.repairs import DecisionIndex, parse_decision, repaired
from statefmt.edit.repairs.find import defects
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Code
from tests.edit.repairs.compact_state import keyed, mended, offered, resource, state
from tests.tables import each_row


def _output(value: str, kind: str = '"string"') -> str:
    return state(outputs=f'{{"o":{{"value":{value},"type":{kind}}}}}')


def _check(config: str, *objects: str) -> str:
    listed = ",".join(f'{{"object_addr":"{one}","status":"pass"}}' for one in objects)
    return f'{{"object_kind":"resource","config_addr":"{config}","status":"pass","objects":[{listed}]}}'


_GOOD = _check("aws_vpc.a")
_FULL = state(resource(keyed("0", "x")))


@each_row(
    ("before", "decision", "after"),
    [
        (_output('"5"', '"bool"'), "OUT002 * implied", _output('"5"')),
        (_output('"5"', '"bool"'), "OUT002 * value=true", _output("true", '"bool"')),
        (_output('{"a":[1]}'), "OUT002 * implied", _output('{"a":[1]}', '["object",{"a":["tuple",["number"]]}]')),
        (_output('"5"', '"text"'), "OUT001 * implied", _output('"5"')),
        (_output('["x"]', '"text"'), 'OUT001 * type=["list","string"]', _output('["x"]', '["list","string"]')),
        (_output('"5"', '"text"'), "OUT001 output.o remove", state()),
        (
            state(checks=f"[{_check('a b')},{_check('aws_vpc.a')}]"),
            "CHK001 * remove",
            state(checks=f"[{_check('aws_vpc.a')}]"),
        ),
        (
            state(checks=f"[{_check('aws_vpc.a[0]')}]"),
            "CHK001 * address=aws_vpc.a",
            state(checks=f"[{_check('aws_vpc.a')}]"),
        ),
        (
            state(checks=f"[{_check('aws_vpc.a', '?', 'aws_vpc.a')}]"),
            "CHK001 * remove",
            state(checks=f"[{_check('aws_vpc.a', 'aws_vpc.a')}]"),
        ),
        (state().replace("1.9.0", " 1.9.0"), "STA006 * trim", state()),
        (state().replace("1.9.0", "soon"), "STA006 * release=1.9.0", state()),
        (state().replace("1.9.0", "soon"), "STA006 * remove", state().replace('"terraform_version":"1.9.0",', "")),
        (_FULL.replace('"serial":3', '"serial":0'), "STA015 * serial=43", _FULL.replace('"serial":3', '"serial":43')),
        (_FULL.replace('"serial":3,', ""), "STA015 /serial serial=3", _FULL),
        (_FULL.replace("3", "9007199254740993", 1), "STA015 * serial=3", _FULL),
        (_FULL.replace('"serial":3', '"serial":-3'), "STA004 * remove", _FULL.replace('"serial":3,', "")),
        (_FULL.replace('"serial":3', '"serial":"3"'), "STA004 * convert", _FULL),
        (_FULL.replace('"lineage":"l",', ""), "STA014 * lineage=l", _FULL),
        (_FULL.replace('"lineage":"l"', '"lineage":""'), "STA014 * lineage=l", _FULL),
    ],
)
def test_choices(before: str, decision: str, after: str) -> None:
    assert mended(before, decision) == after


@pytest.mark.parametrize("given", ["0x1", "-1", "1.0", "9007199254740992", ""])
def test_refused_serial(given: str) -> None:
    with pytest.raises(SurgeryError):
        mended(_FULL.replace('"serial":3', '"serial":0'), f"STA015 * serial={given}")


def test_long_types_are_not_shown() -> None:
    members = ",".join(f'"name{number}":1' for number in range(100))
    assert offered(_output(f"{{{members}}}"), "OUT002")["implied"] == "the type that the value has"


def test_new_lineage_comes_from_the_content() -> None:
    """The same bytes give the same UUID."""
    first = _FULL.replace('"lineage":"l",', "")
    made = mended(first, "STA014 * new")
    assert made == mended(first, "STA014 * new")
    lineage = made.partition('"lineage":"')[2].partition('"')[0]
    assert made == _FULL.replace('"l"', f'"{lineage}"')
    assert [len(part) for part in lineage.split("-")] == [8, 4, 4, 4, 12]
    other = _FULL.replace('"lineage":"l",', "").replace("x", "y")
    assert lineage not in mended(other, "STA014 * new")


@pytest.mark.parametrize(("choice", "text"), [("windows-1252", "Münster €"), ("replace", "M\ufffdnster \ufffd")])
def test_bytes_that_are_not_utf8(choice: str, text: str) -> None:
    """Only these bytes change, not the character before them, which is valid."""
    valid = f" {state(resource(keyed('0', 'ü @')))}\n"
    before = valid.encode().replace(b"@", b"M\xfcnster \x80")
    made = [parse_decision(f"STA013 * {choice}")]
    repair = repaired(before, DecisionIndex(made).decided)
    assert repair.content == valid.replace("@", text).encode()
    # What was replaced is lost, which remains to be said.
    assert {one.finding.code for one in defects(repair.content)} <= {Code.DAMAGED_VALUE}


@pytest.mark.parametrize("name", ["truncated", "backend-configuration"])
def test_nothing_is_offered_for_other_files(name: str) -> None:
    data = Path(f"samples/broken/{name}.tfstate").read_bytes()
    assert all(not defect.choices for defect in defects(data))
