"""Collecting the schemas of a directory's providers, with small scripts in place of the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.configuration.provider_schemas import SchemaSource
from statefmt.model.errors import StoreError

_ANSWER = b'{"format_version": "1.0"}'


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a lock file; the program is in another one, the current one."""
    directory = tmp_path / "strange"
    directory.mkdir()
    (directory / ".terraform.lock.hcl").write_text("# one\n")
    own = tmp_path / "own"
    _program(own / "tofu", f"printf '%s' '{_ANSWER.decode()}'")
    monkeypatch.chdir(own)
    return directory


def test_a_relative_entry_of_path_starts_no_program_of_the_directory(directory: Path, tmp_path: Path) -> None:
    _program(directory / "tofu", "touch started; exit 1")
    source = SchemaSource(directory, {"PATH": ".", "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert source.collect(json.loads) == _ANSWER
    assert not (directory / "started").exists()
    assert source.cached() == _ANSWER


def test_what_is_not_schemas_is_not_cached(directory: Path, tmp_path: Path) -> None:
    _program(tmp_path / "bin" / "tofu", "echo Initializing...")
    source = SchemaSource(directory, {"PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    with pytest.raises(StoreError, match="tofu providers schema -json did not print schemas"):
        source.collect(json.loads)
    assert source.cached() is None
    assert not (tmp_path / "cache").exists()


def test_a_relative_cache_is_none(directory: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    source = SchemaSource(directory, {"PATH": ".", "XDG_CACHE_HOME": "cache", "HOME": str(home)})
    assert source.collect(json.loads) == _ANSWER
    assert source.cached() == _ANSWER
    assert not Path("cache").exists()
    assert (home / ".cache").is_dir()


def test_without_a_home_nothing_is_cached(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    source = SchemaSource(directory, {"PATH": "."})
    assert source.collect(json.loads) == _ANSWER
    assert source.cached() is None


def test_a_file_that_cannot_be_put_in_its_place_is_removed(directory: Path, tmp_path: Path) -> None:
    source = SchemaSource(directory, {"PATH": ".", "XDG_CACHE_HOME": str(tmp_path / "cache")})
    source.collect(json.loads)
    (cached,) = (tmp_path / "cache" / "statetool" / "schemas").iterdir()
    cached.unlink()
    (cached / "in the way").mkdir(parents=True)
    assert source.collect(json.loads) == _ANSWER
    assert list(cached.parent.iterdir()) == [cached]


def test_a_missing_program_is_named(directory: Path) -> None:
    source = SchemaSource(directory, {"PATH": ""})
    with pytest.raises(StoreError, match="tofu and terraform not found on PATH; install one of them"):
        source.collect(json.loads)
