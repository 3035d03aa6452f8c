"""`statetool adopt`: what it shows, writes and runs, and where it finds the old configuration."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from statefmt import StoreError
from statefmt.edit.transactions.operations import write_operations
from tests.analysis.adoption.case import CASES, lines_of, parts_of, read_case, state_of
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.cli.test_json_output import _assert_valid

_FILES = sorted(CASES.glob("*.txt"))
_AFTER = (SAMPLES / "adopt" / "after" / "main.tf").read_text()
_BEFORE = (SAMPLES / "adopt" / "before" / "main.tf").read_text()
# Nothing in the state shows a region.
_STATE = state_of('aws_sqs_queue.jobs_eu aws.eu {"id": "1"}\naws_sqs_queue.jobs_us aws.us {"id": "2"}')
_PAIRS = ['aws_sqs_queue.jobs["eu"]', 'aws_sqs_queue.jobs["us"]']


@pytest.fixture(autouse=True)
def _folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "a@example.com")
    (folder / "s.tfstate").write_bytes(_STATE)


def _write(name: str, text: str) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()


def _commit() -> str:
    _git("add", "-A")
    _git("commit", "-qm", "x")
    return _git("rev-parse", "HEAD")


def _arguments(case: str) -> list[str]:
    """Write a case here; return the options for its configurations."""
    parts = parts_of(case)
    read_case(case, Path())
    Path("s.tfstate").write_bytes(state_of(parts["state"]))
    old = ["--from-config", "before"] if Path("before").exists() else []
    return ["--config", "after", *old]


def _addresses(statetool: Statetool, *state: str) -> list[str]:
    return statetool("list", "--state", *state).text.split()


@pytest.mark.parametrize("file", _FILES, ids=[file.stem for file in _FILES])
def test_a_case(file: Path, statetool: Statetool) -> None:
    """The file gives the same state as --yes, undo gives the old one back, and JSON has the same pairs."""
    words = _arguments(file.read_text())
    before = Path("s.tfstate").read_bytes()
    document = json.loads(statetool("adopt", *words, "s.tfstate", "--format", "json").out)
    _assert_valid(document, "adopt-output")
    case = read_case(file.read_text(), Path("again"))
    expected = {line for line in case.result if " -> " in line and not line.startswith("refused")}
    assert {f"{pair['from']} -> {pair['to']}" for pair in document["pairs"]} == expected
    decided = not any(line.startswith(("choice", "refused")) for line in case.result)
    Path("copy").mkdir()
    Path("copy/s.tfstate").write_bytes(before)
    assert statetool("adopt", *words, "copy/s.tfstate", "-o", "ops.stateops.hcl").status == (0 if decided else 1)
    assert Path("copy/s.tfstate").read_bytes() == before
    assert statetool("adopt", *words, "s.tfstate", "--yes").status == (0 if decided else 1)
    if expected:
        assert statetool("apply", "--yes", "ops.stateops.hcl").status == 0
        assert Path("copy/s.tfstate").read_bytes() == Path("s.tfstate").read_bytes()
        assert statetool("undo", "--state", "s.tfstate", "--yes").status == 0
        undone = json.loads(Path("s.tfstate").read_bytes())
        assert undone.pop("serial") == 9
        assert undone == {name: value for name, value in json.loads(before).items() if name != "serial"}
    else:
        assert not Path("ops.stateops.hcl").exists()


def test_simulate_orphans_nothing(statetool: Statetool) -> None:
    words = _arguments((CASES / "two-levels.txt").read_text())
    assert statetool("adopt", *words, "s.tfstate", "--yes").status == 0
    assert statetool("check", "--config", "after", "s.tfstate", "--select", "CFS").status == 0
    # The region that no copy was in can go, and those of the objects cannot.
    left = 'regions={eu = "eu-central-1", ap = "ap-south-1"}'
    assert statetool("simulate", "--config", "after", "--var", left, "s.tfstate").status == 0
    assert statetool("simulate", "--config", "after", "--without", "eu", "s.tfstate").status == 1


def test_what_the_configuration_lacks(statetool: Statetool) -> None:
    _arguments((CASES / "only-dropped.txt").read_text())
    text = statetool("adopt", "--config", "after", "--from-config", "before", "s.tfstate").text
    assert "  aws_vpc.scratch\n" in text
    assert 'provider "aws" {\n  alias = "us"\n' in text


def test_the_blocks_that_have_to_stay(statetool: Statetool) -> None:
    """With the local name of the provider; those of another module are comments, since here they are the root's."""
    required = 'terraform {\n  required_providers {\n    amazon = { source = "hashicorp/aws" }\n  }\n}\n'
    _write("after/main.tf", required + 'module "app" {\n  source = "./app"\n}\n')
    _write("after/app/main.tf", required)
    objects = 'aws_vpc.x aws.uw2 {"id": "1"}\nmodule.app.aws_vpc.x module.app.aws.uw2 {"id": "2"}'
    Path("s.tfstate").write_bytes(state_of(objects + '\nmodule.b.aws_vpc.x module.b.aws {"id": "3"}'))
    text = statetool("adopt", "--config", "after", "s.tfstate").text
    assert 'aws_vpc.x\nprovider "amazon" {\n  alias = "uw2"\n  # with the arguments that it had\n}\n' in text
    assert '# in module.app:\n#   provider "amazon" {\n#     alias = "uw2"\n' in text
    assert '# in module.b, which has to stay, too:\n#   provider "aws" {\n#     # with' in text


def test_a_file_that_is_too_large_is_not_written() -> None:
    """More than 16 MiB are not read, so nobody could apply it."""
    with pytest.raises(StoreError, match="not written: it would have"):
        write_operations("f.hcl", "#" * (16 << 20) + "\n")
    assert not Path("f.hcl").exists()


def test_a_choice_is_made_by_a_pair(statetool: Statetool) -> None:
    _write("after/main.tf", _AFTER)
    # Nobody knows in which region the alias `eu` was.
    found = statetool("adopt", "--config", "after", "s.tfstate")
    assert found.status == 1
    assert "Choose: aws_sqs_queue.jobs_eu may be any of these" in found.text
    _write("before/main.tf", _BEFORE)
    found = statetool("adopt", "--config", "after", "--from-config", "before", "s.tfstate")
    assert found.status == 0, found
    Path("s.tfstate").write_bytes(state_of('aws_sqs_queue.x aws.a {"id": "1"}\naws_sqs_queue.y aws.b {"id": "2"}'))
    found = statetool("adopt", "--config", "after", "s.tfstate")
    assert found.status == 1
    assert "Choose: aws_sqs_queue.x may be any of these" in found.text
    pairs = ["--pair", 'aws_sqs_queue.x=aws_sqs_queue.jobs["us"]', "--pair", 'aws_sqs_queue.y=aws_sqs_queue.jobs["eu"]']
    assert statetool("adopt", "--config", "after", "s.tfstate", *pairs, "--yes").status == 0
    assert _addresses(statetool, "s.tfstate") == _PAIRS
    shown = statetool("show", "--state", "s.tfstate", 'aws_sqs_queue.jobs["us"]').text
    assert '"1"' in shown


@pytest.fixture
def repository() -> Iterator[str]:
    """A repository with the old configuration in a folder, and the new one in its working tree; the first commit."""
    # The names say nothing, so that the old configuration is needed.
    _git("init", "-q")
    _write("infra/live/main.tf", _BEFORE.replace("jobs_eu", "x").replace("jobs_us", "y").replace(
        'region = "eu-west-1"', 'region = file("${path.module}/../region.txt")'))  # fmt: skip
    _write("infra/region.txt", "eu-west-1")
    first = _commit()
    _write("infra/live/main.tf", _AFTER)
    _write("infra/region.txt", "us-east-1")
    Path("s.tfstate").write_bytes(state_of('aws_sqs_queue.x aws.eu {"id": "1"}\naws_sqs_queue.y aws.us {"id": "2"}'))
    yield first


def _pairs(statetool: Statetool, *words: str) -> list[tuple[str, str]]:
    found = statetool("adopt", "--config", "infra/live", *words, "s.tfstate", "--format", "json")
    return [(pair["from"], pair["to"]) for pair in json.loads(found.out)["pairs"]]


_RIGHT = [("aws_sqs_queue.x", 'aws_sqs_queue.jobs["eu"]'), ("aws_sqs_queue.y", 'aws_sqs_queue.jobs["us"]')]


def test_head_is_the_default(statetool: Statetool, repository: str) -> None:
    """Its files are those of the revision, not those of the working tree."""
    assert _pairs(statetool) == _RIGHT


def test_a_revision(statetool: Statetool, repository: str) -> None:
    _commit()
    # HEAD is the new configuration: it does not have the objects of the state, and says nothing about them.
    assert _pairs(statetool) == []
    for name in ("git:HEAD~1", f"git:{repository}:infra/live", "git:HEAD~1:./"):
        assert _pairs(statetool, "--from-config", name) == _RIGHT


def test_a_link_is_not_followed(statetool: Statetool, repository: str, tmp_path: Path) -> None:
    (tmp_path / "region").write_text("eu-west-1")
    _git("checkout", "-q", "HEAD", "--", "infra/live")
    Path("infra/region.txt").unlink()
    Path("infra/region.txt").symlink_to(tmp_path / "region")
    _commit()
    _write("infra/live/main.tf", _AFTER)
    # Without the region of one, it is not known which is which for that one.
    assert _pairs(statetool) == _RIGHT[1:]


def test_a_missing_module_is_unknown(statetool: Statetool) -> None:
    _git("init", "-q")
    _write("main.tf", 'module "m" {\n  source = "example/x/aws"\n}\n')
    _commit()
    _write("main.tf", _AFTER)
    Path("s.tfstate").write_bytes(state_of('module.m.aws_sqs_queue.x aws.a {"id": "1"}'))
    found = statetool("adopt", "--config", ".", "s.tfstate")
    assert found.status == 1
    assert "Choose: module.m.aws_sqs_queue.x" in found.text
    messages = " ".join(found.err.split())
    assert "check the revision out, run init in it, and name its folder with --from-config" in messages


@pytest.mark.parametrize("name", ["git:-x", "git:", "git:gone", "git:HEAD:gone", "git:HEAD:../..", "git:HEAD:/etc"])
def test_not_a_revision(name: str, statetool: Statetool, repository: str) -> None:
    found = statetool("adopt", "--config", "infra/live", "--from-config", name, "s.tfstate")
    assert (found.status, found.out) == (2, b"")


def test_nothing_of_the_repository_runs(statetool: Statetool, repository: str) -> None:
    """Neither filters nor hooks nor what fetches missing objects."""
    _write(".gitattributes", "*.tf filter=evil\n")
    for name in ("filter.evil.smudge", "filter.evil.clean", "core.fsmonitor", "core.sshCommand"):
        _git("config", name, "touch ran")
    _git("config", "remote.origin.url", "ssh://example.invalid/x")
    _git("config", "remote.origin.promisor", "true")
    _git("config", "extensions.partialClone", "origin")
    oid = _git("rev-parse", "HEAD:infra/region.txt")
    Path(f".git/objects/{oid[:2]}/{oid[2:]}").unlink()
    # What is missing is not fetched, and makes unknown what it says.
    assert _pairs(statetool) == _RIGHT[1:]
    assert not list(Path().rglob("ran"))


def test_the_way_back(statetool: Statetool) -> None:
    """After it, an older release keeps every object; the blocks printed make the configuration fit."""
    words = _arguments((CASES / "module-copies.txt").read_text())
    assert statetool("adopt", *words, "s.tfstate", "--yes").status == 0
    refused = statetool("downgrade", "--for", "1.8", "s.tfstate", "-o", "old.tfstate")
    assert refused.status == 2
    assert "statetool adopt --back" in " ".join(refused.err.split())
    shown = statetool("adopt", "--back", "--config", "after", "s.tfstate")
    assert statetool("adopt", "--back", "--config", "after", "s.tfstate", "--yes").status == 0
    assert statetool("downgrade", "--for", "1.8", "s.tfstate", "-o", "old.tfstate").status == 0
    # Paste the blocks: those of the providers and of the module are the last in the file.
    main = Path("after/main.tf").read_text()
    Path("after/main.tf").write_text(main[: main.index("provider ")] + shown.text[shown.text.index("# main.tf") :])
    assert statetool("check", "--config", "after", "s.tfstate", "--select", "CFS,CFG").status == 0
    assert statetool("adopt", "--config", "after", "s.tfstate").text.startswith("0 objects to adopt")


def test_no_way_back(statetool: Statetool) -> None:
    _write("after/main.tf", 'variable "r" {}\nprovider "aws" {\n  alias    = "x"\n  for_each = var.r\n}\n')
    found = statetool("adopt", "--back", "--config", "after", "s.tfstate")
    assert (found.status, found.out) == (2, b"")
    assert "cannot be rewritten" in found.err


def test_lines_of_a_case_are_checked() -> None:
    """The reader of cases does not lose lines."""
    text = (CASES / "undecidable-same-region.txt").read_text()
    case = read_case(text, Path("x"))
    assert lines_of(case.adopted()) == case.result != []


# Two copies whose regions variables decide, with defaults that are the other way round than the names.
_SWAPPED = """
variable "one" {
  default = "us-east-1"
}
variable "two" {
  default = "eu-west-1"
}
provider "aws" {
  alias  = "eu"
  region = var.one
}
provider "aws" {
  alias  = "us"
  region = var.two
}
resource "aws_sqs_queue" "x" {
  provider = aws.eu
}
resource "aws_sqs_queue" "y" {
  provider = aws.us
}
"""
_VALUES = 'one = "eu-west-1"\ntwo = "us-east-1"\n'


@pytest.fixture
def variables() -> None:
    _git("init", "-q")
    _write("infra/live/main.tf", _SWAPPED)
    _write("infra/values", _VALUES)
    Path("s.tfstate").write_bytes(state_of('aws_sqs_queue.x aws.eu {"id": "1"}\naws_sqs_queue.y aws.us {"id": "2"}'))


def _changed(statetool: Statetool, *words: str) -> tuple[list[tuple[str, str]], str]:
    """The pairs for the new configuration in the working tree, and the messages."""
    _write("infra/live/main.tf", _AFTER)
    found = statetool("adopt", "--config", "infra/live", *words, "s.tfstate", "--format", "json")
    return [(pair["from"], pair["to"]) for pair in json.loads(found.out)["pairs"]], " ".join(found.err.split())


@pytest.mark.parametrize("ending", ["", ".json"])
@pytest.mark.parametrize("name", ["terraform.tfvars", "a.auto.tfvars"])
def test_a_variable_file_that_git_ignores(name: str, ending: str, statetool: Statetool, variables: None) -> None:
    _write(".gitignore", "*.tfvars*\n")
    _commit()
    text = '{"one": "eu-west-1", "two": "us-east-1"}' if ending else _VALUES
    _write(f"infra/live/{name}{ending}", text)
    pairs, messages = _changed(statetool)
    assert pairs == []
    assert f"{name}{ending}: it is only beside the new configuration, so variables without" in messages
    # What an option says is known.
    assert _changed(statetool, "--var", "one=eu-west-1", "--var", "two=us-east-1")[0] == _RIGHT
    assert _changed(statetool, "--var-file", "infra/values")[0] == _RIGHT


def test_a_variable_file_beside_the_new_configuration_only(statetool: Statetool, variables: None) -> None:
    _write("old/main.tf", _SWAPPED)
    _write("infra/live/terraform.tfvars", _VALUES)
    pairs, messages = _changed(statetool, "--from-config", "old")
    assert (pairs, "terraform.tfvars: it is only beside the new configuration" in messages) == ([], True)
    _write("old/terraform.tfvars", _VALUES)
    assert _changed(statetool, "--from-config", "old")[0] == _RIGHT


def test_a_variable_file_is_a_link(statetool: Statetool, variables: None) -> None:
    Path("infra/live/x.auto.tfvars").symlink_to("../values")
    _commit()
    pairs, messages = _changed(statetool)
    assert (pairs, "x.auto.tfvars: it is a symbolic link" in messages) == ([], True)


def test_a_variable_file_is_a_link_out_of_the_repository(
    statetool: Statetool, variables: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "values"
    outside.write_text(_VALUES)
    _write("old/main.tf", _SWAPPED)
    Path("old/terraform.tfvars").symlink_to(outside)
    pairs, messages = _changed(statetool, "--from-config", "old")
    assert (pairs, "terraform.tfvars: it is a link out of the repository" in messages) == ([], True)
    # The new configuration, too, has an unread file of variables.
    Path("infra/live/terraform.tfvars").symlink_to(outside)
    messages = _changed(statetool, "--from-config", "old")[1]
    assert "so variables without --var or --var-file are not known statetool:" in messages


@pytest.mark.parametrize(
    "content",
    [
        b"version https://git-lfs.github.com/spec/v1\noid sha256:aaaa\nsize 12\n",
        b"\0GITCRYPT\0\x8a\x1f\xf3\0\0\x01",
        b'one = "eu-west-1"\ntwo = \n',
    ],
)
def test_a_variable_file_that_cannot_be_read(content: bytes, statetool: Statetool, variables: None) -> None:
    Path("infra/live/terraform.tfvars").write_bytes(content)
    _commit()
    _write("infra/live/terraform.tfvars", _VALUES)
    pairs, messages = _changed(statetool)
    assert (pairs, "terraform.tfvars: it could not be read" in messages) == ([], True)
    # Its own name, not that of a copy.
    assert "problems of git:HEAD: error CFG001 terraform.tfvars:" in messages


_OVERRIDE = 'provider "aws" {\n  alias  = "eu"\n  region = "eu-west-1"\n}\n'


def test_an_override_is_a_link(statetool: Statetool, variables: None) -> None:
    _write("infra/common.tf", _OVERRIDE)
    Path("infra/live/x_override.tf").symlink_to("../common.tf")
    _commit()
    Path("infra/live/x_override.tf").unlink()
    pairs, messages = _changed(statetool)
    assert (pairs, "x_override.tf: it is a symbolic link, so the old configuration is not known" in messages) == (
        [], True
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "ignored", "reason"),
    [
        ("override.tf", "override.tf\n", "override.tf: it is only in the working tree"),
        ("override.tf", "", "override.tf: it is only in the working tree"),
        ("generated.tf", "generated.tf\n", "generated.tf: git ignores it"),
    ],
)
def test_a_file_only_in_the_working_tree(
    name: str, ignored: str, reason: str, statetool: Statetool, variables: None
) -> None:
    _write(".gitignore", ignored)
    _commit()
    _write(f"infra/live/{name}", 'variable "more" {}\n')
    pairs, messages = _changed(statetool)
    assert (pairs, reason in messages) == ([], True)


def test_no_way_back_to_what_is_not_known(statetool: Statetool, variables: None) -> None:
    """It is not the way there instead."""
    _commit()
    _write("infra/live/override.tf", "")
    _write("infra/live/main.tf", _AFTER)
    words = ("--config", "infra/live", "--from-config", "git:HEAD", "s.tfstate")
    found = statetool("adopt", "--back", *words)
    assert (found.status, found.out) == (2, b"")
    assert "git:HEAD: there is no way back to a configuration that is not known" in " ".join(found.err.split())


def test_a_folder_became_a_link_out_of_the_repository(
    statetool: Statetool, variables: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _write("infra/live/m/main.tf", "")
    _write("infra/live/main.tf", _SWAPPED + 'module "m" {\n  source = "./m"\n}\n')
    _commit()
    outside = tmp_path_factory.mktemp("outside")
    (outside / "more.tf").write_text("")
    Path("infra/live/m/main.tf").unlink()
    Path("infra/live/m").rmdir()
    Path("infra/live/m").symlink_to(outside)
    pairs, messages = _changed(statetool)
    assert (pairs, "m/more.tf: git does not say whether it ignores it" in messages) == ([], True)


def test_a_new_file_is_a_part_of_the_change(statetool: Statetool, repository: str) -> None:
    _write("infra/live/more.tf", 'variable "more" {}\n')
    assert _pairs(statetool) == _RIGHT


_WORKSPACES = """
locals {
  regions = {
    default = { x = "us-east-1", y = "eu-west-1" }
    prod    = { x = "eu-west-1", y = "us-east-1" }
  }
}
provider "aws" {
  alias  = "eu"
  region = local.regions[terraform.workspace].x
}
provider "aws" {
  alias  = "us"
  region = local.regions[terraform.workspace].y
}
resource "aws_sqs_queue" "x" {
  provider = aws.eu
}
resource "aws_sqs_queue" "y" {
  provider = aws.us
}
"""


@pytest.mark.parametrize("state", [[], ["terraform.tfstate.d/prod/terraform.tfstate"], ["."]])
@pytest.mark.parametrize("from_config", [[], ["--from-config", "../old"]])
def test_the_workspace_of_the_state(
    state: list[str], from_config: list[str], statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git("init", "-q")
    _write("old/main.tf", _WORKSPACES)
    _write("live/main.tf", _WORKSPACES)
    _commit()
    _write("live/main.tf", _AFTER)
    content = state_of('aws_sqs_queue.x aws.eu {"id": "1"}\naws_sqs_queue.y aws.us {"id": "2"}')
    for name in ("prod/terraform.tfstate", "default/terraform.tfstate"):
        _write(f"live/terraform.tfstate.d/{name}", content.decode())
    if state[:1] != ["terraform.tfstate.d/prod/terraform.tfstate"]:
        _write("live/.terraform/environment", "prod")
    monkeypatch.chdir("live")
    found = statetool("adopt", "--config", ".", *from_config, *state, "--format", "json")
    pairs = [(pair["from"], pair["to"]) for pair in json.loads(found.out)["pairs"]]
    assert pairs == _RIGHT


def test_head_is_the_new_configuration(statetool: Statetool, repository: str) -> None:
    """People commit first; then HEAD says nothing about the objects of the state."""
    _commit()
    found = statetool("adopt", "--config", "infra/live", "s.tfstate")
    assert "no old configuration was compared: git:HEAD has none of these objects" in " ".join(found.err.split())


def test_another_folder_of_the_revision(statetool: Statetool, repository: str) -> None:
    found = statetool("adopt", "--config", "infra/live", "--from-config", "git:HEAD:infra", "s.tfstate")
    assert "git:HEAD:infra has none of these objects" in " ".join(found.err.split())


@pytest.mark.parametrize("content", [b"resource {\n", None])
def test_the_new_configuration_cannot_be_read(content: bytes | None, statetool: Statetool) -> None:
    Path("after").mkdir()
    if content is not None:
        Path("after/main.tf").write_bytes(content)
    for words in ([], ["--yes"]):
        found = statetool("adopt", "--config", "after", "s.tfstate", *words)
        assert (found.status, found.out) == (2, b"")
        assert "correct it first" in " ".join(found.err.split())


def test_a_part_of_the_new_configuration_cannot_be_read(statetool: Statetool) -> None:
    """Everything known is in place, but a module may have more."""
    _write("after/main.tf", _AFTER)
    objects = (f'aws_sqs_queue.jobs["{key}"] aws.by_region["{key}"] {{"id": "1"}}' for key in ("eu", "us"))
    Path("s.tfstate").write_bytes(state_of("\n".join(objects)))
    assert statetool("adopt", "--config", "after", "s.tfstate").status == 0
    _write("after/main.tf", _AFTER + 'module "m" {\n  source = "./gone"\n}\n')
    found = statetool("adopt", "--config", "after", "s.tfstate")
    assert (found.status, found.text.startswith("0 objects to adopt; 2 in place")) == (1, True)


@pytest.mark.parametrize("words", [["--yes"], ["-o", "f.hcl"], ["-o", "-"]])
def test_standard_input_is_read_once(words: list[str], statetool: Statetool) -> None:
    _write("after/main.tf", _AFTER)
    found = statetool("adopt", "--config", "after", *words, "-")
    assert found.status == 2
    assert "save it to a file" in " ".join(found.err.split())
    assert not Path("f.hcl").exists()


@pytest.mark.parametrize(
    "pairs",
    [
        ["aws_sqs_queue.jobs_eu=aws_sqs_queue.jobs[0]", "aws_sqs_queue.jobs_eu=aws_sqs_queue.jobs[1]"],
        ["aws_sqs_queue.jobs_eu=aws_sqs_queue.jobs[0]", "aws_sqs_queue.jobs_us=aws_sqs_queue.jobs[0]"],
    ],
)
def test_a_pair_that_is_given_twice(pairs: list[str], statetool: Statetool) -> None:
    _write("after/main.tf", _AFTER)
    found = statetool("adopt", "--config", "after", "s.tfstate", "--pair", pairs[0], "--pair", pairs[1])
    assert (found.status, "is given twice" in " ".join(found.err.split())) == (2, True)


def test_the_way_back_knows_its_own_copies(statetool: Statetool) -> None:
    """The names of copies are those of other keys: z_x is taken, so that x becomes x_2, and x_2 becomes x_2_2."""
    _write(
        "after/main.tf",
        'provider "aws" {\n  alias = "by_x"\n}\nresource "aws_sqs_queue" "z_x" {\n  provider = aws.by_x\n}\n'
        'provider "aws" {\n  alias    = "by"\n  for_each = toset(["x", "x_2"])\n}\n'
        'resource "aws_sqs_queue" "z" {\n  for_each = toset(["x", "x_2"])\n  provider = aws.by[each.key]\n}\n',
    )
    Path("s.tfstate").write_bytes(
        state_of('aws_sqs_queue.z["x"] aws.by["x"] {"id": "1"}\naws_sqs_queue.z["x_2"] aws.by["x_2"] {"id": "2"}')
    )
    found = statetool("adopt", "--back", "--config", "after", "s.tfstate", "--format", "json")
    assert [(pair["from"], pair["to"]) for pair in json.loads(found.out)["pairs"]] == [
        ('aws_sqs_queue.z["x"]', "aws_sqs_queue.z_x_2"),
        ('aws_sqs_queue.z["x_2"]', "aws_sqs_queue.z_x_2_2"),
    ]


def test_problems_are_printed_once(statetool: Statetool) -> None:
    _write("new/main.tf", _AFTER)
    _write("old/main.tf", _BEFORE + 'module "m" {\n  source = "./gone"\n}\n')
    for words in (["--config", "new", "--from-config", "old"], ["--back", "--config", "new", "--from-config", "old"]):
        found = statetool("adopt", *words, "s.tfstate")
        assert found.err.count("CFG002") == 1, found.err
        assert "problems of old:" in found.err


def test_a_kept_object_is_confirmed(statetool: Statetool) -> None:
    """Its provider has another host, which no option of --pair changes; nothing has to be done for it."""
    words = _arguments((CASES / "kept-with-a-host-that-no-object-had.txt").read_text())
    found = statetool("adopt", *words, "s.tfstate")
    assert found.status == 1
    assert "other arguments: profile; --pair ADDRESS=ADDRESS confirms one:\n  aws_eip.e\n" in found.text
    pairs = ["--pair", "aws_eip.e=aws_eip.e", "--pair", "kubernetes_namespace.n=kubernetes_namespace.n"]
    found = statetool("adopt", *words, "s.tfstate", *pairs, "-o", "f.hcl")
    assert (found.status, Path("f.hcl").exists()) == (0, False)
    assert "all objects stay as they are; no file was written" in found.err


def test_an_operations_file_on_standard_output(statetool: Statetool) -> None:
    """The table goes to messages with its lines."""
    words = _arguments((CASES / "copied-resources.txt").read_text())
    found = statetool("adopt", *words, "s.tfstate", "-o", "-")
    assert "OBJECT" in found.err.splitlines()[0].split()
    assert "OBJECT" not in found.text


def test_undecided_objects_are_not_said_to_be_destroyed(statetool: Statetool) -> None:
    _write("after/main.tf", _AFTER)
    text = statetool("adopt", "--config", "after", "s.tfstate").text
    assert "# Where these objects belong is not decided" in text
    assert "destroy" not in text


def test_a_choice_of_one_names_the_option(statetool: Statetool) -> None:
    words = _arguments((CASES / "hostile-legacy-vpc-to-main.txt").read_text())
    text = statetool("adopt", *words, "s.tfstate").text
    assert """to confirm it: --pair 'aws_vpc.legacy_eu=aws_vpc.main["eu"]'""" in text
