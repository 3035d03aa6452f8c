"""Settings files: where they are found, what they may say, and what is wrong with those that say it badly."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from statefmt.lint.settings import Settings, find_settings, load_settings
from statefmt.model.errors import SettingsError
from statefmt.schema_problems import schema_text
from tests.tables import each_row


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nearest_folder_wins(tmp_path: Path) -> None:
    _write(tmp_path / "statetool.toml", "")
    near = _write(tmp_path / "a/pyproject.toml", "[tool.statetool]\n")
    (tmp_path / "a/b").mkdir()
    assert find_settings(tmp_path / "a/b") == near


def test_own_file_wins_in_one_folder(tmp_path: Path) -> None:
    own = _write(tmp_path / "statetool.toml", "")
    _write(tmp_path / "pyproject.toml", "[tool.statetool]\n")
    assert find_settings(tmp_path) == own


@pytest.mark.parametrize("text", ["[tool.other]\n", "not toml [", "tool = 1\n", "a = " + "[" * 100_000])
def test_a_pyproject_of_others_is_passed_by(tmp_path: Path, text: str) -> None:
    outer = _write(tmp_path / "statetool.toml", "")
    _write(tmp_path / "a/pyproject.toml", text)
    assert find_settings(tmp_path / "a") == outer


def test_a_pyproject_with_settings_that_are_lost_is_refused(tmp_path: Path) -> None:
    """The file cannot be parsed, but has settings: to go on without them could hide findings."""
    path = _write(tmp_path / "pyproject.toml", '[tool.statetool]\nfail-on = "info\n')
    with pytest.raises(SettingsError, match="not valid TOML") as caught:
        find_settings(tmp_path)
    assert str(path) in str(caught.value)


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "statetool.toml",
        'select = ["PRV"]\nignore = ["PRV007"]\nfail-on = "warning"\nbaseline = "b.json"\n'
        '[per-file-ignores]\n"old/*" = ["INS"]\n[per-address-ignores]\n"module.a*" = ["DEP002"]\n',
    )
    assert load_settings(path) == Settings(
        select=("PRV",),
        ignore=("PRV007",),
        fail_on="warning",
        baseline="b.json",
        per_file_ignores={"old/*": ("INS",)},
        per_address_ignores={"module.a*": ("DEP002",)},
    )


@each_row(
    ("text", "said"),
    [
        ('ignored = ["X"]', "ignored"),
        ('fail-on = "never"', "fail-on"),
        ('ignore = "PRV"', "ignore"),
        ("ignore = [1]", "ignore"),
        ("ignore = [", "not valid TOML"),
        ('[per-file-ignores]\n"modules/*" = 1', "per-file-ignores.'modules/*': 1 is not of type 'array'"),
        ('ingore = ["SEC"]', "unknown key 'ingore' (did you mean 'ignore'?)"),
        ('fail_on = "error"', "unknown key 'fail_on' (did you mean 'fail-on'?)"),
        ("quux = 1", "unknown key 'quux' (the keys are: select, ignore, fail-on, "),
        ('select = ["SECX"]', "select: no rule has a code that starts with 'SECX'"),
        ('ignore = ["SCE001"]', "ignore: no rule has a code that starts with 'SCE001'; did you mean 'SEC001'?"),
        ('ignore = [""]', "ignore: no rule has a code that starts with ''"),
        ('[per-file-ignores]\n"old/*" = ["INS", "XX"]', "per-file-ignores.'old/*': no rule has a code"),
        ('[per-address-ignores]\n"a.b" = ["sec001"]', "per-address-ignores.'a.b': no rule has a code"),
        (f"ignore = [{','.join(['1'] * 12)}]", "and 2 more problems"),
        (f'ignore = ["{"x" * 999}", [{",".join(["1"] * 999)}]]', "…"),
    ],
    ids=[
        "unknown key",
        "unknown level",
        "text for a list",
        "number in a list",
        "no TOML",
        "nested",
        "misspelt key",
        "underscore",
        "no key is near",
        "code of no rule",
        "misspelt code",
        "empty code",
        "code for files",
        "code for addresses",
        "many",
        "long",
    ],
)
def test_bad_settings_name_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    path = _write(tmp_path / "statetool.toml", text)
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_every_problem_is_reported(tmp_path: Path) -> None:
    path = _write(tmp_path / "statetool.toml", 'ignored = []\nfail-on = "never"\nselect = [1]')
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert all(text in str(caught.value) for text in ("'ignored'", "fail-on: 'never'", "select.0: 1"))


@pytest.mark.parametrize(
    "document",
    [{}, {"select": [], "fail-on": "info"}, {"per-file-ignores": {"*": ["PRV"]}, "baseline": "b", "ignore": ["A"]}],
)
def test_the_schema_allows_what_is_read(document: dict[str, object], tmp_path: Path) -> None:
    msgspec.convert(document, Settings)
    assert Draft202012Validator(json.loads(schema_text("settings"))).is_valid(document)


@pytest.mark.parametrize(
    ("pattern", "address", "fits"),
    [
        ("aws_vpc.main", "aws_vpc.main", True),
        ("aws_vpc.main", "aws_vpc.main[0]", False),
        ("aws_vpc.main*", "aws_vpc.main[0]", True),
        ('module.a["x"].*', 'module.a["x"].aws_vpc.main', True),
        ('module.a["x"].*', 'module.a["y"].aws_vpc.main', False),
        ("aws_eip.nat[0]", "aws_eip.nat[0]", True),
        ("aws_eip.nat[0]", "aws_eip.nat0", False),
        ("*", "output.x", True),
    ],
)
def test_only_the_star_is_special(pattern: str, address: str, fits: bool) -> None:
    settings = Settings(per_address_ignores={pattern: ("PRV",)})
    assert settings.ignored_at(address) == (("PRV",) if fits else ())
