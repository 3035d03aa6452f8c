"""A write that would add an error is refused, with the finding, and the file stays as it is; any other is done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.edit.pipeline import EditOptions, Proposal, edit
from statefmt.edit.session import LoadedState, StateFileError
from statefmt.model.errors import StoreError
from statefmt.store.local.store import LocalFile

CONTEXT = system_context()
SAMPLES = Path(__file__).resolve().parents[3] / "samples"
GOOD = (SAMPLES / "v4-resource-level.tfstate").read_bytes()


def _repeated_instance(content: bytes) -> bytes:
    """The first instance with a number key, twice."""
    return content.replace(b'"index_key": 1', b'"index_key": 0', 1)


def _other_provider(content: bytes) -> bytes:
    """The provider of one instance is another than that of its siblings."""
    own = b'"provider": "provider[\\"registry.opentofu.org/hashicorp/aws\\"].other",'
    return content.replace(b'"index_key": 1,', b'"index_key": 1, ' + own, 1)


# What an edit does to the state, and the code and the address of the error that it adds.
EDITS = [
    ("repeats an instance", _repeated_instance(GOOD), "ADR002", "aws_instance.web[0]"),
    ("mixes providers", _other_provider(GOOD), "PRV003", "aws_instance.web"),
    ("invalid mode", GOOD.replace(b'"managed"', b'"manged"', 1), "ADR003", "aws_acm_certificate.cdn"),
    ("no provider", re.sub(rb'"provider": "[^,]*,', b"", GOOD, count=1), "PRV002", "data.aws_ami.base"),
    ("invalid status", GOOD.replace(b'"tainted"', b'"dirty"'), "INS001", "aws_instance.web[1]"),
    ("cut off", GOOD[:-10], "STA001", ""),
    ("empty", b"", "STA001", ""),
]


def replaced(path: Path, content: bytes, *, meanwhile: bytes = b"") -> Path | None:
    """Write a new content, and give the backup; another program may write `meanwhile`."""
    backups: list[str | None] = []

    def operation(state: LoadedState) -> Proposal[None]:
        if meanwhile:
            path.write_bytes(meanwhile)
        return Proposal(None, [content])

    store = LocalFile(str(path), CONTEXT)
    edit(CONTEXT, store, EditOptions("test", "test"), operation, written=lambda _, backup: backups.append(backup))
    return Path(backups[0]) if backups and backups[0] else None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(GOOD)
    return path


@pytest.mark.parametrize(("content", "code", "address"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_edit_that_adds_an_error(content: bytes, code: str, address: str, path: Path) -> None:
    assert content != GOOD
    with pytest.raises(StateFileError) as refused:
        replaced(path, content)
    assert (code, address) in {(finding.code, finding.address) for finding in refused.value.reasons}
    assert "not written" in refused.value.name
    assert {found.name: found.read_bytes() for found in path.parent.iterdir()} == {path.name: GOOD}


HAS_ERROR = (SAMPLES / "broken" / "current-and-deposed-keys.tfstate").read_bytes()


def test_error_that_was_there_before(path: Path) -> None:
    """An operator must be able to mend one thing after the other."""
    path.write_bytes(HAS_ERROR)
    edited = HAS_ERROR.replace(b'"serial": ', b'"serial": 9', 1)
    backup = replaced(path, edited)
    assert backup is not None
    assert (path.read_bytes(), backup.read_bytes()) == (edited, HAS_ERROR)


def test_error_that_is_mended(path: Path) -> None:
    path.write_bytes(HAS_ERROR)
    mended = HAS_ERROR.replace(b'\\"us-west-2\\"', b'\\"eu-west-1\\"')
    assert replaced(path, mended) is not None
    assert path.read_bytes() == mended


def test_edit_that_adds_a_warning_only(path: Path) -> None:
    edited = GOOD.replace(b'"index_key": 1,', b'"index_key": 1, "status": "tainted",', 1).replace(b"\n", b" ", 1)
    assert replaced(path, edited) is not None
    assert path.read_bytes() == edited


def test_no_edit(path: Path) -> None:
    assert replaced(path, GOOD) is None
    assert list(path.parent.iterdir()) == [path]


def test_file_that_changed_since_it_was_loaded(path: Path) -> None:
    edited = GOOD.replace(b'"serial": ', b'"serial": 9', 1)
    with pytest.raises(StoreError, match="the file changed during the edit; nothing was written"):
        replaced(path, edited, meanwhile=GOOD + b"\n")
    assert {found.name: found.read_bytes() for found in path.parent.iterdir()} == {path.name: GOOD + b"\n"}
