"""Every link between the pages leads to a file of the site, and to a heading that is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from docs.generate import DOCS, pages
from docs.site import ROOT, files
from tests.tables import each_row

_WRITTEN: Final = {path: path.read_text(encoding="utf-8") for path in files() if path.suffix == ".md"}
# The site has these pages, too, and its own versions of the lists.
_GENERATED: Final = {DOCS / name: text for name, text in pages().items()}
_CODE: Final = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_ANCHOR: Final = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


def _links(text: str) -> list[tuple[str, str]]:
    """(target, anchor) of each link outside of code; a label may be code."""
    return _LINK.findall(_CODE.sub("code", text))


@cache
def _anchors(path: Path, text: str) -> set[str]:
    """The anchors that GitHub and the site give to a page."""
    without_fences = re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return {_slug(heading) for heading in _HEADING.findall(without_fences)} | set(_ANCHOR.findall(text))


def _slug(heading: str) -> str:
    label = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", label.strip().lower()).replace(" ", "-")


def _dead(path: Path, text: str, pages: Mapping[Path, str]) -> list[str]:
    """The links of a page that lead nowhere among the `pages` and the other files."""
    dead = []
    for target, anchor in _links(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (path.parent / target).resolve() if target else path
        if (file not in pages and file not in files()) or (
            anchor and anchor not in _anchors(file, pages.get(file, text))
        ):
            dead.append(f"{target}#{anchor}" if anchor else target)
    return dead


@each_row("path", sorted(_WRITTEN), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    assert _dead(path, _WRITTEN[path], _WRITTEN) == []
    assert _dead(path, _WRITTEN[path], _WRITTEN | _GENERATED) == []


@each_row("path", sorted(_GENERATED), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_the_site_lead_somewhere(path: Path) -> None:
    assert _dead(path, _GENERATED[path], _WRITTEN | _GENERATED) == []


@each_row(
    ("link", "dead"),
    [
        ("[a](fidelity.md)", False),
        ("[a](fidelity.md#beyond-the-recorded-cases)", False),
        ("[`a`](rules/README.md#sta-the-file-and-its-envelope)", False),
        ("[a](../schemas/state-v4.schema.json)", False),
        ("[a](https://example.com/nothing)", False),
        ("`[a](nothing.md)`", False),
        ("```\n[a](nothing.md)\n```", False),
        ("[a](nothing.md)", True),
        ("[a](fidelity.md#nothing)", True),
        ("[a](#nothing)", True),
        ("[a](../schemas)", True),
        ("[a](../statefmt/version.py)", True),
        # Only the site has it.
        ("[a](rules/STA.md)", True),
    ],
)
def test_what_counts_as_dead(link: str, dead: bool) -> None:
    assert bool(_dead(ROOT / "docs" / "selectors.md", f"A page.\n\n{link}\n", _WRITTEN)) is dead
