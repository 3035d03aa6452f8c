"""The Python blocks of the guide to testing run as they are; their test functions run in pytest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from docs.transcripts import ROOT

_PAGE: Final = (ROOT / "docs/guides/testing.md").read_text(encoding="utf-8")
_BLOCKS: Final = re.findall(r"^```python\n(.*?)^```$", _PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", _BLOCKS, ids=lambda block: str(block.splitlines()[0]))
def test_block_runs(block: str, tmp_path: Path) -> None:
    (tmp_path / "test_block.py").write_text(block, encoding="utf-8")
    # Hypothesis has a profile for CI, in which slow machines do not matter.
    environment = {**os.environ, "CI": "true", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run([sys.executable, "test_block.py"], cwd=tmp_path, env=environment, check=True)
    if "def test_" in block:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "statefmt.testing.plugin"]
        done = subprocess.run(
            [*command, "test_block.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert "1 passed" in done.stdout, done.stdout


def test_every_section_has_a_block() -> None:
    assert len(_BLOCKS) >= _PAGE.count("\n## ")


def test_every_strategy_is_listed() -> None:
    from statefmt.testing import strategies

    listed = set(re.findall(r"`(\w+)\((?:state)?\)`", _PAGE))
    assert listed == set(strategies.__all__) - {"Address"}
