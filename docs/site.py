"""Builds the documentation as a static site with search, in build/site, and checks every link on the way.

Run by `make docs` as `python -m docs.site ZENSICAL`, after the generated pages are written. The site has the layout of
the repository, so that the same relative links work in both.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[1]
# What pages link to: other pages, and files to download.
PAGES: Final = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "samples/**/*.md")
FILES: Final = ("LICENSE", "Dockerfile", "samples/**/*.tfstate", "samples/**/*.tf", "schemas/*.json")
# A pattern takes the pages that no section names.
_NAVIGATION: Final = (
    ("Start", ("README.md", "docs/README.md", "docs/which-command.md", "docs/coming-from.md")),
    ("Guides", ("docs/guides/incident.md", "docs/guides/looking.md", "docs/guides/surgery.md", "docs/guides/*.md")),
    ("Backends", ("docs/backends/index.md", "docs/backends/*.md")),
    ("Commands", ("docs/commands/README.md", "docs/commands/*.md")),
    ("Fleets", ("docs/fleet/tables.md", "docs/fleet/*.md")),
    ("Rules", ("docs/rules/README.md", "docs/rules/*.md")),
    ("Library", ("docs/reference/README.md", "docs/reference/*.md")),
    ("State format", ("docs/format/README.md", "docs/format/**/*.md")),
    ("Reference", ("docs/selectors.md", "docs/configuration.md", "docs/fidelity.md", "docs/*.md", "samples/**/*.md")),
    ("Project", ("docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
)


def build(zensical: Path | str, build_folder: Path = ROOT / "build") -> int:
    """Build the site in `build_folder`/site with the program `zensical`; return its exit status, 0 for no dead link."""
    source, site = build_folder / "site-source", build_folder / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    for path in files():
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    settings = build_folder / "mkdocs.yml"
    settings.write_text(yaml.safe_dump(_settings(), sort_keys=False), encoding="utf-8")
    command = [zensical, "build", "--clean", "--strict", "--config-file", settings]
    return subprocess.run(command, check=False).returncode


def files() -> set[Path]:
    """Everything that the site has, as paths in the repository."""
    return {path for pattern in (*PAGES, *FILES) for path in ROOT.glob(pattern)}


def navigation() -> list[dict[str, list[str]]]:
    """The pages of each section by its title, in order."""
    pages = sorted(path.relative_to(ROOT) for path in files() if path.suffix == ".md")
    named = {name for _, patterns in _NAVIGATION for name in patterns}
    sections = []
    for title, patterns in _NAVIGATION:
        found = [
            page.as_posix()
            for pattern in patterns
            for page in pages
            if page.as_posix() == pattern or (page.as_posix() not in named and page in _matching(pattern))
        ]
        if found:
            sections.append({title: found})
    return sections


def _matching(pattern: str) -> set[Path]:
    return {path.relative_to(ROOT) for path in ROOT.glob(pattern)} if "*" in pattern else set()


def _settings() -> dict[str, Any]:
    """The settings of the site; zensical reads those of MkDocs."""
    return {
        "site_name": "statetool",
        "docs_dir": "site-source",
        "site_dir": "site",
        # Nothing is loaded from elsewhere, fonts included.
        "theme": {"font": False, "features": ["navigation.indexes", "navigation.top", "content.code.copy"]},
        "use_directory_urls": False,
        "plugins": ["search"],
        # The anchors that GitHub makes, so that links work in both.
        "markdown_extensions": [
            {"toc": {"permalink": True, "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}}},
            "tables",
            "attr_list",
            "md_in_html",
            "pymdownx.highlight",
            "pymdownx.superfences",
        ],
        "nav": navigation(),
    }


if __name__ == "__main__":
    sys.exit(build(sys.argv[1]))
