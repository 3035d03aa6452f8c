"""What scripts may count on: the names, fields and exceptions of `import statefmt`."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Final

import msgspec
import pytest

import statefmt
from tests.tables import each_row

_PROVIDER: Final = r'"provider":"provider[\"hashicorp/aws\"]"'
_STATE: Final = (
    b'{"version":4,"serial":3,"new":1,"resources":[{"mode":"managed","type":"a","name":"b",%b,"instances":[{}]}]}'
    % _PROVIDER.encode()
)
_BROKEN: Final = (
    b'{"version":4,"new":1,"resources":[{"mode":"x"},{"mode":"managed","type":"a","name":"b","instances":[{}]}]}'
)


@each_row(
    "name",
    [
        "AddressError", "Command", "Finding", "Fix", "Inspection", "ReadResult", "Severity", "Snapshot", "SnapshotDiff",
        "StateError", "__version__", "addrs", "check", "diff", "inspect", "read", "write",
    ],
)  # fmt: skip
def test_names(name: str) -> None:
    assert name in dir(statefmt)
    assert getattr(statefmt, name) is not None


def test_every_name_that_is_offered_is_there() -> None:
    assert [name for name in dir(statefmt) if not hasattr(statefmt, name)] == []


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = statefmt.nothing_like_it  # type: ignore[attr-defined]  # that it is missing is the point


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        ("parse_module_instance", 'module.a["x"].module.b[0]'),
        ("parse_abs_resource", 'module.a["x"].data.t.n'),
        ("parse_abs_resource_instance", 'module.a["x"].t.n["k"]'),
        ("parse_provider_source", "registry.opentofu.org/hashicorp/aws"),
        ("parse_config_provider_config", 'module.m.provider["registry.opentofu.org/hashicorp/aws"].by_region'),
        ("parse_abs_provider_instance", 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us"]'),
        ("parse_legacy_provider_config", "provider.aws.west"),
    ],
)
def test_addresses(parse: str, text: str) -> None:
    address = getattr(statefmt.addrs, parse)(text)
    assert text == (address.legacy_str() if "legacy" in parse else str(address))
    with pytest.raises(statefmt.AddressError) as refused:
        getattr(statefmt.addrs, parse)("a[")
    error = refused.value
    assert error.text == "a["
    assert (type(error.column), type(error.summary), type(error.detail)) == (int, str, str)
    assert 1 <= error.column <= 3
    assert error.summary
    assert error.detail


def test_an_address_error_is_a_value_error() -> None:
    assert issubclass(statefmt.AddressError, ValueError)
    assert not issubclass(statefmt.AddressError, statefmt.StateError)


def test_read_gives_a_snapshot_and_findings() -> None:
    result = statefmt.read(_STATE)
    assert isinstance(result.snapshot, statefmt.Snapshot)
    assert (result.snapshot.serial, result.version) == (3, 4)
    assert [str(resource.addr) for resource in result.snapshot.resources] == ["a.b"]
    assert [finding.code for finding in result.findings] == ["STA008"]


def test_read_raises_with_every_reason() -> None:
    with pytest.raises(statefmt.StateError) as refused:
        statefmt.read(_BROKEN)
    error = refused.value
    assert {finding.code for finding in error.findings} == {"STA008", "ADR003", "PRV002"}
    assert {finding.code for finding in error.reasons} == {"ADR003", "PRV002"}
    assert "Invalid resource mode in state" in str(error)
    assert "Provider field missing state" in str(error)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not JSON", id="not JSON"),
        pytest.param(b'{"version":5}', id="unsupported"),
        pytest.param(b'{"encryption_version":"v0"}', id="encrypted"),
        pytest.param(b'{"version":4,"serial":"x"}', id="wrong type"),
        pytest.param(b'{"version":3,"serial":-1}', id="cannot be upgraded"),
        pytest.param(_BROKEN, id="wrong in its parts"),
    ],
)
def test_all_that_read_raises_is_a_state_error(data: bytes) -> None:
    with pytest.raises(statefmt.StateError) as refused:
        statefmt.read(data)
    assert refused.value.findings == statefmt.inspect(data).findings
    assert all(isinstance(finding, statefmt.Finding) for finding in refused.value.findings)


def test_inspect_says_all_and_raises_nothing() -> None:
    good, bad, none = (statefmt.inspect(data) for data in (_STATE, _BROKEN, b""))
    assert good.snapshot is not None
    assert (good.version, good.style.layout.value) == (4, "compact")
    assert (bad.snapshot, bad.version) == (None, 4)
    assert (none.snapshot, none.version) == (None, None)
    assert [finding.summary for finding in none.findings] == ["no state"]


def test_write() -> None:
    snapshot = statefmt.read(_STATE).snapshot
    canonical = statefmt.write(snapshot)
    assert canonical.startswith(b'{\n  "version": 4,\n  "terraform_version": "",\n  "serial": 3,\n')
    assert b'"new"' not in canonical
    assert statefmt.write(snapshot, canonical=True) == canonical
    assert statefmt.write(snapshot, canonical=False) == _STATE


def test_check_takes_bytes_and_snapshots() -> None:
    of_bytes = statefmt.check(_STATE)
    assert isinstance(of_bytes, list)
    assert of_bytes == statefmt.check(statefmt.read(_STATE).snapshot)
    assert "STA008" in {finding.code for finding in of_bytes}
    assert [finding.code for finding in statefmt.check(_STATE, select=["STA008"])] == ["STA008"]
    assert "STA008" not in {finding.code for finding in statefmt.check(_STATE, ignore=["STA008"])}


def test_check_takes_an_inspection_and_reads_nothing_again() -> None:
    inspection = statefmt.inspect(_STATE)
    assert statefmt.check(inspection) == statefmt.check(_STATE)
    emptied = msgspec.structs.replace(inspection, findings=())
    assert statefmt.check(emptied, select=["STA008"]) == []


def test_diff() -> None:
    old = statefmt.read(_STATE).snapshot
    new = statefmt.read(_STATE.replace(b'"name":"b"', b'"name":"c"').replace(b'"serial":3', b'"serial":4')).snapshot
    changes = statefmt.diff(old, new)
    assert isinstance(changes, statefmt.SnapshotDiff)
    assert [str(change.addr) for change in (*changes.removed, *changes.added)] == ["a.b", "a.c"]
    assert [(change.name, change.old, change.new) for change in changes.envelope] == [("serial", b"3", b"4")]
    assert not statefmt.diff(old, old)
    with pytest.raises(AttributeError):
        changes.moves = ()  # type: ignore[misc]  # that it cannot be set is the point


@pytest.mark.parametrize(
    "imports",
    [
        "import statefmt",
        "import statefmt.analysis.diff",
        "import statefmt.cli.commands.diff, statefmt.render.diff",
        "from statefmt.cli.commands import diff",
        "from statefmt import SnapshotDiff, diff",
    ],
)
def test_diff_is_a_function_whatever_was_imported(imports: str) -> None:
    script = f"{imports}; import statefmt; print(statefmt.diff.__name__, callable(statefmt.diff))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "diff True\n"


def test_a_finding() -> None:
    (finding,) = statefmt.read(_STATE).findings
    fields = {field.name for field in dataclasses.fields(finding)}
    assert fields >= {"code", "severity", "summary", "detail", "address", "pointer", "fix"}
    assert finding.severity.value == "info"
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.code = "X"  # type: ignore[misc]  # that it cannot be set is the point


def test_severities() -> None:
    assert [severity.value for severity in statefmt.Severity] == ["error", "warning", "info"]
    ranked = sorted(statefmt.Severity, key=lambda severity: severity.rank)
    assert [severity.value for severity in ranked] == ["info", "warning", "error"]


_LOADED: Final = "import sys; import statefmt; {}; print(sorted(name for name in sys.modules if name in {!r}))"


@pytest.mark.parametrize(
    ("use", "heavy", "loaded"),
    [
        pytest.param("0", ["msgspec", "click", "orjson", "jsonschema", "tabulate", "idna"], [], id="import"),
        pytest.param("statefmt.__version__", ["msgspec", "statefmt.formats.reading"], [], id="version"),
        pytest.param("statefmt.read", ["msgspec", "click", "jsonschema"], ["msgspec"], id="read"),
        pytest.param("statefmt.diff", ["msgspec", "click", "orjson"], ["msgspec"], id="diff"),
    ],
)
def test_names_are_loaded_when_they_are_used(use: str, heavy: list[str], loaded: list[str]) -> None:
    script = _LOADED.format(use, set(heavy))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == f"{loaded}\n"
