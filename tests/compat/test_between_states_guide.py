"""The guide on moving between states: with its configurations, the real program plans no changes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from tests.cli.conftest import Statetool
from tests.cli.states import ROOT
from tests.compat.program import Program

_PAGE: Final = (ROOT / "docs/guides/between-states.md").read_text(encoding="utf-8")
_FILE: Final = re.compile(r"^```terraform\n# (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_configurations_of_the_guide_fit(real: Program, folder: Path, statetool: Statetool) -> None:
    shutil.copytree(ROOT / "samples/many-states", folder, dirs_exist_ok=True)
    assert statetool("apply", "-y", "network.stateops.hcl").status == 0
    own = (folder / "net/main.tf").read_text("utf-8")
    new = dict(_FILE.findall(_PAGE))
    (folder / "net/main.tf").write_text(own + new["net/main.tf"], "utf-8")
    (folder / "app/main.tf").write_text(new["app/main.tf"], "utf-8")
    for name in ("net", "app"):
        assert real.run(folder / name, "init", "-input=false").status == 0
        if name == "net":
            done = real.run(folder / name, "apply", "-auto-approve", "-input=false")
            assert "0 added, 0 changed, 0 destroyed" in done.out, done
        planned = real.run(folder / name, "plan", "-input=false", "-detailed-exitcode")
        assert planned.status == 0, planned.out + planned.err
