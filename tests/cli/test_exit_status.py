"""Exit status: 0 fine, 1 something found or different, 2 could not do it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import COMPACT, HAND_EDITED, INDENTED, SAMPLES, V3

# Exit status, what is run, and what it shows.
CASES = [
    (0, "check canonical", "nothing found"),
    (0, "check edited", "a note is below the failing level"),
    (1, "check --fail-on info edited", "a note is at the failing level"),
    (0, "check --fail-on warning edited", "a note is below it"),
    (0, "check both-levels", "a warning is below the failing level"),
    (1, "check --fail-on warning both-levels", "a warning is at the failing level"),
    (1, "check --fail-on info both-levels", "a warning is above the failing level"),
    (1, "check duplicate-instance", "an error"),
    (0, "check --ignore ADR duplicate-instance", "an error of a rule that is left out"),
    (0, "check --select STA duplicate-instance", "an error of a rule that is not asked for"),
    (2, "check truncated", "no state at all"),
    (2, "check --ignore STA truncated", "no state at all, whatever the rules"),
    (2, "check --select PRV truncated", "no state at all, whatever the rules"),
    (2, "check encrypted", "encrypted"),
    (2, "check backend-configuration", "not a state, though it looks like one"),
    (2, "check missing", "no such file"),
    (0, "fmt canonical", "nothing to do"),
    (0, "fmt compact", "nothing to do in the file's own style"),
    (0, "fmt edited", "rewritten"),
    (0, "fmt --check canonical", "canonical"),
    (0, "fmt --check compact", "canonical in the file's own style"),
    (1, "fmt --check edited", "not canonical"),
    (1, "fmt --check --style indent compact", "not in the style that is asked for"),
    (2, "fmt --check duplicate-instance", "parses as a state but cannot be loaded"),
    (2, "fmt v3", "an older format"),
    (2, "fmt --check v3", "an older format"),
    (2, "fmt missing", "no such file"),
    (0, "list --state canonical", "no instances at all"),
    (0, "list --state v3", "an older format is read"),
    (2, "list --state canonical aws_instance.web", "no match"),
    (2, "list --state duplicate-instance", "parses as a state but cannot be loaded"),
    (2, "list --state missing", "no such file"),
    (0, "show --state canonical", "outputs only"),
    (0, "show --state v3", "an older format is read"),
    (2, "show --state canonical aws_instance.web", "no match"),
    (2, "show --state canonical --attr id", "no instance"),
    (2, "show --state duplicate-instance", "parses as a state but cannot be loaded"),
    (2, "show --state missing", "no such file"),
    (0, "upgrade v3", "upgraded"),
    (0, "upgrade canonical", "nothing to upgrade"),
    (2, "upgrade duplicate-instance", "parses as a state but cannot be loaded"),
    (2, "upgrade encrypted", "encrypted"),
    (2, "upgrade missing", "no such file"),
]


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    (folder / "canonical").write_bytes(INDENTED)
    (folder / "compact").write_bytes(COMPACT)
    (folder / "edited").write_bytes(HAND_EDITED)
    (folder / "v3").write_bytes(V3)
    shutil.copy(SAMPLES / "encrypted.tfstate", folder / "encrypted")
    for path in (SAMPLES / "broken").glob("*.tfstate"):
        shutil.copy(path, folder / path.stem)


@pytest.mark.parametrize(("status", "line"), [case[:2] for case in CASES], ids=[f"{c[1]}: {c[2]}" for c in CASES])
def test_exit_status(status: int, line: str, statetool: Statetool) -> None:
    assert statetool(*line.split()).status == status
