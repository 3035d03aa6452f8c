"""What findings about a configuration are known by: not by lines, and each by something of its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.baseline import fingerprint
from statefmt.lint.check import check, check_configuration
from statefmt.model.findings import Finding
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parents[1] / "configurations"
_FIXTURES: Final = sorted(path for path in _FOLDER.iterdir() if path.is_dir())

_WITHOUT_ALIAS: Final = 'provider "{name}" {{\n  for_each = toset(["a"])\n}}\n'
_AWS, _GOOGLE = _WITHOUT_ALIAS.format(name="aws"), _WITHOUT_ALIAS.format(name="google")
_CALL: Final = 'module "m" {{\n  source = "./m"\n  providers = {{\n{passed}  }}\n}}\n'
_ONE, _OTHER = "    aws = aws\n", "    google = google\n"


def _marks(folder: Path) -> list[str]:
    references = ProviderReferences(load(folder))
    state = folder / "terraform.tfstate"
    found: list[Finding] = check_configuration(references)
    if state.exists():
        found += check(state.read_bytes(), select=["CFS"], configuration=references)
    return sorted(map(fingerprint, found))


def _written(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return _marks(folder)


@each_row("fixture", _FIXTURES, ids=lambda path: path.name)
def test_lines_that_move(fixture: Path, tmp_path: Path) -> None:
    """The same findings elsewhere on the disk, three lines further down, have the same fingerprints, all different."""
    shutil.copytree(fixture, tmp_path / "elsewhere")
    for path in (tmp_path / "elsewhere").rglob("*"):
        if path.suffix in (".tf", ".hcl"):
            path.write_text(f"# one\n\n# three\n{path.read_text()}")
    before, after = _marks(fixture), _marks(tmp_path / "elsewhere")
    assert before == after
    assert len(set(before)) == len(before)


# Two configurations, and how many findings they share.
PAIRS = [
    ({"a.tf": _AWS + _GOOGLE}, {"a.tf": _GOOGLE + _AWS}, 2, "blocks in another order"),
    ({"a.tf": _AWS + _GOOGLE}, {"a.tf": _GOOGLE}, 1, "one of two is mended"),
    ({"a.tf": _AWS}, {"a.tf": _GOOGLE}, 0, "another block"),
    ({"a.tf": _AWS}, {"b.tf": _AWS}, 0, "another file"),
    ({"a.tf": _AWS}, {"a.tf": _AWS.replace('"a"', '"a", "b"')}, 1, "another expression"),
    (
        {"a.tf": _CALL.format(passed=_ONE), "m/a.tf": ""},
        {"a.tf": _CALL.format(passed=_ONE + _OTHER), "m/a.tf": ""},
        2,
        "one more of the same in the same block",
    ),
]


@pytest.mark.parametrize(("first", "second", "shared", "shows"), PAIRS, ids=[pair[3] for pair in PAIRS])
def test_same_and_other_places(
    tmp_path: Path, first: dict[str, str], second: dict[str, str], shared: int, shows: str
) -> None:
    one, other = _written(tmp_path / "one", first), _written(tmp_path / "other", second)
    assert one and other
    assert len(set(one) & set(other)) == shared
