"""What is said of provider configurations is what the real programs say, at the same line and column.

With STATETOOL_OPENTOFU_SOURCE, the path of a repository of OpenTofu, its own fixtures are compared, too.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Final

import pytest

from benchmarks.provider_agreement import compare
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.check import check_configuration
from statefmt.model.findings import Place
from tests.compat.program import Program

_SOURCE: Final = "STATETOOL_OPENTOFU_SOURCE"
_FOLDER: Final = Path(__file__).parents[1] / "configurations"
# Without for_each in provider blocks, which Terraform does not know. The number is that of places that both name.
_FIXTURES: Final = {
    "alias-not-passed": 1,
    "empty-provider-block": 1,
    "import-in-module": 1,
    "passed-of-another-type": 6,
    "passed-wrongly": 3,
    "provider-block-invalid": 8,
    "provider-block-not-empty": 1,
    "provider-in-repeated-module": 1,
    "provider-in-waiting-module": 3,
    "provider-name-invalid": 1,
    "provider-of-another-source": 1,
    "required-by-another-name": 3,
    "required-providers-invalid": 14,
    "test-files-of-modules": 3,
}
# Terraform's words, where OpenTofu has others since.
_OTHER_WORDS: Final = {
    "Module is incompatible with count, for_each, and depends_on": (
        "Module is incompatible with count, for_each, enabled and depends_on"
    )
}
# What is found only where all files are in order, after what is compared.
_LATER: Final = ("Missing required provider", "Missing required argument", "Module not installed")


@pytest.mark.parametrize("name", _FIXTURES)
def test_the_real_program_says_the_same(real: Program, tmp_path: Path, name: str) -> None:
    if real.engine == "terraform" and real.minor > (1, 11):
        pytest.skip("later releases of Terraform install modules only where the configuration is in order")
    folder = tmp_path / name
    shutil.copytree(_FOLDER / name, folder)
    real.run(folder, "get", "-no-color")
    said = json.loads(real.run(folder, "validate", "-json", "-no-color").out)["diagnostics"]
    theirs = {_theirs(each) for each in said if each.get("range") and each["summary"] not in _LATER}
    found = check_configuration(ProviderReferences(load(folder)))
    ours = {(each.severity.value, _place(each.place, folder), each.summary) for each in found}
    assert theirs - ours == set()
    assert len(theirs) == _FIXTURES[name]


def _theirs(said: dict[str, object]) -> tuple[object, str, object]:
    place = said["range"]
    assert isinstance(place, dict)
    start = place["start"]
    summary = said["summary"]
    return (
        said["severity"],
        f"{place['filename']}:{start['line']}:{start['column']}",
        _OTHER_WORDS.get(str(summary), summary),
    )


def _place(place: Place | None, folder: Path) -> str:
    assert place is not None
    return f"{Path(place.file).relative_to(folder).as_posix()}:{place.line}:{place.column}"


@pytest.mark.skipif(_SOURCE not in os.environ, reason=f"{_SOURCE} names no repository of OpenTofu")
def test_fixtures_of_opentofu() -> None:
    compared = list(compare(Path(os.environ[_SOURCE])))
    assert [(fixture.name, fixture.missing) for fixture in compared if fixture.missing] == []
    assert sum(len(fixture.agreed) for fixture in compared) > 40
