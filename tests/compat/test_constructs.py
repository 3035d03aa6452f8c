"""The real program refuses exactly the constructs that its release does not support."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import LoadOptions, load
from statefmt.hcl.source import ProblemKind
from statefmt.releases import parse_release
from tests.compat.program import Program
from tests.configuration.constructs import SAMPLES

# These need a provider that is not part of the program.
_NEED_PROVIDER: Final = {
    "action",
    "ephemeral",
    "function of a provider with an alias",
    "provider function",
    "resource.lifecycle.action_trigger",
    "resource.lifecycle.action_trigger.on_failure",
    "terraform.provider_meta",
}
# Only `init` reads this block.
_NEED_INIT: Final = {"backend with references"}


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - _NEED_PROVIDER - _NEED_INIT))
def test_the_real_program_agrees(real: Program, tmp_path: Path, name: str) -> None:
    (tmp_path / "child").mkdir()
    (tmp_path / "child" / "main.tf").write_text(SAMPLES[name].child, encoding="utf-8")
    (tmp_path / "main.tf").write_text(SAMPLES[name].text, encoding="utf-8")
    got = real.run(tmp_path, "get", "-no-color")
    said = json.loads(real.run(tmp_path, "validate", "-json", "-no-color").out)["diagnostics"]
    problems = load(tmp_path, LoadOptions(release=parse_release(real.release))).problems
    is_refused = any(problem.kind is ProblemKind.RELEASE for problem in problems)
    errors = [each["summary"] for each in said if each["severity"] == "error"]
    assert bool(errors) == is_refused, (got.err, errors)
