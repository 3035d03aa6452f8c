"""Commands that read a plan file: the same as with its JSON, the configuration and the state that are inside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.lifecycle.plan_files.recorded import recorded_files
from tests.tables import each_row

_PLANS = recorded_files()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@each_row("name", _PLANS)
def test_plan_show_prints_the_same(statetool: Statetool, name: str, tmp_path: Path) -> None:
    _PLANS[name].unpack(tmp_path)
    of_file = statetool("plan-show", "plan.tfplan")
    of_json = statetool("plan-show", "plan.json", "--config", "config", "--state", "before.tfstate")
    assert of_file == of_json
    assert of_file.text
