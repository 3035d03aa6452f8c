"""What backups fill, what is written, and what is no part of a state."""

from __future__ import annotations

import html
import json
import re
from random import Random

import pytest

from benchmarks.damages.states import LAYOUTS, Block, Plan, plan, write
from statefmt.formats.salvage import Backup, filled, salvage, salvaged_envelope, salvaged_state, sides
from statefmt.formats.salvage.model import Doubt, SalvagedDocument
from statefmt.model.errors import StoreError
from statefmt.testing import make_state
from tests.tables import each_row


def _only(data: bytes) -> SalvagedDocument:
    (document,) = salvage(data).documents
    return document


def test_conflict_markers() -> None:
    both = sides(b'{\n<<<<<<< HEAD\n"serial": 1\n=======\n"serial": 2\n>>>>>>> x\n}\n')
    assert both is not None
    assert both.ours == b'{\n"serial": 1\n}\n'
    assert both.theirs == b'{\n"serial": 2\n}\n'


def test_backups_fill_what_is_torn_and_no_more() -> None:
    whole = make_state({"t.a": {}, "t.b": {}, "t.c": {}}, serial=7)
    backup = Backup("backup", _only(make_state({"t.a": {}, "t.b": {}, "t.c": {}}, serial=6)))
    second = _only(whole).objects[1]
    torn = _only(whole[: second.offset + len(second.raw) - 5])
    result = filled(torn, [backup])
    assert [str(one.key) for one in result.taken] == ["t.a", "t.b"]
    assert [(str(one.key), one.doubt) for one in result.uncertain] == [("t.c", Doubt.ONLY_IN_BACKUP)]
    content = json.loads(salvaged_state(torn, salvaged_envelope(torn.envelope, [backup], result), result.taken))
    assert content["serial"] == 8
    assert [block["name"] for block in content["resources"]] == ["a", "b"]


@pytest.mark.parametrize("data", [b"", b"\0" * 4096, b"no state", b"<html></html>"])
def test_nothing(data: bytes) -> None:
    assert salvage(data).documents == ()


def _written(data: bytes, *backups: Backup, include_uncertain: bool = False) -> bytes:
    document = _only(data)
    result = filled(document, backups, include_uncertain=include_uncertain)
    return salvaged_state(document, salvaged_envelope(document.envelope, backups, result), result.taken)


@each_row("layout", LAYOUTS)
@each_row("kind", ["front", "log", "logs", "mark", "UTF-16", "zeros", "colors", "HTML"])
def test_a_state_that_is_whole_keeps_its_bytes(layout: str, kind: str) -> None:
    original = write(plan(Random(layout), 5000, serial=99), LAYOUTS[layout]).data
    text = original.decode()
    data = {
        "front": b"Initializing...\n" + original,
        "log": b'info {"level": 1, "x": ' + original,
        "logs": b'{"x": [' * 100 + original,
        "mark": b"\xef\xbb\xbf" + original,
        "UTF-16": text.encode("utf-16"),
        "zeros": original + bytes(5000),
        "colors": b"\x1b[1m" + original + b"\x1b[0m",
        "HTML": f"<pre>{html.escape(text)}</pre>".encode(),
    }[kind]
    assert _written(data) == re.sub(rb'("serial" ?: ?)99', rb"\g<1>100", original)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_state_that_was_cut_off_in_a_log(layout: str) -> None:
    """The line of the log begins an object, which the cut leaves open, too."""
    whole = write(plan(Random(5), 5000, serial=99), LAYOUTS[layout])
    cut = whole.data[: whole.objects[-1].end + 1]
    assert _written(b'info {"x": ' + cut) == _written(cut)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_damaged_state_keeps_its_layout_and_what_is_unknown(layout: str) -> None:
    made = plan(Random(5), 5000, serial=99)
    blocks = tuple(Block({**block.head, "x": {"y": 1.50}}, block.instances) for block in made.blocks)
    whole = write(Plan(99, blocks, {}), LAYOUTS[layout])
    # The array of instances and what follows it is lost after the last object.
    result = _written(whole.data[: whole.objects[-1].end + 1])
    expected = re.sub(rb'("serial" ?: ?)99', rb"\g<1>100", whole.data)
    assert result.split() == expected.split() or layout == "spaced"
    assert result.count(whole.objects[0].raw) == 1
    assert json.loads(result) == json.loads(expected)


def test_an_output_of_a_backup_is_uncertain_like_an_object() -> None:
    torn = make_state({"t.a": {}}, {"kept": "a"}, serial=7).replace(b'"resources"', b'"resou', 1)
    backup = Backup("backup", _only(make_state({"t.a": {}}, {"kept": "b", "gone": "c"}, serial=6)))
    result = filled(_only(torn), [backup])
    assert [name for name, _ in result.outputs] == ["kept"]
    assert result.uncertain_outputs == ("gone",)
    assert set(json.loads(_written(torn, backup, include_uncertain=True))["outputs"]) == {"kept", "gone"}


def test_a_torn_output_is_taken_from_a_backup() -> None:
    whole = make_state({"t.a": {}}, {"one": "first value", "two": "second value"}, serial=7)
    torn = whole[: whole.index(b"second value") + 6]
    backup = Backup("backup", _only(make_state({"t.a": {}}, {"one": "x", "two": "y"}, serial=6)))
    outputs = json.loads(_written(torn, backup))["outputs"]
    assert {name: one["value"] for name, one in outputs.items()} == {"one": "first value", "two": "y"}


def test_an_object_whose_resource_is_lost_is_known_by_its_bytes() -> None:
    whole = make_state({"t.a[0]": {"x": "1"}, "t.a[1]": {"x": "2"}, "t.a[2]": {"x": "3"}}, serial=7)
    first = _only(whole).objects[0]
    hole = whole[:200] + bytes(first.offset + 20 - 200) + whole[first.offset + 20 :]
    old = make_state({"t.a[0]": {"x": "1"}, "t.a[1]": {"x": "2"}, "t.a[2]": {"x": "old"}}, serial=6)
    result = filled(_only(hole), [Backup("backup", _only(old))])
    assert [str(one.key) for one in result.taken] == ["t.a[1]"]


def test_the_serial_follows_that_of_the_newest_backup_if_the_file_lost_its_own() -> None:
    whole = make_state({"t.a": {}, "t.b": {}}, serial=7)
    headless = whole[whole.index(b'"resources"') :]
    backups = [Backup(f"{n}", _only(make_state({"t.a": {}}, serial=n))) for n in (5, 6)]
    content = json.loads(_written(headless, *backups))
    assert content["serial"] == 7
    assert content["lineage"] == json.loads(whole)["lineage"]
    assert json.loads(_written(headless))["serial"] == 1


def test_the_highest_serial_has_no_successor() -> None:
    with pytest.raises(StoreError, match="no state can follow"):
        _written(make_state({"t.a": {}}, serial=2**64 - 1)[:-4])


def test_a_torn_envelope_is_known_as_encrypted() -> None:
    envelope = b'{"serial":7,"lineage":"x","meta":{"key_provider.pbkdf2.a":"e30="},"encrypted_data":"AAAABBBBCCCC'
    document = _only(envelope)
    assert document.envelope.is_encrypted
    assert document.envelope.serial == 7


def test_members_of_attributes_are_no_parts_of_a_state() -> None:
    inner = {"schema_version": 0, "attributes": {"id": "i"}}
    fake = {"mode": "managed", "type": "t", "name": "fake", "provider": "p", "instances": [inner]}
    whole = make_state({"t.a": {"x": [fake]}, "t.b": {}}, serial=7)
    for cut in range(len(whole) - 3):
        holed = whole[: cut // 2] + bytes(cut - cut // 2) + whole[cut:]
        for document in (*salvage(whole[:cut]).documents, *salvage(holed).documents):
            assert {str(one.key) for one in document.certain} <= {"t.a", "t.b"}


def test_elements_of_an_attribute_are_no_resources_behind_a_seam() -> None:
    inner = {"schema_version": 0, "attributes": {"id": "i"}}
    fake = {"mode": "managed", "type": "t", "name": "fake", "provider": "p", "instances": [inner]}
    whole = make_state({"t.a": {"x": [{}, fake, {**fake, "name": "fake_too"}]}, "t.b": {}}, layout="compact")
    # The beginning stops behind an object, the end goes on in the list: both are behind an element of an array.
    beginning = _only(whole).objects[1]
    torn = whole[: beginning.offset + len(beginning.raw)] + whole[whole.index(b"[{}") + 3 :]
    documents = salvage(torn).documents
    assert any("fake" in str(one.key) for document in documents for one in document.objects)
    assert not any("fake" in str(one.key) for document in documents for one in document.certain)


def test_between_an_object_and_its_repetition_is_a_seam() -> None:
    whole = make_state({f"t.a[{key}]": {"x": str(key)} for key in range(4)}, serial=7)
    found = [one.raw for one in _only(whole).objects]
    torn = whole.replace(found[2], found[0])[:-4]
    objects = _only(torn).objects
    assert [(str(one.key), one.doubt) for one in objects] == [
        ("t.a[0]", Doubt.MIXED),
        ("t.a[1]", Doubt.MIXED),
        ("t.a[0]", Doubt.MIXED),
        ("t.a[3]", None),
    ]


@pytest.mark.parametrize("front", [b"<html><body><pre>", b"<textarea rows='3'>\n"])
def test_a_page_that_escapes_but_leaves_quotes(front: bytes) -> None:
    whole = make_state({"t.a": {"x": "a&b"}, "t.b": {"x": "y"}}, {"o": "<p>"}, serial=7)
    text = json.dumps(json.loads(whole), indent=2)
    page = _only(front + html.escape(text, quote=False).encode() + b"</pre>")
    assert [(str(one.key), one.doubt) for one in page.objects] == [("t.a", Doubt.ESCAPED), ("t.b", None)]
    assert (page.is_whole, page.lost_outputs) == (False, ("o",))
    # Without tags around it, a state says what it says.
    assert _only(b"log\n" + html.escape(text, quote=False).encode()).is_whole
