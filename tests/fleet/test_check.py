"""`fleet check` says of the states in an index what `check` says of them, in every format."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from statefmt import run_context
from statefmt.cli.main import main
from statefmt.fleet import IndexOptions, index_states
from statefmt.model.findings import Code
from statefmt.rules import NO_STATE
from tests.adversary.mutations import mutated
from tests.cli.states import SAMPLES

pytest.importorskip("duckdb")

LINT: Final = Path(__file__).parents[1] / "lint"
FORMATS: Final = ("text", "concise", "json", "sarif", "junit", "github")
_GENERATED: Final = 200


class Said(NamedTuple):
    """What one run printed, and its exit status."""

    status: int
    out: bytes
    err: bytes


Run = Callable[..., Said]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def call(*arguments: str) -> Said:
        capfdbinary.readouterr()
        return Said(main(list(arguments)), *capfdbinary.readouterr())

    return call


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


class Fleet(NamedTuple):
    """States in a folder, by name and in the order of an index, and the index."""

    names: Sequence[str]
    database: str


def _indexed(folder: Path) -> Fleet:
    index = folder.parent / f"{folder.name}.duckdb"
    index_states(run_context(), [str(folder)], index, IndexOptions(workers=1))
    return Fleet(sorted(map(str, folder.rglob("*.tfstate"))), str(index))


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """The states of the rules' own tests, which have findings of every rule about states, and the samples."""
    folder = tmp_path_factory.mktemp("fleet") / "fixtures"
    folder.mkdir()
    for path in LINT.glob("*/*.tfstate"):
        shutil.copy(path, folder / f"{path.parent.name}-{path.name}")
    shutil.copytree(SAMPLES, folder / "samples")
    return _indexed(folder)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Samples that were changed at random places: what they say, or their bytes."""
    folder = tmp_path_factory.mktemp("fleet") / "generated"
    folder.mkdir()
    samples = tuple((path.stem, path.read_bytes()) for path in sorted(SAMPLES.rglob("*.tfstate")))
    chance = random.Random(25)
    for number in range(_GENERATED):
        name, data = chance.choice(samples)
        (folder / f"{number:03}-{name}.tfstate").write_bytes(mutated(chance, data, samples)[0])
    return _indexed(folder)


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("states", ["fixtures", "generated"])
def test_the_same_in_every_format(
    states: str, output_format: str, run: Run, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet: Fleet = request.getfixturevalue(states)
    monkeypatch.setenv("COLUMNS", "100")
    arguments = ("--format", output_format, "--fail-on", "info")
    ours, theirs = run("fleet", "check", "--into", fleet.database, *arguments), run("check", *fleet.names, *arguments)
    _compare(ours, theirs)


def _compare(ours: Said, theirs: Said) -> None:
    """Two runs print the same, but an index has no instances to try a selector on, and lists what `check` selects."""
    assert (ours.status, ours.err) == (theirs.status, theirs.err)
    pairs = list(zip(ours.out.decode().splitlines(), theirs.out.decode().splitlines(), strict=True))
    others = [pair for pair in pairs if pair[0] != pair[1]]
    assert len(others) < 5
    for listed, selected in others:
        assert len(re.findall(r"'[^']*'", listed)) > 4
        assert listed.partition("`statetool ")[0] == selected.partition("`statetool ")[0]


def test_states_are_read_in_batches(fixtures: Fleet, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("fleet", "check", "--into", fixtures.database, "--format", "junit")
    monkeypatch.setattr("statefmt.fleet._checked_states._BATCH", 5)
    assert run("fleet", "check", "--into", fixtures.database, "--format", "junit") == whole


def test_every_rule_about_states_is_compared(fixtures: Fleet, run: Run) -> None:
    """Guards the comparison: rules that need more than a state are not in an index."""
    found = json.loads(run("fleet", "check", "--into", fixtures.database, "--format", "json").out)
    codes = {finding["code"] for state in found["files"] for finding in state["findings"]}
    folders = {path.parent.name for path in LINT.glob("*/fail-*.tfstate")}
    # They need a release, a key, or --json-schema.
    assert {code for code in folders - codes if not code.startswith(("REL", "ENC"))} == {Code.JSON_SCHEMA}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--statistics"],
        ["--quiet"],
        ["--select", "PRV,STA007"],
        ["--ignore", "STA", "--format", "json"],
        # What is left out decides whether the canonical form may be written.
        ["--ignore", "STA009,PRV001,PRV006", "--format", "json"],
        ["--select", "STA007,DEP,ADR005", "--format", "json"],
        ["--select", "STA007", "--exit-zero", "--format", "sarif"],
        ["--fail-on", "error", "--select", "INS"],
        ["--fail-on", "warning", "--format", "junit"],
        ["--select", "XYZ"],
        ["--quiet", "--statistics"],
        ["--baseline", "missing.json"],
    ],
    ids=" ".join,
)
def test_the_same_with_options(arguments: list[str], fixtures: Fleet, run: Run) -> None:
    said, wanted = (
        run("fleet", "check", "--into", fixtures.database, *arguments),
        run("check", *fixtures.names, *arguments),
    )
    _compare(said._replace(err=b""), wanted._replace(err=b""))
    # Usage is that of the command.
    assert said.err == wanted.err or b"Usage: statetool" in wanted.err


def test_exit_status(here: Path, run: Run) -> None:
    (here / "s").mkdir()
    shutil.copy(SAMPLES / "v4-regions.tfstate", here / "s")
    assert run("fleet", "index", "s").status == 0
    assert [run("fleet", "check", *more).status for more in ((), ("--fail-on", "warning"), ("--fail-on", "info"))] == [
        *(0, 1, 1)
    ]
    assert run("fleet", "check", "--fail-on", "info", "--exit-zero").status == 0
    shutil.copy(SAMPLES / "broken" / "truncated.tfstate", here / "s")
    run("fleet", "index", "s")
    assert [run("fleet", "check", *more).status for more in ((), ("--exit-zero",), ("--quiet",))] == [2, 2, 2]


def test_settings_apply_when_findings_are_read(fixtures: Fleet, here: Path, run: Run) -> None:
    (here / "statetool.toml").write_text(
        'ignore = ["STA007"]\nfail-on = "warning"\n[per-file-ignores]\n"*samples*" = ["STA"]\n'
        '"*PRV00?-*" = ["PRV"]\n[per-address-ignores]\n"aws_*" = ["INS", "DEP"]\n'
    )
    said = run("fleet", "check", "--into", fixtures.database, "--format", "json")
    assert said == run("check", *fixtures.names, "--format", "json")
    assert said.out != run("fleet", "check", "--into", fixtures.database, "--format", "json", "--no-settings").out


def test_both_commands_have_the_same_baselines(fixtures: Fleet, here: Path, run: Run) -> None:
    own, other = here / "fleet.json", here / "check.json"
    said = run("fleet", "check", "--into", fixtures.database, "--write-baseline", str(own))
    wanted = run("check", *fixtures.names, "--write-baseline", str(other))
    assert (said.status, said.out) == (wanted.status, wanted.out)
    assert own.read_bytes() == other.read_bytes()
    # Only what makes a file unusable is left.
    for command in (["fleet", "check", "--into", fixtures.database], ["check", *fixtures.names]):
        found = json.loads(run(*command, "--baseline", str(own), "--format", "json").out)
        codes = {finding["code"] for state in found["files"] for finding in state["findings"]}
        assert codes <= NO_STATE
        assert found["summary"]["hidden"] > 500
    document = json.loads(own.read_bytes())
    for marks in document["states"].values():
        del marks[::2]
    own.write_text(json.dumps(document))
    said = run("fleet", "check", "--into", fixtures.database, "--baseline", str(own))
    _compare(said, run("check", *fixtures.names, "--baseline", str(own)))


def test_states_that_cannot_be_read(here: Path, run: Run) -> None:
    folder = here / "s"
    folder.mkdir()
    shutil.copy(SAMPLES / "v4-regions.tfstate", folder / "good.tfstate")
    (folder / "gone.tfstate").symlink_to("nowhere")
    (folder / "loop.tfstate").symlink_to("loop.tfstate")
    run("fleet", "index", "s")
    names = sorted(map(str, folder.iterdir()))
    for output_format in FORMATS:
        said = run("fleet", "check", "--format", output_format)
        assert said == run("check", *names, "--format", output_format)
        assert said.status == 2
    assert b"gone.tfstate: " in said.err


def test_a_name_that_is_not_text(here: Path, run: Run) -> None:
    (here / "s").mkdir()
    Path(b"s/\xff.tfstate".decode("utf-8", "surrogateescape")).write_bytes(b"no state")
    run("fleet", "index", "s")
    for output_format in FORMATS:
        said = run("fleet", "check", "--format", output_format)
        assert said.status == 2
        assert rb"\xff.tfstate" in said.out.replace(rb"\\", b"\\").replace(b"%5C", b"\\")


def test_states_in_backends_are_named_by_their_url(here: Path, run: Run) -> None:
    (here / "s").mkdir()
    shutil.copy(SAMPLES / "v4-resource-level.tfstate", here / "s")
    run("fleet", "index", "s")
    _change(here, "UPDATE states SET uri = 's3://states/app/x.tfstate'")
    [state] = json.loads(run("fleet", "check", "--format", "json").out)["files"]
    assert state["path"] == "s3://states/app/x.tfstate"
    sarif = json.loads(run("fleet", "check", "--format", "sarif").out)["runs"][0]["results"]
    location = sarif[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "s3://states/app/x.tfstate"}
    run("fleet", "check", "--write-baseline", "known.json")
    assert list(json.loads(Path("known.json").read_bytes())["states"]) == ["s3://states/app/x.tfstate"]


def _change(folder: Path, sql: str) -> None:
    import duckdb

    duckdb.connect(str(folder / "statetool.duckdb")).execute(sql).close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE states SET made_by = 'statetool 0.1, 12345678'", "1 of 1 states were not checked with the rules"),
        ("DELETE FROM states", "this index has no states; index some with `statetool fleet index SOURCE...`"),
        ("UPDATE runs SET finished = NULL", "did not finish; run it again"),
        ("DELETE FROM runs", "did not finish; run it again"),
        ("UPDATE findings SET severity = 'awful'", "index again"),
        ("UPDATE findings SET code = 'XYZ001'", "index again"),
        ("UPDATE findings SET detail = NULL", "index again"),
        ("UPDATE states SET uri = NULL", "index again"),
        ("UPDATE states SET uri = NULL, error = 'x'; DELETE FROM findings", "index again"),
        ("UPDATE findings SET fix = '[[1]]'", "index again"),
        ("ALTER TABLE findings DROP COLUMN number", "index again"),
        ("DROP TABLE findings", "index again"),
    ],
)
def test_an_index_that_cannot_be_checked_is_refused(change: str, reason: str, here: Path, run: Run) -> None:
    (here / "s").mkdir()
    shutil.copy(SAMPLES / "v4-resource-level.tfstate", here / "s")
    run("fleet", "index", "s")
    _change(here, change)
    said = run("fleet", "check")
    assert (said.status, said.out) == (2, b"")
    assert reason in " ".join(said.err.decode().split())


def test_an_index_without_findings_is_refused(here: Path, run: Run) -> None:
    (here / "s").mkdir()
    shutil.copy(SAMPLES / "v4-resource-level.tfstate", here / "s")
    run("fleet", "index", "s", "--no-check")
    said = run("fleet", "check")
    assert (said.status, said.out) == (2, b"")
    assert b"without --no-check" in b" ".join(said.err.split())
    assert run("fleet", "check", "--into", "none").status == 2


def test_text_of_a_strangers_index_is_escaped(here: Path, run: Run) -> None:
    (here / "s").mkdir()
    shutil.copy(SAMPLES / "v4-resource-level.tfstate", here / "s")
    run("fleet", "index", "s")
    bad = "chr(27) || '[31m' || chr(8238) || chr(10) || '::error::x'"
    columns = ", ".join(f"{name} = {bad}" for name in ("address", "pointer", "summary", "detail", "snippet"))
    fix = json.dumps(["\x1b[31m", {"command": "rm", "arguments": ["\x1b[31m; echo x"]}])
    _change(here, f"UPDATE findings SET {columns}, fix = '{fix}'")
    _change(here, f"UPDATE states SET uri = uri || {bad}")
    for output_format in FORMATS:
        out = run("fleet", "check", "--format", output_format).out
        assert b"\x1b" not in out
        assert "\u202e".encode() not in out
        # A snippet has lines, and nothing acts on them.
        assert b"\n::error::x" not in out or output_format in ("text", "junit")


def test_what_an_index_hides_is_hidden(here: Path, run: Run) -> None:
    secret = "correct-horse"
    resource = {
        "mode": "managed",
        "type": "aws_db_instance",
        "name": "x",
        "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
        "instances": [_tainted(None, secret), _tainted(secret, secret), _tainted("shown", "a battery staple")],
    }
    state = {"version": 4, "serial": 1, "lineage": "l", "outputs": {}, "resources": [resource]}
    state["a battery staple"] = 1
    (here / "s").mkdir()
    (here / "s" / "a.tfstate").write_text(json.dumps(state))
    run("fleet", "index", "s")
    for output_format in FORMATS:
        out = run("fleet", "check", "--format", output_format, "--fail-on", "info").out
        assert secret.encode() not in out
        assert b"battery" not in out
    found = json.loads(run("fleet", "check", "--format", "json", "--select", "INS005").out)["files"][0]["findings"]
    wanted = json.loads(run("check", "s", "--format", "json", "--select", "INS005").out)["files"][0]["findings"]
    # The place stays, and the rest of the sentence.
    assert sorted(one["line"] for one in found) == sorted(one["line"] for one in wanted)
    assert {one["address"] for one in found} == {
        *("aws_db_instance.x", 'aws_db_instance.x["shown"]', "(sensitive value)")
    }
    assert any(one["detail"].startswith("The object of (sensitive value) is tainted") for one in found)


def _tainted(key: str | None, password: str) -> dict[str, Any]:
    instance: dict[str, Any] = {
        "status": "tainted",
        "schema_version": 0,
        "attributes": {"id": "i", "password": password},
        "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
    }
    return instance if key is None else {"index_key": key, **instance}
