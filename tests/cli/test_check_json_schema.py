"""`check --json-schema`: a second opinion about a state, with places and exit statuses as for other findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES, resource, state
from tests.tables import each_row

# OpenTofu and statetool read it.
_IN_CAPITALS: Final = b"""{
  "version": 4,
  "lineage": "l",
  "serial": 1,
  "outputs": {
    "a": {"value": "x", "TYPE": "string"}
  }
}
"""
_GOOD: Final = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("v*.tfstate"))


def test_finding_has_pointer_and_line(statetool: Statetool, folder: Path) -> None:
    (folder / "s.tfstate").write_bytes(_IN_CAPITALS)
    name = str(folder / "s.tfstate")
    assert statetool("check", name, "--select", "STA019,STA004,OUT").status == 0
    result = statetool("check", "--json-schema", "--format", "json", name)
    [finding] = [each for each in json.loads(result.out)["files"][0]["findings"] if each["code"] == "STA019"]
    assert (result.status, finding["severity"]) == (1, "error")
    assert (finding["pointer"], finding["line"], finding["column"]) == ("/outputs/a", 6, 5)
    assert finding["detail"] == "missing member 'type' (state-v4.schema.json)"
    assert statetool("fmt", "--yes", "--state", name).status == 0
    assert statetool("check", "--json-schema", name).status == 0


@each_row("name", _GOOD)
def test_good_samples(name: str, statetool: Statetool) -> None:
    result = statetool("check", "--json-schema", str(SAMPLES / name))
    assert (result.status, "STA019" in result.text) == (statetool("check", str(SAMPLES / name)).status, False)


def test_with_findings_of_the_reader(statetool: Statetool) -> None:
    result = statetool(
        "check", "--json-schema", "--format", "concise", str(SAMPLES / "broken/missing-provider.tfstate")
    )
    assert result.status == 1
    assert {"PRV002", "STA019"} <= {line.split()[1] for line in result.text.splitlines() if len(line.split()) > 1}


def test_several_states(statetool: Statetool, folder: Path) -> None:
    """The findings of each, and 2 if one cannot be used."""
    (folder / "good.tfstate").write_bytes(state(resource("aws_vpc", "a")))
    (folder / "odd.tfstate").write_bytes(_IN_CAPITALS)
    names = [str(folder / name) for name in ("good.tfstate", "odd.tfstate")]
    found = statetool("check", "--json-schema", "--select", "STA019", *names)
    assert (found.status, found.text.count("STA019")) == (1, 1)
    (folder / "torn.tfstate").write_bytes(_IN_CAPITALS[:50])
    found = statetool("check", "--json-schema", "--select", "STA019", *names, str(folder / "torn.tfstate"))
    assert (found.status, found.text.count("STA019")) == (2, 1)


def test_no_value_is_shown(statetool: Statetool, folder: Path) -> None:
    outputs = {"a": {"value": "hunter2", "type": "bool", "sensitive": True}, "b": {"value": "1", "type": "hunter2"}}
    (folder / "s.tfstate").write_bytes(json.dumps({"version": 4, "lineage": ["hunter2"], "outputs": outputs}).encode())
    found = statetool("check", "--json-schema", "--format", "json", "--select", "STA019", str(folder / "s.tfstate"))
    places = {finding["pointer"] for finding in json.loads(found.out)["files"][0]["findings"]}
    assert places == {"/lineage", "/outputs/a/value", "/outputs/b/type"}
    assert "hunter2" not in found.text


def test_deep_nesting_is_not_called_valid(statetool: Statetool, folder: Path) -> None:
    of = '["list",' * 300 + '"string"' + "]" * 300
    text = f'{{"version":4,"lineage":"l","serial":1,"outputs":{{"a":{{"value":null,"type":{of}}}}}}}'
    (folder / "s.tfstate").write_text(text)
    assert statetool("list", "--state", str(folder / "s.tfstate")).status == 0
    found = statetool("check", "--json-schema", "--select", "STA019", str(folder / "s.tfstate"))
    assert found.status == 1
    assert "was not validated against state-v4.schema.json: it is nested too deeply" in found.text


@pytest.mark.parametrize("digits", [5_000, 30])
def test_long_numbers(digits: int, statetool: Statetool, folder: Path) -> None:
    text = state(resource("aws_vpc", "a", {"attributes": {"n": "N"}})).replace(b'"N"', b"1" * digits)
    (folder / "s.tfstate").write_bytes(text.replace(b'"n":', b'"m":1e99999999999999999999,"n":'))
    assert statetool("check", "--json-schema", "--select", "STA019", str(folder / "s.tfstate")).status == 0


def test_what_is_encrypted_is_opened(statetool: Statetool, folder: Path) -> None:
    (folder / "c.json").write_text(json.dumps(configuration("old")))
    (folder / "s.tfstate").write_bytes(encrypted(_IN_CAPITALS, "old"))
    options = ["--json-schema", "--select", "STA019", "--encryption", str(folder / "c.json")]
    found = statetool("check", *options, str(folder / "s.tfstate"))
    assert (found.status, "missing member 'type'" in found.text) == (1, True)


@pytest.mark.parametrize(
    "options", [["--select", "PRV"], ["--ignore", "STA"], ["--no-state", "--config", "."]], ids=" ".join
)
def test_nothing_to_validate(options: list[str], statetool: Statetool, folder: Path) -> None:
    (folder / "s.tfstate").write_bytes(_IN_CAPITALS)
    states = [] if "--no-state" in options else [str(folder / "s.tfstate")]
    found = statetool("check", "--json-schema", *options, *states)
    assert (found.status, "--json-schema" in found.err) == (2, True)
