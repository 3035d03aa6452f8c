"""The page about how statetool is built names files and folders that exist."""

from __future__ import annotations

import re

from docs.transcripts import ROOT


def test_files_and_folders_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    # Placeholders, such as NAME, are in capitals.
    named = set(re.findall(r"`([a-z0-9_./-]+(?:/|\.(?:py|json|md|txt)))`", text))
    paths = [path for folder in ("statefmt", "tests", "docs", "schemas") for path in (ROOT / folder).rglob("*")]
    there = {f"/{path.relative_to(ROOT).as_posix()}{'/' * path.is_dir()}" for path in paths}
    assert len(named) > 60
    assert [name for name in sorted(named) if not any(one.endswith(f"/{name}") for one in there)] == []
