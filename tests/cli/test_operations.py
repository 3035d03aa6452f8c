"""Each command of surgery on one state: exactly the bytes that must change, wherever the state is and goes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"
OPENTOFU, TERRAFORM = b"registry.opentofu.org", b"registry.terraform.io"
EU = b'.by_region[\\"eu-west-1\\"]'
US = b'.by_region[\\"us-west-2\\"]'
TO_US = 'provider["hashicorp/aws"].by_region["us-west-2"]'

Change = Callable[[bytes], bytes]


def replaced(old: bytes, new: bytes, *, of: bytes = b"", count: int = -1) -> Change:
    """Replace `old` wherever it stands, or `count` times after the first `of`."""

    def change(data: bytes) -> bytes:
        start = data.index(of)
        assert old in data[start:]
        return data[:start] + data[start:].replace(old, new, count)

    return change


def object_without(text: bytes) -> Change:
    """Take the object of an instance away that has a text in it, with the comma after it."""

    def change(data: bytes) -> bytes:
        start = data.rindex(b"\n        {\n", 0, data.index(text))
        end = data.index(b"\n        }", start) + len(b"\n        },")
        return data[:start] + data[end:]

    return change


VPC = b'"type": "aws_vpc"'
WEB = b'"type": "aws_instance"'
# The command, and what it changes apart from the serial.
COMMANDS: dict[str, tuple[list[str], list[Change]]] = {
    "mv": (
        ["mv", "aws_iam_role.app", "aws_iam_role.shop"],
        [
            replaced(b'"aws_iam_role.app"', b'"aws_iam_role.shop"'),
            replaced(b'"name": "app"', b'"name": "shop"', of=b'"type": "aws_iam_role"', count=1),
        ],
    ),
    "rm": (["rm", "--yes", 'aws_vpc.main["eu-west-1"]'], [object_without(b"vpc-01a2b3c4d5e6f7081")]),
    "rm of a deposed object": (
        ["rm", "--yes", "aws_instance.web", "--deposed", "5f3c91ab"],
        [object_without(b'"deposed": "5f3c91ab"')],
    ),
    "rekey": (
        ["rekey", "aws_vpc.main", "--map", "eu-west-1=eu,us-west-2=us"],
        [
            replaced(b'"index_key": "eu-west-1"', b'"index_key": "eu"', of=VPC, count=1),
            replaced(b'"index_key": "us-west-2"', b'"index_key": "us"', of=VPC, count=1),
        ],
    ),
    "rekey by an attribute": (
        ["rekey", "aws_vpc.main", "--by", "id"],
        [
            replaced(b'"index_key": "eu-west-1"', b'"index_key": "vpc-01a2b3c4d5e6f7081"', of=VPC, count=1),
            replaced(b'"index_key": "us-west-2"', b'"index_key": "vpc-02b3c4d5e6f708192"', of=VPC, count=1),
        ],
    ),
    "rebind": (["rebind", 'aws_vpc.main["eu-west-1"]', TO_US], [replaced(EU, US, of=VPC, count=1)]),
    "rebind by a short name": (
        ["rebind", "--id", "vpc-01a2b3c4d5e6f7081", 'aws.by_region["us-west-2"]'],
        [replaced(EU, US, of=VPC, count=1)],
    ),
    "rebind by a map": (
        ["rebind", "--new-provider", "aws_instance.web", "--map", "eu-west-1=eu-central-1"],
        [replaced(EU, b'.by_region[\\"eu-central-1\\"]', of=WEB, count=2)],
    ),
    "replace-provider": (
        ["replace-provider", "--yes", "hashicorp/aws", "registry.terraform.io/hashicorp/aws"],
        [replaced(OPENTOFU, TERRAFORM)],
    ),
    "replace-provider of some": (
        ["replace-provider", "--yes", "hashicorp/aws", "registry.terraform.io/hashicorp/aws", "--type", "aws_iam_role"],
        [replaced(OPENTOFU, TERRAFORM, of=b'"type": "aws_iam_role"', count=1)],
    ),
    "taint": (
        ["taint", "aws_iam_role.app"],
        [
            replaced(
                b'"schema_version"',
                b'"status": "tainted",\n          "schema_version"',
                of=b'"type": "aws_iam_role"', count=1,
            )
        ],
    ),
    "forget-deposed": (["forget-deposed", "--yes", "aws_instance.web"], [object_without(b'"deposed": "5f3c91ab"')]),
    "set": (
        ["set", "--yes", "aws_iam_role.app", "max_session_duration=7200"],
        [replaced(b'"max_session_duration": 3600', b'"max_session_duration": 7200')],
    ),
    "unset": (
        ["unset", "--yes", "aws_iam_role.app", "name"],
        [replaced(b'"name": "app"', b'"name": null', of=b'"id": "app"', count=1)],
    ),
}  # fmt: skip


def _expected(changes: list[Change], serial: int = 59) -> bytes:
    after = REGIONS
    for change in changes:
        after = change(after)
    return after.replace(b'"serial": 58', b'"serial": %d' % serial)


@pytest.fixture(autouse=True)
def written(folder: Path) -> Path:
    path = folder / NAME
    path.write_bytes(REGIONS)
    return path


@pytest.mark.parametrize("case", COMMANDS)
def test_in_place(case: str, written: Path, statetool: Statetool) -> None:
    arguments, changes = COMMANDS[case]
    done = statetool(*arguments)
    assert done.status == 0, done.err
    assert written.read_bytes().decode() == _expected(changes).decode()


@pytest.mark.parametrize("case", COMMANDS)
def test_undone(case: str, written: Path, statetool: Statetool) -> None:
    statetool(*COMMANDS[case][0])
    assert statetool("undo").status == 0
    assert written.read_bytes() == _expected([], 60)


@pytest.mark.parametrize("case", COMMANDS)
def test_through_a_pipe(case: str, program: Program) -> None:
    """As with `tofu state pull | statetool … --state - | tofu state push -`."""
    arguments, changes = COMMANDS[case]
    done = program(*arguments, "--state", "-", stdin=REGIONS)
    assert (done.status, done.out) == (0, _expected(changes)), done.err


@pytest.mark.parametrize("case", COMMANDS)
def test_a_dry_run(case: str, written: Path, folder: Path, statetool: Statetool) -> None:
    arguments = [argument for argument in COMMANDS[case][0] if argument != "--yes"]
    dry = statetool(*arguments, "--dry-run")
    assert dry.status == 0
    assert [path.name for path in folder.iterdir()] == [NAME]
    assert written.read_bytes() == REGIONS
    assert statetool(*COMMANDS[case][0]).out == dry.out


@pytest.mark.parametrize("case", [name for name in COMMANDS if "--yes" in COMMANDS[name][0]])
def test_asks_first(case: str, written: Path, program: Program) -> None:
    arguments = [argument for argument in COMMANDS[case][0] if argument != "--yes"]
    done = program(*arguments)
    assert done.status == 2
    assert "there is no terminal to ask on" in " ".join(done.err.split())
    assert written.read_bytes() == REGIONS


def test_untaint(written: Path, statetool: Statetool) -> None:
    statetool("taint", "aws_iam_role.app")
    assert statetool("untaint", "aws_iam_role.app").status == 0
    assert written.read_bytes() == _expected([], 60)


@pytest.mark.parametrize("serial", [0, 57, 59, 2**64 - 1])
def test_set_serial(serial: int, written: Path, statetool: Statetool) -> None:
    assert statetool("set-serial", str(serial)).status == 0
    assert written.read_bytes() == _expected([], serial)


def test_new_lineage(written: Path, statetool: Statetool) -> None:
    assert statetool("new-lineage").status == 0
    lineage = json.loads(written.read_bytes())["lineage"]
    assert UUID(lineage).version == 4
    old = b"0c5d7e92-4b1f-4a86-9d3e-27f8b6a1c054"
    assert written.read_bytes() == _expected([replaced(old, lineage.encode())])


def test_keys_from_a_file(written: Path, folder: Path, statetool: Statetool) -> None:
    (folder / "keys").write_text("# regions\neu-west-1=eu\n\nus-west-2=us\n", "utf-8")
    assert statetool("rekey", "aws_vpc.main", "--map-file", "keys").status == 0
    assert written.read_bytes() == _expected(COMMANDS["rekey"][1])


SECRET = '"correct horse"'
TO_SECRET = replaced(
    b'"password": "not-a-real-password"', b'"password": "correct horse"', of=b'"aws_db_instance"', count=1
)


@pytest.mark.parametrize("source", ["file", "environment"])
def test_a_secret(source: str, written: Path, folder: Path, program: Program) -> None:
    where = 'module.database["eu-west-1"].aws_db_instance.this'
    refused = program("set", "--yes", where, f"password={SECRET}")
    assert refused.status == 2
    assert "pass it in a file or in the environment" in " ".join(refused.err.split())
    assert written.read_bytes() == REGIONS
    (folder / "secret").write_text(SECRET + "\n", "utf-8")
    option = "--from-file=password=secret" if source == "file" else "--from-env=password=SECRET"
    done = program("set", "--yes", where, option, environment={"SECRET": SECRET})
    assert done.status == 0, done.err
    assert written.read_bytes() == _expected([TO_SECRET])
    shown = refused.text + refused.err + done.text + done.err + program("history", "--format", "json").text
    assert "correct horse" not in shown


def test_a_value_is_not_in_the_history(folder: Path, statetool: Statetool) -> None:
    """What is set may be a secret that nothing marks as one."""
    statetool("set", "--yes", "aws_iam_role.app", 'name="hunter2"')
    [edit] = json.loads(statetool("history", "--format", "json").out)["edits"]
    assert edit["command"] == "set --yes aws_iam_role.app 'name=…'"
    assert not re.search("hunter2", (folder / f".{NAME}.statetool" / "history.json").read_text("utf-8"))


REFUSED = {
    "nothing selected": (["taint"], "no instances selected"),
    "no such instance": (["untaint", "aws_vpc.none"], "no resource instance matches"),
    "nothing is tainted": (["untaint", "aws_vpc.main"], "not tainted: "),
    "data is not tainted": (["taint", "data.aws_caller_identity.current"], "it is not a managed resource"),
    "no provider and no map": (["rebind"], "name the provider instance at the end"),
    "no provider instance": (["rebind", "aws_vpc.main", "aws..x"], "invalid provider instance 'aws..x'"),
    "another provider": (["rebind", "aws_vpc.main", "gcp.x"], "none of the selected instances has a provider gcp"),
    "a part of a resource": (
        ["rebind", 'aws_vpc.main["eu-west-1"]', 'provider["hashicorp/aws"]'],
        'these were not selected: aws_vpc.main["us-west-2"] Select them as well, or use --whole-resource',
    ),
    "no provider": (["replace-provider", "-y", "hashicorp/aws", "a b"], "invalid provider 'a b': "),
    "nothing bound to it": (["replace-provider", "-y", "hashicorp/gcp", "hashicorp/aws"], "no resource is bound to"),
    "two maps": (["rekey", "aws_vpc.main", "--map", "a=b", "--by", "id"], "use exactly one of these"),
    "count without an attribute": (["rekey", "aws_vpc.main", "--map", "a=b", "--count"], "requires --by"),
    "one key for two": (["rekey", "aws_vpc.main", "--map", "eu-west-1=x,us-west-2=x"], "would both become"),
    "no map file": (["rekey", "aws_vpc.main", "--map-file", "none"], "none: "),
    "another type": (["set", "-y", "aws_iam_role.app", "name=1"], "--force-type sets it anyway"),
    "no path": (["set", "-y", "aws_iam_role.app", "tags=1"], "no attribute tags"),
    "nothing to set": (["set", "-y", "aws_iam_role.app"], "nothing to set; give at least one, or --schema-version"),
    "no JSON": (["set", "-y", "aws_iam_role.app", "name=app"], "a string needs quotes: 'name=\"…\"'"),
    "no variable": (["set", "-y", "aws_iam_role.app", "--from-env", "name=NONE"], "no such environment variable: NONE"),
    "no value file": (["set", "-y", "aws_iam_role.app", "--from-file", "name=none"], "none: "),
    "nothing deposed": (["forget-deposed", "-y", "aws_vpc.main"], "no selected instance has a deposed object"),
    "rm of no such object": (["rm", "-y", "aws_instance.web", "--deposed", "00"], "has the deposed object"),
    "no such deposed key": (["forget-deposed", "-y", "aws_instance.web", "--key", "00"], "there are: aws_instance.web"),
    "no serial": (["set-serial", str(2**64)], "is not a serial"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, folder: Path, written: Path, statetool: Statetool) -> None:
    arguments, message = REFUSED[case]
    done = statetool(*arguments)
    assert (done.status, done.out) == (2, b"")
    assert message in " ".join(done.err.split())
    assert [path.name for path in folder.iterdir()] == [NAME]
    assert written.read_bytes() == REGIONS


def test_another_type_if_told_so(written: Path, statetool: Statetool) -> None:
    assert statetool("set", "-y", "aws_iam_role.app", "name=1", "--force-type").status == 0
    change = replaced(b'"name": "app"', b'"name": 1', of=b'"id": "app"', count=1)
    assert written.read_bytes() == _expected([change])


def test_the_whole_resource(written: Path, statetool: Statetool) -> None:
    """Bound to one configuration without keys, it is written in the form that older releases read."""
    done = statetool("rebind", "--whole-resource", 'aws_vpc.main["eu-west-1"]', 'provider["hashicorp/aws"]')
    assert done.status == 0, done.err
    vpc = next(one for one in json.loads(written.read_bytes())["resources"] if one["type"] == "aws_vpc")
    assert vpc["provider"] == 'provider["registry.opentofu.org/hashicorp/aws"]'
    assert all("provider" not in instance for instance in vpc["instances"])


@pytest.mark.parametrize("columns", [80, 60])
def test_notes_are_wrapped(columns: int, written: Path, program: Program) -> None:
    line = "statetool rekey aws_vpc.main --map us-west-2=0"
    shown = on_terminal(program, line, columns=columns)
    assert shown.status == 0
    assert "a resource or module has either count or for_each or" in shown.text
    # Commands to copy are not wrapped.
    lines = [line for line in shown.text.splitlines() if "`statetool " not in line]
    assert max(map(len, lines)) <= columns


def test_a_resource_without_instances(written: Path, statetool: Statetool) -> None:
    document = json.loads(REGIONS)
    document["resources"][2]["instances"] = []
    written.write_text(json.dumps(document), "utf-8")
    assert statetool("rm", "--yes", "aws_iam_role.app").status == 0
    after = json.loads(written.read_bytes())
    assert [one["name"] for one in after["resources"]] == [
        one["name"] for one in document["resources"] if one["name"] != "app"
    ]
    assert "aws_iam_role.app" not in written.read_text("utf-8")
