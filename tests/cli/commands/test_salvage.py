"""`salvage` takes what is whole from a damaged file, fills it from backups, and never writes over what it reads."""

from __future__ import annotations

import gzip
import html
import json
import os
import re
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt import StoreError, run_context
from statefmt.salvage import salvage_state, write_salvaged
from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal
from tests.cli.test_json_output import _assert_valid
from tests.servers.http import state_server

REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME: Final = "terraform.tfstate"
BACKUP: Final = f"{NAME}.backup"
OUT: Final = "salvaged"
# Within aws_vpc.main["eu-west-1"], behind its id.
CUT: Final = REGIONS.index(b'"vpc-01a2b3c4d5e6f7081"') + 60
BEFORE: Final = (
    "data.aws_caller_identity.current",
    "aws_cloudwatch_metric_alarm.budget",
    "aws_iam_role.app",
    'aws_instance.web["eu-west-1"]',
    'aws_instance.web["eu-west-1"]',
    'aws_instance.web["us-west-2"]',
)
TORN: Final = 'aws_vpc.main["eu-west-1"]'
BEHIND: Final = (
    'aws_vpc.main["us-west-2"]',
    'module.database["eu-west-1"].aws_db_instance.this',
    'module.database["us-west-2"].aws_db_instance.this',
)
_CONFLICT: Final = REGIONS.replace(
    b'  "serial": 58,\n', b'<<<<<<< HEAD\n  "serial": 58,\n=======\n  "serial": 61,\n>>>>>>> theirs\n'
)


@pytest.fixture(autouse=True)
def state(folder: Path) -> Path:
    (folder / BACKUP).write_bytes(REGIONS.replace(b'"serial": 58', b'"serial": 57'))
    path = folder / NAME
    path.write_bytes(REGIONS[:CUT])
    return path


def _report(statetool: Statetool, *arguments: str) -> dict[str, Any]:
    done = statetool("salvage", NAME, "--format", "json", *arguments)
    report: dict[str, Any] = json.loads(done.out)
    _assert_valid(report, "salvage-output")
    return report


def _addresses(objects: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(one["address"] for one in objects)


def _objects(path: str) -> list[Any]:
    """Return all objects of a state, each with the type and name of its resource."""
    resources = json.loads(Path(path).read_bytes())["resources"]
    return [(one["type"], one["name"], each) for one in resources for each in one["instances"]]


def test_what_is_whole(statetool: Statetool) -> None:
    report = _report(statetool)
    assert _addresses(report["objects"]) == BEFORE
    assert _addresses(report["missing"]) == (TORN,)
    assert report["imports"] == [{"address": TORN, "id": "vpc-01a2b3c4d5e6f7081", "sensitive": False}]
    known = {"path": BACKUP, "is_file": True, "serial": 57, "objects": 10, "absent": 4}
    assert report["known_backups"] == [known]
    assert (report["serial"], report["is_whole"], report["result"]) == (58, False, None)
    assert (report["lacks_end"], report["slips"]) == (True, [])
    [broken] = report["breaks"]
    assert CUT - 30 < broken["offset"] <= CUT
    assert broken["line"] == REGIONS[: broken["offset"]].count(b"\n") + 1


def test_text(statetool: Statetool) -> None:
    done = statetool("salvage", NAME)
    assert done.status == 1
    assert "6 objects from terraform.tfstate" in done.text
    assert f'import {{\n  to = {TORN}\n  id = "vpc-01a2b3c4d5e6f7081"\n}}' in done.text
    said = f"use all with --from-backups\n  {BACKUP}: serial 57, 10 objects, 4 of them not in this file\n"
    assert said in done.text
    assert "this state is truncated (serial 58" in done.text
    assert "what followed is unknown" in done.text
    assert "Lost:" not in done.text


def test_a_backup_fills_what_is_torn_and_no_more(statetool: Statetool) -> None:
    assert statetool("salvage", NAME, "--from", BACKUP, "-o", OUT).status == 1
    whole = [one for one in json.loads(REGIONS)["resources"] for _ in one["instances"]]
    assert len(_objects(OUT)) == len(BEFORE) + 1 < len(whole)
    known = json.loads(REGIONS)["resources"]
    assert all(one in [each for block in known for each in block["instances"]] for _, _, one in _objects(OUT))
    assert json.loads(Path(OUT).read_bytes())["serial"] == 59
    assert statetool("check", OUT, "--select", "STA").status == 0


def test_uncertain_objects_if_asked(statetool: Statetool) -> None:
    report = _report(statetool, "--from-backups")
    assert _addresses(report["uncertain"]) == BEHIND
    assert {one["reason"] for one in report["uncertain"]} == {"only_in_backup"}
    assert {one["source"] for one in report["uncertain"]} == {BACKUP}
    report = _report(statetool, "--from-backups", "--include-uncertain", "-o", OUT)
    assert (report["uncertain"], report["missing"], report["imports"]) == ([], [], [])
    assert report["result"] == {"path": OUT, "serial": 59, "encrypted": False, "errors": []}
    assert json.loads(Path(OUT).read_bytes())["resources"] == json.loads(REGIONS)["resources"]


@pytest.mark.parametrize(
    ("content", "converted"),
    [
        (REGIONS + bytes(4096), []),
        (b"\xef\xbb\xbf" + REGIONS, ["a byte order mark"]),
        (REGIONS.decode().encode("utf-16"), ["UTF-16"]),
        (b"2026-01-01 [INFO] backend\n" + REGIONS, []),
        (f"<pre>{html.escape(REGIONS.decode())}</pre>".encode(), ["HTML entities"]),
        (REGIONS, []),
    ],
    ids=["zeros", "mark", "UTF-16", "log line", "HTML", "whole"],
)
def test_whole_in_spite_of_its_form(content: bytes, converted: list[str], state: Path, statetool: Statetool) -> None:
    state.write_bytes(content)
    done = statetool("salvage", NAME, "-o", OUT)
    assert done.status == 0
    assert _report(statetool)["converted"] == converted
    assert json.loads(Path(OUT).read_bytes()) == json.loads(REGIONS) | {"serial": 59}
    assert state.read_bytes() == content


@pytest.mark.parametrize(("side", "serial"), [("ours", 59), ("theirs", 62)])
def test_a_conflict_has_two_sides(side: str, serial: int, state: Path, statetool: Statetool) -> None:
    state.write_bytes(_CONFLICT)
    asked = statetool("salvage", NAME)
    assert asked.status == 2
    assert "--side ours or --side theirs" in " ".join(asked.err.split())
    assert _report(statetool, "--side", side)["side"] == side
    assert statetool("salvage", NAME, "--side", side, "-o", OUT).status == 0
    assert json.loads(Path(OUT).read_bytes()) == json.loads(REGIONS) | {"serial": serial}


@pytest.mark.parametrize("content", [b"", bytes(5000), b"\x89PNG\r\n\x1a\n", b"no state", b'{"name": "x"'])
def test_nothing_found(content: bytes, state: Path, statetool: Statetool) -> None:
    state.write_bytes(content)
    done = statetool("salvage", NAME, "-o", OUT)
    assert (done.status, done.out) == (2, b"")
    advice = f"`statetool restore BACKUP --state {NAME}`"
    assert f"{advice} puts a backup in its place:\n  {BACKUP}\n" in done.err
    assert not Path(OUT).exists()
    if f"move it away; then {advice}" in done.err:
        state.unlink()
    assert statetool("restore", BACKUP, "--state", NAME, "--yes").status == 0


@pytest.mark.parametrize("name", [NAME, f"./{NAME}", "hard", "symbolic", BACKUP])
def test_never_over_what_it_reads(name: str, state: Path, folder: Path, statetool: Statetool) -> None:
    os.link(state, folder / "hard")
    (folder / "symbolic").symlink_to(NAME)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = statetool("salvage", NAME, "--from", BACKUP, "-o", name, "--yes")
    assert done.status == 2
    assert "salvage reads this file" in " ".join(done.err.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_never_over_standard_input(state: Path, program: Program) -> None:
    done = program.in_shell(f"statetool salvage - -o {NAME} --yes < {NAME}")
    assert done.status == 2
    assert state.read_bytes() == REGIONS[:CUT]


def test_an_existing_file(statetool: Statetool) -> None:
    Path(OUT).write_bytes(b"mine")
    # It is refused before anything is read.
    assert "already exists" in statetool("salvage", "missing", "-o", OUT).err
    assert Path(OUT).read_bytes() == b"mine"
    done = statetool("salvage", NAME, "-o", OUT, "--yes")
    assert done.status == 1
    [kept] = Path().glob(f"{OUT}.*.backup")
    assert kept.read_bytes() == b"mine"


def test_standard_streams(program: Program) -> None:
    done = program("salvage", "-", "--from", BACKUP, "-o", "-", stdin=REGIONS[:CUT])
    assert done.status == 1
    assert json.loads(done.out)["serial"] == 59
    assert "<standard input>: this state is truncated" in done.err


def test_the_result_is_put_in_place(state: Path, statetool: Statetool) -> None:
    done = statetool("salvage", NAME, "--from-backups", "--include-uncertain", "-o", OUT)
    found = re.search(r"`statetool (restore .*)`", done.err)
    assert found is not None
    assert statetool(*found[1].split(), "--yes").status == 0
    assert json.loads(state.read_bytes())["resources"] == json.loads(REGIONS)["resources"]
    assert statetool("undo", "--yes").status == 0
    assert state.read_bytes() == REGIONS[:CUT]


def test_history_and_folders(state: Path, folder: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS)
    assert statetool("mv", "aws_vpc.main", "aws_vpc.net", "--no-backup").status == 0
    state.write_bytes(state.read_bytes()[:CUT])
    (folder / BACKUP).unlink()
    known = _report(statetool)["known_backups"]
    assert known == [{"path": f"{NAME} before edit 1", "is_file": False, "serial": 58, "objects": 10, "absent": 4}]
    assert {one["source"] for one in _report(statetool, "--from-backups")["uncertain"]} == {known[0]["path"]}
    older = folder / "older"
    older.mkdir()
    (older / "a.tfstate").write_bytes(REGIONS)
    (older / "b.tfstate").write_bytes(REGIONS[:100])
    (older / "c.tfstate").write_bytes((SAMPLES / "v4-deposed.tfstate").read_bytes())
    report = _report(statetool, "--from", "older")
    assert [one["path"] for one in report["backups"]] == ["older/a.tfstate"]
    assert [one["path"] for one in report["unused_backups"]] == ["older/b.tfstate", "older/c.tfstate"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (REGIONS[:CUT] + b"\n" + REGIONS, "it has parts of 2 states"),
        (b"no state", "this backup is not a state"),
        ((SAMPLES / "v4-deposed.tfstate").read_bytes(), "this is a backup of another state"),
        ((SAMPLES / "v3-legacy.tfstate").read_bytes(), "format version 3"),
        (encrypted(REGIONS, "old"), "This state is encrypted"),
    ],
    ids=["two", "none", "other", "version 3", "encrypted"],
)
def test_a_backup_that_does_not_fit(content: bytes, said: str, statetool: Statetool) -> None:
    Path(BACKUP).write_bytes(content)
    done = statetool("salvage", NAME, "--from", BACKUP)
    assert done.status == 2
    assert said in " ".join(done.err.split())
    # Those that were not named do not stand in the way.
    assert [one["path"] for one in _report(statetool, "--from-backups")["unused_backups"]] == [BACKUP]


def test_a_damaged_backup_that_is_named_gives_what_is_whole_in_it(statetool: Statetool) -> None:
    behind = REGIONS.index(b'"vpc-02b3c4d5e6f708192"')
    Path(BACKUP).write_bytes(REGIONS[:behind])
    [unused] = _report(statetool, "--from-backups")["unused_backups"]
    assert unused == {"path": BACKUP, "message": "this backup is damaged itself; name it to use what is whole in it"}
    report = _report(statetool, "--from", BACKUP)
    assert report["backups"] == [{"path": BACKUP, "is_whole": False, "serial": 58, "objects": len(BEFORE) + 1}]
    assert _addresses(report["objects"]) == (*BEFORE, TORN)
    assert "this backup is damaged, too; only its 7 whole objects" in statetool("salvage", NAME, "--from", BACKUP).text


def test_a_lineage_that_is_lost(state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS[REGIONS.index(b'"resources"') :])
    said = " ".join(statetool("salvage", NAME, "-o", OUT).text.split())
    assert "The lineage is unknown, and the result has none: --from BACKUP" in said
    assert "The result has serial 1, and a stored state may have a higher one" in said
    assert statetool("new-lineage", OUT, "--yes").status == 0
    assert json.loads(Path(OUT).read_bytes())["lineage"]
    said = statetool("salvage", NAME, "--from", BACKUP).text
    assert "lineage is unknown" not in said
    assert "The result has serial" not in said


def test_other_members_are_kept_or_named(state: Path, statetool: Statetool) -> None:
    odd = REGIONS.replace(b'  "resources": [', b'  "x-owner": {"team": "a"},\n  "resources": [')
    state.write_bytes(odd[: odd.index(b'"vpc-01a2b3c4d5e6f7081"')])
    report = _report(statetool, "-o", OUT)
    assert (_addresses(report["objects"]), report["missing_members"]) == (BEFORE, [])
    assert json.loads(Path(OUT).read_bytes())["x-owner"] == {"team": "a"}
    end = odd.rindex(b"}")
    state.write_bytes(odd[:end].rstrip() + b',\n  "x-last": {"a": [1, 2')
    assert _report(statetool)["missing_members"] == ["x-last"]
    assert "Lost: 1 other member of the state\n  x-last" in statetool("salvage", NAME).text


def test_what_an_encrypted_backup_fills_is_encrypted(monkeypatch: pytest.MonkeyPatch, statetool: Statetool) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    Path(BACKUP).write_bytes(encrypted(REGIONS, "old"))
    assert statetool("salvage", NAME, "--from", BACKUP, "-o", OUT).status == 1
    assert b"vpc-01a2b3c4d5e6f7081" not in Path(OUT).read_bytes()
    assert TORN in statetool("list", "--state", OUT).text


def test_an_encrypted_state_is_whole_or_lost(
    state: Path, monkeypatch: pytest.MonkeyPatch, statetool: Statetool
) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    stored = encrypted(REGIONS, "old")
    state.write_bytes(b"\xef\xbb\xbf" + stored)
    assert statetool("salvage", NAME, "-o", OUT).status == 0
    assert b"serial" in Path(OUT).read_bytes()
    assert b"aws_vpc" not in Path(OUT).read_bytes()
    state.write_bytes(stored[:-50])
    done = statetool("salvage", NAME)
    assert done.status == 2
    assert "encrypted and damaged" in " ".join(done.err.split())


def test_states_in_a_backend(state: Path, statetool: Statetool) -> None:
    with state_server() as server:
        server.state = REGIONS
        report = _report(statetool, "--from", server.url)
        assert [one["path"] for one in report["backups"]] == [server.url]
        assert _addresses(report["uncertain"]) == BEHIND
        server.state = REGIONS[:CUT]
        done = statetool("salvage", server.url, "--from", BACKUP, "-o", OUT)
        assert done.status == 1
        assert "POST" not in server.methods
    assert len(_objects(OUT)) == len(BEFORE) + 1
    for name in ("http://localhost/state", ""):
        assert statetool("salvage", NAME, "-o", name).status == 2


_ID: Final = b'"id": "vpc-01a2b3c4d5e6f7081"'


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (r"a\nb", r"a\nb"),
        (r"\"}\nresource \"x\" \"y\" {", r"\"}\nresource \"x\" \"y\" {"),
        ("${file(1)}", "$${file(1)}"),
        ("%{if}", "%%{if}"),
        (r"\u001b[2J", r"\u001b[2J"),
    ],
)
def test_ids_are_quoted(value: str, written: str, state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS[:CUT].replace(_ID, f'"id": "{value}"'.encode()))
    assert f'  to = {TORN}\n  id = "{written}"\n}}' in statetool("salvage", NAME).text


@pytest.mark.parametrize("name", ['x\\" }', "x\\n}", "x y", "\\ud800"])
def test_only_addresses_are_in_import_blocks(name: str, state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS[:CUT].replace(b'"name": "main"', f'"name": "{name}"'.encode()))
    done = statetool("salvage", NAME)
    assert done.status == 1
    assert "import {" not in done.text


@pytest.mark.parametrize("content", [REGIONS[:CUT] + REGIONS, REGIONS + REGIONS[:CUT]])
def test_of_two_copies_the_whole_one_is_taken(content: bytes, state: Path, statetool: Statetool) -> None:
    state.write_bytes(content)
    done = statetool("salvage", NAME, "-o", OUT)
    # The other one may be the newer.
    assert done.status == 1
    assert "is whole" not in done.text
    assert "2 states in the file" in done.text
    assert json.loads(Path(OUT).read_bytes()) == json.loads(REGIONS) | {"serial": 59}


_OTHER: Final = REGIONS.replace(b"10.20.0.0/16", b"10.99.0.0/16")


def test_two_whole_states_of_one_serial_are_a_choice(state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS + _OTHER)
    asked = statetool("salvage", NAME, "-o", OUT)
    said = " ".join(asked.err.split())
    assert asked.status == 2
    assert "2 states with serial 58 and different content; choose one with --document N" in said
    assert 'different: aws_vpc.main["eu-west-1"]' in said
    assert not Path(OUT).exists()
    assert statetool("salvage", NAME, "--document", "2", "-o", OUT).status == 1
    assert json.loads(Path(OUT).read_bytes()) == json.loads(_OTHER) | {"serial": 59}
    assert "no state number 3; the last one is 2" in statetool("salvage", NAME, "--document", "3").err
    # Twice the same is no choice.
    state.write_bytes(REGIONS + REGIONS)
    assert statetool("salvage", NAME).status == 1


def test_both_sides_of_a_conflict_are_shown(state: Path, statetool: Statetool) -> None:
    state.write_bytes(_CONFLICT)
    said = statetool("salvage", NAME).err
    assert "ours: serial 58, 10 objects" in said
    assert "theirs: serial 61, 10 objects" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"version": 4,\n', b'"version": 4\n', "1 comma missing at 2:15 (line 2, column 15)"),
        (b'  "check_results": null\n', b'  "check_results": null,\n', "1 comma too many at 244:24"),
        (b'  "serial": 58,\n', b'  "serial": 58, // was 57\n', "1 comment at 4:17"),
        (b'  "outputs": {\n', b"  'outputs': {\n", "1 string in other quotes at 6:3"),
        (b'  "resources": [\n', b'<<<<<<< HEAD\n  "resources": [\n', "1 conflict marker at 33:1"),
    ],
)
def test_a_slip_of_a_hand_edit_is_mended(old: bytes, new: bytes, said: str, state: Path, statetool: Statetool) -> None:
    assert REGIONS.count(old) == 1
    state.write_bytes(REGIONS.replace(old, new))
    done = statetool("salvage", NAME, "-o", OUT)
    assert done.status == 1
    assert said in done.text
    assert "all 10 objects are whole" in done.text
    assert "Uncertain" not in done.text
    assert json.loads(Path(OUT).read_bytes()) == json.loads(REGIONS) | {"serial": 59}
    [slip] = _report(statetool)["slips"]
    assert said.startswith(f"{slip['message']} at {slip['line']}:{slip['column']}")


def test_secret_ids_are_hidden(state: Path, statetool: Statetool) -> None:
    state.write_bytes(REGIONS[:CUT].replace(b'"type": "aws_vpc"', b'"type": "random_password"'))
    for more in (), ("--format", "json"):
        assert b"vpc-01a2b3c4d5e6f7081" not in statetool("salvage", NAME, *more).out
        assert b"vpc-01a2b3c4d5e6f7081" in statetool("salvage", NAME, "--show-sensitive", *more).out
    # The id of this type is its result, and has no mark.
    state.write_bytes(REGIONS[: REGIONS.index(b'      "mode": "managed",\n      "type": "aws_vpc"')])
    Path(BACKUP).write_bytes(REGIONS.replace(b'"type": "aws_vpc"', b'"type": "random_string"'))
    assert b"vpc-01a2b3c4d5e6f7081" not in statetool("salvage", NAME, "--from", BACKUP).out
    assert b"vpc-01a2b3c4d5e6f7081" in statetool("salvage", NAME, "--from", BACKUP, "--show-sensitive").out
    # The marks of a torn object are lost, but a backup may have them.
    marked = REGIONS.replace(
        b'"sensitive_attributes": []', b'"sensitive_attributes": [[{"type": "get_attr", "value": "id"}]]'
    )
    state.write_bytes(marked[: marked.index(b'"vpc-01a2b3c4d5e6f7081"') + 60])
    Path(BACKUP).write_bytes(marked)
    assert b"vpc-02b3c4d5e6f708192" not in statetool("salvage", NAME, "--from", BACKUP).out
    assert b"vpc-02b3c4d5e6f708192" in statetool("salvage", NAME, "--from", BACKUP, "--show-sensitive").out


def test_long_lists_are_short(state: Path, statetool: Statetool) -> None:
    resources = [
        {"mode": "managed", "type": "t", "name": f"n{number}", "provider": 'provider["a/b/c"]', "instances": [
            {"schema_version": 0, "attributes": {"id": str(number)}, "sensitive_attributes": []}
        ]}
        for number in range(3000)
    ]  # fmt: skip
    whole = json.dumps({"version": 4, "serial": 1, "lineage": "l", "outputs": {}, "resources": resources})
    state.write_bytes(whole[: len(whole) // 2].encode())
    Path(BACKUP).write_text(whole)
    short, full = (statetool("salvage", NAME, "--from", BACKUP, *more).text for more in ((), ("--verbose",)))
    assert short.count("\n") < 70
    assert full.count("import {") > 1400
    assert "… and 1," in short


def test_the_finding_names_the_command(state: Path, statetool: Statetool) -> None:
    for command in (("list",), ("mv", "a", "b"), ("check",)):
        done = statetool(*command)
        assert f"`statetool salvage --state {NAME}`" in done.text + done.err
    for content in (b"", b"\x89PNG\r\n\x1a\n", b"[1, 2]", b'{"version": "4.0.0", "name": "x"', b"5 apples"):
        state.write_bytes(content)
        for command in (("list",), ("check",)):
            done = statetool(*command)
            assert "salvage" not in done.text + done.err


def test_on_a_terminal(program: Program) -> None:
    shown = on_terminal(program, f"statetool salvage --from-backups -o {OUT}")
    assert shown.status == 1
    assert f"{OUT}: written with serial 59" in shown.text


def test_a_closed_pipe(program: Program) -> None:
    done = program.in_shell(f"statetool salvage --verbose --from-backups -o {OUT} | true; exec 1>&-; sleep 0")
    assert "Traceback" not in done.err
    assert len(_objects(OUT)) == len(BEFORE) + 1


@pytest.mark.parametrize("out", [(), ("-o", OUT)])
def test_a_state_without_anything_whole_is_a_failure(out: tuple[str, ...], state: Path, statetool: Statetool) -> None:
    state.write_bytes(b'{"version": 4, "serial": 1, "lineage": "l", "resources": [{"mode": "managed", "type": "t"')
    done = statetool("salvage", NAME, *out)
    assert done.status == 2
    assert f"{NAME}: nothing whole was found" in done.err
    assert not Path(OUT).exists()


def test_the_library_never_writes_over_a_backup_that_it_read(folder: Path) -> None:
    context = run_context()
    found = salvage_state(context, NAME, backups=[BACKUP])
    before = (folder / BACKUP).read_bytes()
    with pytest.raises(StoreError, match="salvage reads this file"):
        write_salvaged(context, found, BACKUP, overwrite=True)
    assert (folder / BACKUP).read_bytes() == before


@pytest.mark.parametrize("command", ["list", "check", "repair"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (_CONFLICT, "git's conflict markers at line 4, column 1"),
        (REGIONS.replace(b'"version": 4,', b'"version": 4'), "1 comma missing at line 2, column 15"),
        (gzip.compress(REGIONS), "a gzip file, with a state in it"),
    ],
    ids=["conflict", "slip", "gzip"],
)
def test_other_commands_name_the_damage_and_salvage(
    command: str, content: bytes, said: str, state: Path, statetool: Statetool
) -> None:
    state.write_bytes(content)
    done = statetool(command, "--state", NAME)
    assert done.status != 0
    text = " ".join(f"{done.text} {done.err}".split())
    assert said in text
    assert f"`statetool salvage --state {NAME}`" in text
