"""The static site: what it has, and that a dead link fails it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

import docs.site
from docs.generate import pages
from docs.site import ROOT, build, files, navigation

_ZENSICAL: Final = ROOT / ".venv-docs" / "bin" / "zensical"


@pytest.fixture(scope="module")
def zensical() -> Path:
    if not _ZENSICAL.exists():
        pytest.skip("zensical is not installed; run: make site")
    return _ZENSICAL


def test_every_page_is_in_the_navigation_once() -> None:
    listed = [page for section in navigation() for found in section.values() for page in found]
    assert len(listed) == len(set(listed))
    by_hand = {path.relative_to(ROOT).as_posix() for path in files() if path.suffix == ".md"}
    assert set(listed) == by_hand | {f"docs/{name}" for name in pages()}


def test_site_has_pages_and_a_search_index(zensical: Path, tmp_path: Path) -> None:
    assert build(zensical, tmp_path) == 0
    for page in ("index.html", "docs/index.html", "docs/guides/incident.html", "docs/rules/PRV.html"):
        assert (tmp_path / "site" / page).is_file(), page
    assert (tmp_path / "site" / "schemas" / "state-v4.schema.json").is_file()
    assert "PRV003" in (tmp_path / "site" / "search.json").read_text(encoding="utf-8")
    # Nothing is loaded from another host.
    assert 'src="http' not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("link", ["[a](nothing.md)", "[a](docs/selectors.md#nothing)"])
def test_a_dead_link_fails_the_build(
    link: str, zensical: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "selectors.md").write_text("# Selectors\n")
    (tmp_path / "README.md").write_text(f"# Start\n\n{link}\n")
    monkeypatch.setattr(docs.site, "ROOT", tmp_path)
    monkeypatch.setattr(docs.site, "generated_pages", dict)
    assert build(zensical, tmp_path / "build") != 0
