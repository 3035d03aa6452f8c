"""`list --long`, `--format csv` and `--null`: what they show of each object, and to which programs."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import AWS, SAMPLES, resource, state
from tests.cli.terminal import on_terminal
from tests.tables import each_row

_ID = [{"type": "get_attr", "value": "id"}]
_MINE = 'provider["example.com/acme/aws"]'
_FOR_EACH = resource(
    "aws_vpc", "a", {"provider": f'{AWS}.by_region["eu"]', "index_key": "eu", "attributes": {"id": "vpc-1"}}
)
del _FOR_EACH["provider"]
_FLAT = resource("a", "b") | {"instances": [{"schema_version": 0, "attributes_flat": {"id": "i-1", "x": "y"}}]}
OBJECT: dict[str, object] = {
    "deposed_key": None,
    "id": None,
    "provider_instance": AWS,
    "status": "ready",
    "schema_version": 0,
}

# A resource, and what is listed of its objects.
OBJECTS: list[tuple[str, dict[str, object], list[dict[str, object]]]] = [
    ("nothing to tell", resource("a", "b"), [OBJECT]),
    ("id", resource("a", "b", {"attributes": {"id": "i-1"}}), [OBJECT | {"id": "i-1"}]),
    ("number", resource("a", "b", {"attributes": {"id": 7}}), [OBJECT | {"id": "7"}]),
    ("flat", _FLAT, [OBJECT | {"id": "i-1"}]),
    ("tainted", resource("a", "b", {"status": "tainted"}), [OBJECT | {"status": "tainted"}]),
    ("schema", resource("a", "b", {"schema_version": 2**64 - 1}), [OBJECT | {"schema_version": 2**64 - 1}]),
    ("alias", resource("a", "b", provider=f"{AWS}.west"), [OBJECT | {"provider_instance": f"{AWS}.west"}]),
    ("for_each", _FOR_EACH, [OBJECT | {"id": "vpc-1", "provider_instance": f'{AWS}.by_region["eu"]'}]),
    (
        "deposed, the current one first",
        resource("a", "b", {"deposed": "00000002", "status": "tainted"}, {}, {"deposed": "00000001"}),
        [OBJECT, OBJECT | {"deposed_key": "00000002", "status": "tainted"}, OBJECT | {"deposed_key": "00000001"}],
    ),
    ("deposed only", resource("a", "b", {"deposed": "00000001"}), [OBJECT | {"deposed_key": "00000001"}]),
    (
        "sensitive",
        resource("a", "b", {"attributes": {"id": "x"}, "sensitive_attributes": [_ID]}),
        [OBJECT | {"id": "(sensitive value)"}],
    ),
    ("sensitive and not there", resource("a", "b", {"sensitive_attributes": [_ID]}), [OBJECT]),
]


@each_row(("given", "objects"), [case[1:] for case in OBJECTS], ids=[case[0] for case in OBJECTS])
def test_objects(given: dict[str, object], objects: list[dict[str, object]], statetool: Statetool) -> None:
    """The same in JSON and in CSV, where everything is text and nothing is empty."""
    Path("terraform.tfstate").write_bytes(state(given))
    document = json.loads(statetool("list", "-l", "--format", "json").out)
    (instance,) = document["instances"]
    assert instance.pop("objects") == objects
    records = [
        {name: "" if value is None else str(value) for name, value in (instance | obj).items()} for obj in objects
    ]
    assert list(csv.DictReader(io.StringIO(statetool("list", "-l", "--format", "csv").text, newline=""))) == records


def test_table(statetool: Statetool) -> None:
    result = statetool("list", "--long", "--state", str(SAMPLES / "v4-deposed.tfstate"))
    assert result.text.splitlines() == [
        "address              status                     schema  provider  id",
        "aws_instance.web[0]  ready                           1  aws       i-0d1e2f3a4b5c6d7e0",
        "aws_instance.web[0]  deposed 3f9a1c07                1  aws       i-0a9b8c7d6e5f4a3b2",
        "aws_instance.web[0]  deposed b52e80d4, tainted       1  aws       i-02b3c4d5e6f7a8b9c",
        "aws_instance.web[1]  deposed 7c41d29e                1  aws       i-0f1e2d3c4b5a69788",
    ]


STACKED = [
    "address",
    "  status                     schema  provider  id",
    "aws_instance.web[0]",
    "  ready                           1  aws       i-0d1e2f3a4b5c6d7e0",
    "  deposed 3f9a1c07                1  aws       i-0a9b8c7d6e5f4a3b2",
    "  deposed b52e80d4, tainted       1  aws       i-02b3c4d5e6f7a8b9c",
    "aws_instance.web[1]",
    "  deposed 7c41d29e                1  aws       i-0f1e2d3c4b5a69788",
]


# The table of test_table is 85 columns wide.
@pytest.mark.parametrize(("columns", "lines"), [(80, 8), (84, 8), (85, 5), (200, 5)])
def test_table_on_a_terminal(columns: int, lines: int, program: Program) -> None:
    """Where it is too wide for the terminal, addresses stand above their objects."""
    state = SAMPLES / "v4-deposed.tfstate"
    shown = on_terminal(program, f"statetool list -l --state {state}", columns=columns).text
    text = re.sub(r"\x1b\[[0-9]*m", "", shown).splitlines()
    assert len(text) == lines
    assert max(map(len, text)) <= columns
    assert lines == 5 or text == STACKED
    assert "\x1b[33mdeposed b52e80d4, tainted\x1b[0m" in shown


# The providers of two resources, and how the table calls them: a name that would stand for both is not used.
NAMES = [
    ([AWS, f"{AWS}.west"], ["aws", "aws.west"]),
    ([AWS, _MINE], ["hashicorp/aws", "acme/aws"]),
    ([f"module.net.{AWS}", AWS], ["module.net.aws", "aws"]),
]


@pytest.mark.parametrize(("providers", "names"), NAMES)
def test_provider_names(providers: list[str], names: list[str], statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(
        state(*(resource("a", f"b{place}", provider=provider) for place, provider in enumerate(providers)))
    )
    lines = statetool("list", "-l").text.splitlines()[1:]
    assert [line.split()[-2] for line in lines] == names


def test_nothing_to_show(statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(state())
    assert statetool("list", "-l").text == "address  status  schema  provider  id\n"
    assert statetool("list", "--format", "csv").out == b"address,module,mode,type,name,key\n"
    assert statetool("list", "-0").out == b""


SENSITIVE = state(
    resource("a", "b", {"attributes": {"id": "planted"}, "sensitive_attributes": [_ID]}),
    resource("a", "c", {"attributes": {"id": "planted-too", "x": 1}, "sensitive_attributes": [[]]}),
    resource("a", "d", {"deposed": "00000001", "attributes": {"id": "planted"}, "sensitive_attributes": [_ID]}),
    resource("a", "e", {"attributes": {"id": "visible"}}),
)
SHOWN = ["-l", "-l --format json", "-l --format csv"]


@pytest.mark.parametrize("options", SHOWN)
def test_sensitive_ids(options: str, statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(SENSITIVE)
    hidden = statetool("list", *options.split()).text
    shown = statetool("list", *options.split(), "--show-sensitive").text
    assert (hidden.count("planted"), hidden.count("(sensitive value)"), hidden.count("visible")) == (0, 3, 1)
    assert (shown.count("planted"), shown.count("(sensitive value)"), shown.count("visible")) == (3, 0, 1)


def test_sensitive_ids_are_not_suggested(statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(SENSITIVE)
    result = statetool("list", "--id", "plante")
    assert (result.status, result.err) == (2, "statetool: no id matches 'plante'\n")
    assert "visible" in statetool("list", "--id", "visble").err


# Names as no configuration has them: with a control character that would clear the screen.
CONTROL = resource("a", "b\x1b[2J", {"attributes": {"id": "x\x1b[2Jy\nz"}})


@pytest.mark.parametrize(
    ("options", "raw"), [("", 0), ("-l", 0), ("-0", 1), ("--format csv", 2), ("-l --format csv", 3)]
)
def test_control_characters(options: str, raw: int, statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(state(CONTROL))
    result = statetool("list", *options.split())
    assert result.text.count("\x1b[2J") == raw
    assert (r"\x1b[2J" in result.text) == (raw == 0)
    assert not raw or "\\x1b" not in result.text


def test_csv_quotes_as_the_standard_says(statetool: Statetool) -> None:
    keys = [{"index_key": key} for key in ('x,"y"', "é\n", "c\rd", "e\r\n")]
    Path("terraform.tfstate").write_bytes(state(resource("a", "b", *keys)))
    assert statetool("list", "--format", "csv").out.decode() == (
        "address,module,mode,type,name,key\n"
        '"a.b[""c\\rd""]",,managed,a,b,"c\rd"\n'
        '"a.b[""e\\r\\n""]",,managed,a,b,"e\r\n"\n'
        '"a.b[""x,\\""y\\""""]",,managed,a,b,"x,""y"""\n'
        '"a.b[""é\\n""]",,managed,a,b,"é\n"\n'
    )


def test_csv_of_many_has_no_carriage_return(statetool: Statetool) -> None:
    for name in ("v4-regions", "v4-deposed"):
        text = statetool("list", "-l", "--format", "csv", "--state", str(SAMPLES / f"{name}.tfstate")).out
        assert text.count(b"\n") > 2
        assert b"\r" not in text


def test_null_goes_with_xargs(program: Program) -> None:
    keys = ["a b", "'", '"', "\\", "$HOME", "é", "\n", "*"]
    Path("terraform.tfstate").write_bytes(state(resource("a", "b", *({"index_key": key} for key in keys))))
    listed = program("list").out
    assert listed.count(b"\n") == len(keys)
    assert program.in_shell("statetool list -0 | xargs -0 -n 1 statetool list").out == listed
    assert program.in_shell("statetool list --null | xargs -0 statetool list").out == listed
    assert program("list", "-0").out == listed.replace(b"\n", b"\0")


def test_a_nul_in_a_name_is_no_end(statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(state(resource("a", "b\0c")))
    result = statetool("list", "--null")
    assert (result.status, result.out) == (2, b"")
    assert "a NUL" in result.err


@pytest.mark.parametrize(
    "options", ["-0 -l", "-0 --format csv", "--null --format json", "--mode ephemeral", "--format xml"]
)
def test_bad_usage(options: str, statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(state())
    result = statetool("list", *options.split())
    assert (result.status, result.out) == (2, b"")
    assert "Error: Invalid value for" in result.err


# Every option reaches the selection: on the sample with a provider for each region.
OPTIONS = [
    (["--type", "aws_s3*"], 2),
    (["--type", "aws_s3*", "--type", "aws_sns_topic"], 3),
    (["--mode", "data"], 1),
    (["--mode", "data", "--mode", "managed"], 6),
    (["--provider", 'aws.by_region["eu-west-1"]'], 3),
    (["--provider", "hashicorp/aws", "--mode", "managed"], 5),
    (["--id", "logs-*"], 2),
    (["--exclude", "module.*"], 4),
    (["**", "--exclude", "module.*", "--exclude", "data.*.*"], 3),
]


@pytest.mark.parametrize(("options", "count"), OPTIONS, ids=[" ".join(case[0]) for case in OPTIONS])
def test_options(options: list[str], count: int, statetool: Statetool) -> None:
    result = statetool("list", "--state", str(SAMPLES / "v4-provider-for-each.tfstate"), *options)
    assert (result.status, len(result.text.splitlines())) == (0, count)


FLAGS = [("--tainted", "aws_instance.web[2]"), ("--deposed", "aws_instance.web[0]")]


@pytest.mark.parametrize(("option", "found"), FLAGS)
def test_flags(option: str, found: str, statetool: Statetool) -> None:
    result = statetool("list", "--state", str(SAMPLES / "v3-legacy.tfstate"), option)
    assert (result.status, result.text) == (0, f"{found}\n")
    result = statetool("list", "--state", str(SAMPLES / "v4-provider-for-each.tfstate"), option)
    assert (result.status, result.out) == (2, b"")


@pytest.mark.parametrize("name", ["v1-legacy", "v2-legacy", "v3-legacy"])
@pytest.mark.parametrize("options", SHOWN)
def test_older_formats(name: str, options: str, statetool: Statetool) -> None:
    state = str(SAMPLES / f"{name}.tfstate")
    addresses = statetool("list", "--state", state).text.splitlines()
    shown = statetool("list", *options.split(), "--state", state).text.replace('\\"', '"').replace('""', '"')
    assert addresses
    assert [address for address in addresses if address not in shown] == []


@pytest.mark.parametrize("key", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\n=x", "\uff1dx"])
def test_csv_has_no_formulas(key: str, statetool: Statetool, folder: Path) -> None:
    """A spreadsheet must not run what a state says."""
    (folder / "s").write_bytes(state(resource("aws_instance", "web", {"index_key": key, "attributes": {"id": key}})))
    text = statetool("list", "-l", "--format", "csv", "--state", "s").out.decode()
    (record,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (record["key"], record["id"]) == (f"'{key}", f"'{key}")
    assert record["address"].startswith("aws_instance.web[")


def test_csv_keeps_numbers_and_other_text(statetool: Statetool, folder: Path) -> None:
    (folder / "s").write_bytes(state(resource("aws_instance", "web", {"index_key": 7, "attributes": {"id": "a=b"}})))
    (record,) = csv.DictReader(io.StringIO(statetool("list", "-l", "--format", "csv", "--state", "s").text))
    assert (record["key"], record["id"]) == ("7", "a=b")
