"""`providers`: what is bound to which provider instance, and what a removal meets."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import AWS, SAMPLES, resource, state
from tests.cli.terminal import in_process

SAMPLE = str(SAMPLES / "v4-provider-for-each.tfstate")
REGION = f"{AWS}.by_region"
UNUSED = "statetool: nothing in the state is bound to aws.by_region"
NO_PROVIDER = "statetool: the state has no provider 'aws.by_regoin'"

TOTALS = """\
registry.opentofu.org/hashicorp/aws
configuration               instances  deposed  modules
aws                                 1        0        1
aws.by_region["eu-west-1"]          3        0        2
aws.by_region["us-west-2"]          2        0        2
"""
MODULES = """\
registry.opentofu.org/hashicorp/aws
configuration               instances  deposed  module
aws                                 1        0  (root)
aws.by_region["eu-west-1"]          2        0  (root)
aws.by_region["eu-west-1"]          1        0  module.replica["eu-west-1"]
aws.by_region["us-west-2"]          1        0  (root)
aws.by_region["us-west-2"]          1        0  module.replica["us-west-2"]
"""
TREE = """\
registry.opentofu.org/hashicorp/aws
├── aws  1 instance
│   └── (root)  1 instance
│       └── data.aws_caller_identity.current
└── aws.by_region
    ├── ["eu-west-1"]  3 instances
    │   ├── (root)  2 instances
    │   │   ├── aws_s3_bucket.logs["eu-west-1"]
    │   │   └── aws_sns_topic.alerts
    │   └── module.replica["eu-west-1"]  1 instance
    │       └── module.replica["eu-west-1"].aws_db_instance.this[0]
    └── ["us-west-2"]  2 instances
        ├── (root)  1 instance
        │   └── aws_s3_bucket.logs["us-west-2"]
        └── module.replica["us-west-2"]  1 instance
            └── module.replica["us-west-2"].aws_db_instance.this[0]
"""


def test_totals(statetool: Statetool) -> None:
    assert statetool("providers", SAMPLE) == (0, TOTALS.encode(), "")


def test_modules(statetool: Statetool) -> None:
    assert statetool("providers", SAMPLE, "--modules") == (0, MODULES.encode(), "")


def test_hundreds_of_modules_are_one_line(statetool: Statetool, folder: Path) -> None:
    blocks = [resource("aws_vpc", "v", module=f'module.m["{n}"]') for n in range(300)]
    (folder / "state").write_bytes(state(*blocks))
    lines = statetool("providers", "state").text.splitlines()
    assert [line.split() for line in lines[2:]] == [["aws", "300", "0", "300"]]
    assert len(statetool("providers", "state", "--modules").text.splitlines()) == 302


def test_tree(statetool: Statetool) -> None:
    assert statetool("providers", SAMPLE, "--tree", "--resources") == (0, TREE.encode(), "")
    without = [line for line in TREE.splitlines() if line.endswith(("instance", "instances", "aws", "by_region"))]
    assert statetool("providers", SAMPLE, "--tree").text.splitlines() == without


def test_table_of_resources(statetool: Statetool) -> None:
    lines = statetool("providers", SAMPLE, "--resources").text.splitlines()
    assert lines[1].split() == ["configuration", "instances", "deposed", "resource"]
    assert [line.split()[-1] for line in lines[2:]] == [
        "data.aws_caller_identity.current",
        "aws_s3_bucket.logs",
        "aws_sns_topic.alerts",
        'module.replica["eu-west-1"].aws_db_instance.this',
        "aws_s3_bucket.logs",
        'module.replica["us-west-2"].aws_db_instance.this',
    ]


def test_every_line_fits_80_columns() -> None:
    for options in ([], ["--modules"], ["--tree", "--resources"], ["--remove", "aws.by_region"]):
        shown = in_process("--color", "never", "providers", SAMPLE, *options)
        assert max(map(len, shown.text.splitlines())) <= 80


def test_keys_used_in_only_one_place_stand_out(statetool: Statetool, folder: Path) -> None:
    instances = [{"index_key": key, "provider": f'{REGION}["{key[0]}"]'} for key in ("a1", "b1", "b2")]
    (folder / "state").write_bytes(state({**resource("aws_vpc", "v", *instances), "provider": None}))
    for options in ([], ["--modules"], ["--tree"]):
        text = statetool("providers", "state", *options).text
        assert [line.split("[")[1][:6] for line in text.splitlines() if "[" in line] == ['"a"] *', '"b"]  ']
        assert text.endswith("\n* only one resource instance uses this key\n")
    assert '\x1b[33maws.by_region["a"] *\x1b[0m' in statetool("--color", "always", "providers", "state").text


# What is to be removed, the exit status, and the listed lines.
REMOVED = [
    (
        'aws.by_region["eu-west-1"]',
        1,
        [
            'aws_s3_bucket.logs["eu-west-1"]',
            "aws_sns_topic.alerts",
            'module.replica["eu-west-1"].aws_db_instance.this[0]',
        ],
    ),
    (
        f'{REGION}["us-west-2"]',
        1,
        ['aws_s3_bucket.logs["us-west-2"]', 'module.replica["us-west-2"].aws_db_instance.this[0]'],
    ),
    (AWS, 1, ["data.aws_caller_identity.current"]),
    ('aws.by_region["ap-south-1"]', 2, []),
    ("aws.by_regoin", 2, []),
]


@pytest.mark.parametrize(("text", "status", "listed"), REMOVED, ids=[case[0] for case in REMOVED])
def test_remove(text: str, status: int, listed: list[str], statetool: Statetool) -> None:
    result = statetool("providers", SAMPLE, "--remove", text)
    assert result.status == status
    after_head = result.text.partition(":\n\n")[2].split("\n\n")[0]
    assert [line.strip() for line in after_head.splitlines()] == listed
    assert result.err.startswith((NO_PROVIDER, UNUSED)) == (status == 2)
    document = statetool("providers", SAMPLE, "--remove", text, "--format", "json")
    assert document.status == status
    assert [obj["address"] for obj in json.loads(document.out or b'{"bound":[]}')["bound"]] == listed


def test_what_is_bound_in_json(statetool: Statetool) -> None:
    """A deposed object is named by its key, a current one by none."""
    regions = str(SAMPLES / "v4-regions.tfstate")
    found = json.loads(
        statetool("providers", regions, "--remove", 'aws.by_region["eu-west-1"]', "--format", "json").out
    )
    assert [(one["address"], one["mode"], one["deposed_key"]) for one in found["bound"]] == [
        ('aws_instance.web["eu-west-1"]', "managed", None),
        ('aws_instance.web["eu-west-1"]', "managed", "5f3c91ab"),
        ('aws_vpc.main["eu-west-1"]', "managed", None),
        ('module.database["eu-west-1"].aws_db_instance.this', "managed", None),
    ]


def _commands(text: str) -> list[list[str]]:
    """The commands in a text, as a shell takes them."""
    joined = text.replace("\\\n", " ")
    return [shlex.split(line) for line in joined.splitlines() if line.startswith(("  tofu ", "  statetool "))]


def test_commands_to_paste(statetool: Statetool) -> None:
    text = statetool("providers", SAMPLE, "--remove", 'aws.by_region["eu-west-1"]').text
    addresses = REMOVED[0][2]
    assert _commands(text) == [
        ["tofu", "destroy", *(f"-target={address}" for address in addresses)],
        ["statetool", "rm", "--state", SAMPLE, *addresses],
        ["statetool", "rebind", "--state", SAMPLE, *addresses, "PROVIDER_INSTANCE"],
    ]


def test_the_commands_do_it(statetool: Statetool, folder: Path) -> None:
    """Without --state where the state was not named; what remains bound is what the commands do not name."""
    given = Path(SAMPLE).read_bytes()
    instance = 'aws.by_region["eu-west-1"]'
    for number in (1, 2):
        (folder / "terraform.tfstate").write_bytes(given)
        _, *arguments = _commands(statetool("providers", "--remove", instance).text)[number]
        to = [
            'provider["hashicorp/aws"].by_region["us-west-2"]' if one == "PROVIDER_INSTANCE" else one
            for one in arguments
        ]
        assert statetool(*to, "--yes").status == 0
        assert statetool("providers", "--remove", instance).err.startswith(UNUSED)


def test_no_command_touches_what_is_bound_elsewhere(statetool: Statetool, folder: Path) -> None:
    """Of an instance whose deposed object alone is bound to it, nothing else may be destroyed or forgotten."""
    objects = [{"provider": f'{REGION}["a"]'}, {"deposed": "00000001", "provider": f'{REGION}["b"]'}]
    (folder / "state").write_bytes(state({**resource("aws_vpc", "v", *objects), "provider": None}))
    result = statetool("providers", "state", "--remove", 'aws.by_region["b"]')
    assert result.status == 1
    assert "\n  aws_vpc.v (deposed object 00000001)\n" in result.text
    assert _commands(result.text) == []
    assert "`tofu apply` destroys deposed objects" in " ".join(result.text.split())


def test_no_command_for_data_sources(statetool: Statetool) -> None:
    assert _commands(statetool("providers", SAMPLE, "--remove", AWS).text) == []


def test_a_key_that_is_not_in_use_may_be_misspelt(statetool: Statetool) -> None:
    result = statetool("providers", SAMPLE, "--remove", 'aws.by_region["eu-wset-1"]')
    assert (result.status, result.out) == (2, b"")
    assert result.err.splitlines()[-2:] == ['  aws.by_region["eu-west-1"]', '  aws.by_region["us-west-2"]']


DECLARED = """\
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1", "spare"])
}
provider "aws" {
  alias = "plain"
}
"""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param('aws.by_region["spare"]', 0, id="short form"),
        pytest.param(f'{REGION}["spare"]', 0, id="full address"),
        pytest.param("aws.plain", 0, id="without for_each"),
        pytest.param('aws.by_region["eu-west-1"]', 1, id="in use"),
        pytest.param('aws.by_region["sapre"]', 2, id="misspelt key"),
        pytest.param("aws.plian", 2, id="misspelt alias"),
        pytest.param('aws.plain["spare"]', 2, id="key without for_each"),
    ],
)
def test_the_configuration_knows_unused_ones(text: str, status: int, statetool: Statetool, folder: Path) -> None:
    (folder / "main.tf").write_text(DECLARED)
    result = statetool("providers", SAMPLE, "--remove", text, "--config", ".")
    assert result.status == status, result
    assert ("does not declare it either" in " ".join(result.err.split())) == (status == 2)


def test_control_characters_are_shown_as_such(statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(state(resource("aws_vpc", "v\x1b[2J", module="module.m")))
    for options in (["--resources"], ["--tree", "--resources"], ["--remove", "aws"]):
        text = statetool("providers", "state", *options).text
        assert "\x1b" not in text
        assert "v\\x1b[2J" in text


def test_no_providers(statetool: Statetool) -> None:
    assert statetool("providers", str(SAMPLES / "v4-empty.tfstate")) == (
        0,
        b"",
        "statetool: the state names no provider\n",
    )


@pytest.mark.parametrize("option", ["--tree", "--resources"])
def test_remove_is_a_question_of_its_own(option: str, statetool: Statetool) -> None:
    result = statetool("providers", SAMPLE, "--remove", "aws", option)
    assert (result.status, result.out) == (2, b"")
    assert "cannot be combined" in result.err


def test_standard_input(program: Program) -> None:
    assert program("providers", "-", stdin=Path(SAMPLE).read_bytes()) == (0, TOTALS.encode(), "")
