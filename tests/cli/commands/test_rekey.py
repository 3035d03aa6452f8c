"""`rekey` of modules and resources, by a map and by a configuration."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES

_CONFIGURATION = """
module "database" {
  source   = "./database"
  for_each = toset(["eu", "us"])
}
resource "aws_vpc" "main" {
  for_each = toset(["eu-west-1", "us"])
}
"""


@pytest.fixture(autouse=True)
def regions(folder: Path) -> Path:
    """A state with the keys eu-west-1 and us-west-2 in a module and in a resource, and a configuration with others."""
    shutil.copy(SAMPLES / "v4-regions.tfstate", folder / "terraform.tfstate")
    (folder / "configuration" / "database").mkdir(parents=True)
    (folder / "configuration" / "main.tf").write_text(_CONFIGURATION)
    (folder / "configuration" / "database" / "main.tf").write_text("")
    modules = '{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"database","Source":"./database","Dir":"database"}]}'
    (folder / "configuration" / ".terraform" / "modules").mkdir(parents=True)
    (folder / "configuration" / ".terraform" / "modules" / "modules.json").write_text(modules)
    return folder


def test_a_module(statetool: Statetool) -> None:
    result = statetool("rekey", "module.database", "--map", "eu-west-1=eu,us-west-2=us")
    assert result.status == 0
    assert '→ module.database["eu-west-1"] to module.database["eu"] (1 instance)' in result.text
    listed = statetool("list", "module.database").text.splitlines()
    assert listed == ['module.database["eu"].aws_db_instance.this', 'module.database["us"].aws_db_instance.this']


def test_a_map_from_a_file(statetool: Statetool, folder: Path) -> None:
    (folder / "keys").write_text("# old and new\neu-west-1=eu\nus-west-2=us\n")
    assert statetool("rekey", "module.database", "--map-file", "keys").status == 0
    assert statetool("list", 'module.database["eu"]').status == 0


def test_resources_in_a_module(statetool: Statetool) -> None:
    result = statetool("rekey", "module.database.**", "--map", "=x")
    assert result.status == 0
    listed = statetool("list", "module.database").text.splitlines()
    assert listed == [f'module.database["{region}"].aws_db_instance.this["x"]' for region in ("eu-west-1", "us-west-2")]


def test_a_key_that_there_is_not(statetool: Statetool) -> None:
    result = statetool("rekey", "module.database", "--map", "eu=europe")
    assert result.status == 2
    expected = (
        'statetool: module.database: no selected instance has the key ["eu"]; there are: ["eu-west-1"] ["us-west-2"]'
    )
    assert " ".join(result.err.split()) == expected


def test_the_only_new_key_of_the_configuration(statetool: Statetool) -> None:
    result = statetool("rekey", "aws_vpc.main", "--config", "configuration")
    assert (result.status, result.text.splitlines()[0]) == (0, '→ aws_vpc.main["us-west-2"] to aws_vpc.main["us"]')


def test_the_map_that_a_refusal_shows(statetool: Statetool) -> None:
    result = statetool("rekey", "module.database", "--config", "configuration", "--state", "terraform.tfstate")
    assert result.status == 2
    text, line = result.err.rstrip().rsplit("\n", 1)
    assert "does not determine which of" in " ".join(text.split())
    _, *arguments = shlex.split(line)
    assert arguments == ["rekey", "module.database", "--map", "eu-west-1=?,us-west-2=?", "--state", "terraform.tfstate"]
    assert "replace each ? by a key" in " ".join(statetool(*arguments).err.split())
    arguments[3] = "eu-west-1=eu,us-west-2=us"
    assert statetool(*arguments, "--config", "configuration").status == 0


# Arguments, the message.
REFUSED = {
    "a filter option": (
        "rekey module.database --type aws_db_instance --map =x",
        (
            "module.database is a module, and filter options select resources; to change the keys of the resources in "
            "it, use 'module.database.**'"
        ),
    ),
    "an attribute of a module": ("rekey module.database --by id", "is a module and has no attributes: use --map"),
    "nothing to go by": ("rekey module.database", "use exactly one of these"),
    "two things to go by": ("rekey module.database --by id --map a=b", "use exactly one of these"),
    "no such module": ("rekey module.databse --map a=b", "no resource instance matches 'module.databse'; the nearest"),
    "a configuration with errors": (
        "rekey module.database --config broken",
        "errors hide a part of the configuration; correct them, or use --map without --config",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, statetool: Statetool, folder: Path) -> None:
    line, message = REFUSED[case]
    (folder / "broken").mkdir()
    (folder / "broken" / "main.tf").write_text('module "database" {\n')
    before = (folder / "terraform.tfstate").read_bytes()
    result = statetool(*line.split())
    assert result.status == 2
    assert message in " ".join(result.err.replace("│", " ").split())
    assert (folder / "terraform.tfstate").read_bytes() == before
