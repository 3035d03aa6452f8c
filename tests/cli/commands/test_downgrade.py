"""`downgrade`: what a release reads, in its layout; or status 2, with a name for everything it would lose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import AWS, COMPACT, HAND_EDITED, INDENTED, SAMPLES, V3, resource, state
from tests.tables import each_row

_KEYED: Final = f'{AWS}.by_region["eu-west-1"]'
_BARE: Final = {"mode": "managed", "type": "aws_vpc", "name": "main"}
KEYED: Final = state({**_BARE, "instances": [{"index_key": "a", "provider": _KEYED, "attributes": {}}]})
INFORMING: Final = state(
    resource("aws_vpc", "main", {"identity": {"id": "vpc-1"}, "identity_schema_version": 0}, {"deposed": "7c1f00aa"}),
    outputs={"o": {"value": "x", "type": "string", "deprecated": "Use p."}},
)
SKIPPED: Final = state(resource("aws_vpc", "main", {"index_key": 1, "skip_destroy": True}))
UNKNOWN: Final = state(resource("aws_vpc", "main"), future={"a": 1})
TERRAFORM: Final = AWS.replace("opentofu.org", "terraform.io")


def _line(text: str) -> str:
    """A message in one line."""
    return " ".join(text.split())


# The release, the state, and what is written: the layout of the release's local files.
LAYOUTS = [
    ("1.7", HAND_EDITED, INDENTED),
    ("1.8", HAND_EDITED, COMPACT),
    ("opentofu-1.11", INDENTED, COMPACT),
    ("opentofu-1.12", COMPACT, INDENTED + b"\n"),
    ("1.13", INDENTED + b"\n", INDENTED),
    ("terraform-1.5.7", COMPACT, INDENTED),
    ("1.8 --style indent", HAND_EDITED, INDENTED),
    ("1.8 --style keep", INDENTED + b"\n", INDENTED + b"\n"),
    ("1.12 --style compact", INDENTED, COMPACT),
]


@pytest.mark.parametrize(("options", "given", "expected"), LAYOUTS)
def test_layout(options: str, given: bytes, expected: bytes, statetool: Statetool) -> None:
    Path("state").write_bytes(given)
    assert statetool("downgrade", "state", "--for", *options.split())[:2] == (0, expected)


# The state, the release, and what the refusal names.
REFUSED = [
    (KEYED, "1.8", f'aws_vpc.main["a"]: bound to {_KEYED}'),
    (KEYED, "1.8", "OpenTofu 1.8 does not support provider instance keys"),
    (KEYED, "terraform-1.15", "statetool rebind RESOURCE PROVIDER"),
    (INFORMING, "1.9", "aws_vpc.main: identity, identity_schema_version"),
    (INFORMING, "1.9", "output.o: deprecated"),
    (INFORMING, "1.10", "downgrade --for opentofu-1.10 --drop-lossy"),
    (SKIPPED, "terraform-1.5", "aws_vpc.main[1]: skip_destroy"),
    (SKIPPED, "terraform-1.5", "it destroys what OpenTofu 1.12 and later would only forget"),
    (UNKNOWN, "1.13", "the state: future"),
    (UNKNOWN, "1.13", "--drop-unknown drops them"),
    (state(resource("a", "b", {"deposed": "7c1f00aa", "skip_destroy": True})), "1.8", "a.b (deposed 7c1f00aa): skip"),
    (state(resource("a", "b", provider=AWS.replace("hashicorp", "-"))), "terraform-1.5", "--registry terraform"),
    (state(terraform_version="1.0.0"), "terraform-0.13", "the state: terraform_version"),
]


@each_row(("given", "release", "says"), REFUSED)
@each_row("options", ["", "--in-place", "-o new", "--in-place --yes"])
def test_refused(options: str, given: bytes, release: str, says: str, statetool: Statetool) -> None:
    """A refusal leaves every file as it was, and none behind."""
    Path("state").write_bytes(given)
    result = statetool("downgrade", "--for", release, *options.split(), "state")
    assert (result.status, result.out) == (2, b"")
    assert says in _line(result.err)
    assert [(path.name, path.read_bytes()) for path in Path().iterdir()] == [("state", given)]


def test_lost_objects_are_named_before_lost_members(statetool: Statetool) -> None:
    Path("state").write_bytes(state({**json.loads(KEYED)["resources"][0]}, future={"a": 1}))
    told = statetool("downgrade", "--for", "1.8", "state").err
    assert 0 < told.index('aws_vpc.main["a"]') < told.index("the state: future")


# The state, the options, and the serial that is written where it was 7.
SERIALS = [
    (INFORMING, "--for 1.9 --drop-lossy", 8),
    (INFORMING, "--for 1.13 --drop-lossy", 7),
    (INFORMING, "--for 1.13 --style compact", 7),
    (INFORMING, "--for 1.9 --drop-lossy --registry terraform", 8),
    (INFORMING, "--for 1.13 --registry terraform", 8),
    (UNKNOWN, "--for 1.9 --drop-unknown", 7),
    (UNKNOWN, "--for 1.9 --drop-unknown --drop-lossy", 7),
]


@pytest.mark.parametrize(("given", "options", "serial"), SERIALS)
def test_serial(given: bytes, options: str, serial: int, statetool: Statetool) -> None:
    Path("state").write_bytes(given)
    result = statetool("downgrade", *options.split(), "state")
    assert (result.status, json.loads(result.out)["serial"]) == (0, serial)
    assert f"serial 7{f' → {serial}' if serial != 7 else ''}\n" in result.err


def test_what_was_dropped_is_told(statetool: Statetool) -> None:
    Path("state").write_bytes(INFORMING)
    result = statetool("downgrade", "--for", "1.9", "--drop-lossy", "state")
    assert "dropped, because OpenTofu 1.9 does not keep it: aws_vpc.main: identity, identity_schema_version" in _line(
        result.err
    )
    assert "output.o: deprecated" in result.err
    assert [word for word in (b"identity", b"deprecated", b"vpc-1") if word in result.out] == []


@pytest.mark.parametrize("options", ["--drop-lossy", "--drop-lossy --drop-unknown", "--yes --drop-lossy -i"])
def test_a_provider_key_is_never_dropped(options: str, statetool: Statetool) -> None:
    Path("state").write_bytes(KEYED)
    assert statetool("downgrade", "--for", "1.8", *options.split(), "state").status == 2
    assert Path("state").read_bytes() == KEYED


def test_in_place(statetool: Statetool) -> None:
    Path("state").write_bytes(INDENTED)
    result = statetool("downgrade", "--for", "1.8", "--in-place", "state")
    (backup,) = Path().glob("*.backup")
    assert (result.status, result.out, Path("state").read_bytes()) == (0, b"", COMPACT)
    assert backup.read_bytes() == INDENTED
    assert f"written to state; the previous file is kept in {backup}" in _line(result.err)


def test_to_a_file(statetool: Statetool) -> None:
    Path("state").write_bytes(INDENTED)
    assert statetool("downgrade", "--for", "1.8", "-o", "new", "state").status == 0
    assert (Path("new").read_bytes(), Path("state").read_bytes()) == (COMPACT, INDENTED)
    assert statetool("downgrade", "--for", "1.8", "-o", "new", "state").status == 2
    assert statetool("downgrade", "--for", "1.7", "-o", "new", "--yes", "state").status == 0
    assert Path("new").read_bytes() == INDENTED


@pytest.mark.parametrize("release", ["1.8", "1.13", "terraform-1.5"])
def test_older_formats(release: str, statetool: Statetool) -> None:
    """Format 4 is written for every release, also for those that read older formats, too."""
    Path("state").write_bytes(V3)
    result = statetool("downgrade", "--for", release, "state")
    assert (result.status, json.loads(result.out)["version"], json.loads(result.out)["serial"]) == (0, 4, 37)
    assert "state: format version 3 → 4, as" in result.err


@pytest.mark.parametrize(("provider", "release", "told"), [
    (AWS, "terraform-1.5", True), (AWS, "1.8", False), (TERRAFORM, "1.8", True), (TERRAFORM, "terraform-1.5", False),
])  # fmt: skip
def test_the_other_registry_is_told_of(provider: str, release: str, told: bool, statetool: Statetool) -> None:
    Path("state").write_bytes(state(resource("a", "b", provider=provider)))
    result = statetool("downgrade", "--for", release, "state")
    assert ("--registry" in result.err, result.status) == (told, 0)


def test_another_registry(statetool: Statetool) -> None:
    Path("state").write_bytes(state(resource("a", "b", provider=AWS.replace("hashicorp", "-"))))
    result = statetool("downgrade", "--for", "terraform-1.5", "--registry", "terraform", "state")
    assert (result.status, json.loads(result.out)["resources"][0]["provider"]) == (0, TERRAFORM)


# Arguments, and what is wrong with them.
USAGE = [
    ("", "Invalid value for --for: name the release, such as --for opentofu-1.8"),
    ("--for 9.9", "unknown release '9.9'; did you mean opentofu-1.13 or terraform-1.16?"),
    ("--for terrafrom-1.5", "unknown release 'terrafrom-1.5'; did you mean terraform-1.5?"),
    ("--for 1.8 -i -o new", "--in-place: cannot be combined with --out"),
    ("--for 1.8 -o=", "--output: the name is empty"),
    ("--for 1.8 --state state", "name the state once"),
]


@pytest.mark.parametrize(("options", "says"), USAGE)
def test_usage(options: str, says: str, statetool: Statetool) -> None:
    Path("state").write_bytes(INDENTED)
    arguments = ["--output", ""] if options.endswith("-o=") else []
    result = statetool("downgrade", *options.removesuffix("-o=").split(), *arguments, "state")
    assert (result.status, result.out) == (2, b"")
    assert says in _line(result.err)


def test_control_characters_stay_off_the_terminal(statetool: Statetool) -> None:
    Path("state").write_bytes(
        state(
            {**_BARE, "instances": [{"index_key": "\x1b[2J", "provider": f'{AWS}.r["\\u001b[3J"]', "attributes": {}}]}
        )
    )
    result = statetool("downgrade", "--for", "1.8", "state")
    assert result.status == 2
    assert "\x1b" not in result.err


@pytest.mark.parametrize("release", ["1.8", "terraform-1.5"])
def test_sample_with_keys(release: str, statetool: Statetool) -> None:
    result = statetool("downgrade", "--for", release, str(SAMPLES / "v4-provider-for-each.tfstate"))
    assert result.status == 2
    assert statetool("downgrade", "--for", "1.9", str(SAMPLES / "v4-provider-for-each.tfstate")).status == 0
