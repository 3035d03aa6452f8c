"""`statetool adopt`: what it shows, writes and runs, and where it finds the old configuration."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

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
