"""What commands do with --schemas, on a resource type of tests/lint/schemas/acme.json."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool

_FILE: Final = str(Path(__file__).parents[2] / "lint" / "schemas" / "acme.json")
_ADDRESS: Final = "acme_disk.main"
_GOOD: Final[dict[str, Any]] = {"id": "d-1", "zone": "a", "size": 20, "snapshot": [{"hour": 3}]}


def _write(name: str, **changes: Any) -> None:
    instance = {"schema_version": 2, "attributes": {**_GOOD, **changes}, "sensitive_attributes": []}
    resource = {
        "mode": "managed",
        "type": "acme_disk",
        "name": "main",
        "provider": 'provider["registry.opentofu.org/acme/cloud"]',
        "instances": [instance],
    }
    state = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "resources": [resource]}
    Path(name).write_text(json.dumps(state))


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"size": "large"}, "SCH001"), ({"sise": 1, "b": 2}, "SCH002"), ({"key_wo": "s3cret"}, "SCH006")],
)
def test_the_suggested_command_mends(statetool: Statetool, folder: Path, changes: dict[str, Any], code: str) -> None:
    _write("a.tfstate", **changes)
    found = json.loads(statetool("check", "--schemas", _FILE, "--format", "json", "a.tfstate").out)
    (finding,) = [each for each in found["files"][0]["findings"] if each["code"].startswith("SCH")]
    assert finding["code"] == code
    program, *arguments = shlex.split(finding["fix"].strip("`"))
    assert program == "statetool"
    done = statetool(*arguments, "--yes")
    assert done.status == 0, done.err
    assert statetool("check", "--schemas", _FILE, "--select", "SCH", "--format", "concise", "a.tfstate").out == b""


def test_errors_set_the_exit_status(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate", size="large")
    assert statetool("check", "a.tfstate").status == 0
    assert statetool("check", "--schemas", _FILE, "a.tfstate").status == 1


@pytest.mark.parametrize("version", [2, 1])
@pytest.mark.parametrize(
    "secret", [{"key": "hunter2"}, {"mount": [{"path": "/", "token": "hunter2"}]}, {"key_wo": "hunter2"}]
)
def test_show_hides_what_the_schema_makes_sensitive(
    statetool: Statetool, folder: Path, secret: dict[str, Any], version: int
) -> None:
    _write("a.tfstate", **secret)
    path = Path("a.tfstate")
    path.write_text(path.read_text().replace('"schema_version": 2', f'"schema_version": {version}'))
    assert b"hunter2" in statetool("show", "--state", "a.tfstate").out
    shown = statetool("show", "--state", "a.tfstate", "--schemas", _FILE).out
    assert b"hunter2" not in shown
    assert b"(sensitive value)" in shown
    assert b"hunter2" in statetool("show", "--state", "a.tfstate", "--schemas", _FILE, "--show-sensitive").out


def test_diff_compares_by_type(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate", size="20")
    _write("b.tfstate", size=20.0)
    assert statetool("diff", "a.tfstate", "b.tfstate").status == 1
    assert statetool("diff", "a.tfstate", "b.tfstate", "--schemas", _FILE).status == 0
    _write("b.tfstate", size=21)
    done = statetool("diff", "a.tfstate", "b.tfstate", "--schemas", _FILE)
    assert (done.status, b"size: 20 \xe2\x86\x92 21" in done.out) == (1, True)


def test_diff_hides_what_the_schema_makes_sensitive(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate", key="hunter2")
    _write("b.tfstate", key="hunter3")
    assert b"hunter" not in statetool("diff", "a.tfstate", "b.tfstate", "--schemas", _FILE).out


_NODE_TYPE: Final = ["object", {"any": "number", "name": "string", "token": "string", "token_wo": "string"}]


@pytest.mark.parametrize("name", ["token", "token_wo"])
def test_secrets_in_blocks_with_attributes_of_any_type_are_hidden(
    statetool: Statetool, folder: Path, name: str
) -> None:
    for file, secret in (("a.tfstate", "hunter2"), ("b.tfstate", "hunter3")):
        node = {"any": 1, "name": "n", "token": None, "token_wo": None, name: secret}
        _write(file, node={"value": {"a": node}, "type": ["object", {"a": _NODE_TYPE}]})
    shown = statetool("show", "--state", "a.tfstate", "--schemas", _FILE).out
    assert (b"hunter" in shown, b"(sensitive value)" in shown) == (False, True)
    done = statetool("diff", "a.tfstate", "b.tfstate", "--schemas", _FILE)
    assert (done.status, b"hunter" in done.out) == (1, False)
    assert f"node.a.{name}: (sensitive value)".encode() in done.out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"port": [{"number": 1, "token": "t"}]}, {"port": [{"number": 2, "token": "t"}]}),
        ({"mount": [{"path": "/", "token": "t"}]}, {"mount": [{"path": "/", "token": "t"}, {"path": "/a"}]}),
        ({"mount": None}, {"mount": [{"path": "/", "token": "t"}]}),
    ],
)
def test_what_the_schema_marks_is_no_difference_between_marks(
    statetool: Statetool, folder: Path, old: dict[str, Any], new: dict[str, Any]
) -> None:
    _write("a.tfstate", **old)
    _write("b.tfstate", **new)
    done = statetool("diff", "a.tfstate", "b.tfstate", "--schemas", _FILE)
    assert done.status == 1, done.err
    assert b"sensitive_attributes" not in done.out


def test_exact_comparison_knows_no_types(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate")
    assert statetool("diff", "--exact", "--schemas", _FILE, "a.tfstate", "a.tfstate").status == 2


def test_set_refuses_what_does_not_decode(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate", size=20)
    before = Path("a.tfstate").read_bytes()
    given = ("set", "--state", "a.tfstate", "--force-type", "--yes", "--schemas", _FILE, _ADDRESS)
    done = statetool(*given, 'size="large"')
    assert (done.status, Path("a.tfstate").read_bytes()) == (2, before)
    assert f"{_ADDRESS}: size: a number is required" in done.err
    assert statetool(*given, 'size="21"').status == 0


@pytest.mark.parametrize(("size", "status"), [(20, 0), ("large", 2)])
def test_a_schema_version_that_the_attributes_do_not_fit(
    size: object, status: int, statetool: Statetool, folder: Path
) -> None:
    _write("a.tfstate", size=size)
    path = Path("a.tfstate")
    before = path.read_text().replace('"schema_version": 2', '"schema_version": 3')
    path.write_text(before)
    done = statetool("set", "--state", "a.tfstate", "--yes", "--schemas", _FILE, _ADDRESS, "--schema-version", "2")
    assert done.status == status, done.err
    assert ('"schema_version": 3' in path.read_text()) is (status == 2)
    assert (f"{_ADDRESS}: size: a number is required" in done.err) is (status == 2)
    if status == 0:
        assert statetool("undo", "a.tfstate", "--yes").status == 0
        assert '"schema_version": 3' in path.read_text()


def test_set_takes_what_the_schema_makes_sensitive_out_of_sight_only(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write("a.tfstate", key="hunter2")
    before = Path("a.tfstate").read_bytes()
    given = ("set", "--state", "a.tfstate", "--yes", "--schemas", _FILE, _ADDRESS)
    done = statetool(*given, 'key="hunter3"')
    assert (done.status, Path("a.tfstate").read_bytes()) == (2, before)
    assert "key is sensitive" in done.err
    monkeypatch.setenv("KEY", '"hunter3"')
    assert statetool(*given, "--from-env", "key=KEY").status == 0
    assert b"hunter3" in Path("a.tfstate").read_bytes()


def test_set_names_what_it_cannot_check(statetool: Statetool, folder: Path) -> None:
    _write("a.tfstate", size=20)
    path = Path("a.tfstate")
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 1'))
    done = statetool("set", "--state", "a.tfstate", "--yes", "--schemas", _FILE, _ADDRESS, "size=21")
    assert done.status == 0, done.err
    assert (
        f"Not checked, as the schemas do not have the type in this schema version:\n  {_ADDRESS}" in done.out.decode()
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        ('{"format_version": "1.0"}'.encode("utf-16"), "as PowerShell may write it"),
        (b'\xef\xbb\xbf{"format_version": "1.0"}', "as PowerShell may write it"),
        (b'{"version": 4, "serial": 1, "lineage": "x"}', "a state instead"),
        (b'{"format_version": "1.2", "planned_values": {}}', "a plan as JSON instead"),
        (b'{"format_version": "2.0", "provider_schemas": {}}', "unsupported format"),
    ],
)
def test_other_files_are_refused(statetool: Statetool, folder: Path, content: bytes, reason: str) -> None:
    _write("a.tfstate")
    Path("schemas.json").write_bytes(content)
    done = statetool("check", "--schemas", "schemas.json", "a.tfstate")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("statetool: schemas.json: ")
    assert reason in done.err


def test_set_hides_what_only_the_schema_makes_sensitive(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write("a.tfstate", key="hunter2")
    monkeypatch.setenv("NEW_KEY", '"hunter3"')
    given = ("set", "--state", "a.tfstate", "--yes", _ADDRESS, "--from-env", "key=NEW_KEY")
    done = statetool(*given, "--schemas", _FILE)
    assert done.status == 0, done.err
    assert "hunter" not in done.out.decode() + done.err
    assert "key" in done.out.decode()
    assert json.loads(Path("a.tfstate").read_bytes())["resources"][0]["instances"][0]["attributes"]["key"] == "hunter3"


def test_a_set_of_blocks_has_no_order(statetool: Statetool, folder: Path) -> None:
    _write(
        "a.tfstate",
        port=[{"number": 1, "token": "x"}, {"number": 5, "token": "y"}],
        mount=[{"path": "/a"}, {"path": "/b"}],
    )
    _write(
        "b.tfstate",
        port=[{"number": 5, "token": "y"}, {"number": 9, "token": "x"}],
        mount=[{"path": "/b"}, {"path": "/a"}],
    )
    without = statetool("diff", "a.tfstate", "b.tfstate").out.decode()
    assert "port (reordered)" in without
    shown = statetool("diff", "--schemas", _FILE, "a.tfstate", "b.tfstate").out.decode()
    assert "port (reordered)" not in shown and "mount (reordered)" in shown
    document = json.loads(statetool("diff", "--schemas", _FILE, "--format", "json", "a.tfstate", "b.tfstate").out)
    assert [change["path"] for change in document["changed"][0]["changes"] if "order" in change] == [["mount"]]
