"""Builds the documentation as a static site with search, in build/site, and checks every link on the way.

Run by `make docs` as `python -m docs.site ZENSICAL`. The site has the layout of the repository, so that the same
relative links work in both, and the generated pages beside those that people wrote.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml

from docs.generate import pages as generated_pages

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
    ("Fleets", ("docs/fleet/*.md",)),
    ("Rules", ("docs/rules/README.md", "docs/rules/*.md")),
    ("Library", ("docs/reference/README.md", "docs/reference/*.md")),
    ("State format", ("docs/format/README.md", "docs/format/*.md")),
    (
        "Reference",
        (
            "docs/selectors.md",
            "docs/configuration.md",
            "docs/fidelity.md",
            "docs/*.md",
            "samples/*.md",
            "samples/*/*.md",
        ),
    ),
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
    for name, text in generated_pages().items():
        page = source / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    settings = build_folder / "mkdocs.yml"
    settings.write_text(yaml.safe_dump(_settings(), sort_keys=False), encoding="utf-8")
    command = [zensical, "build", "--clean", "--strict", "--config-file", settings]
    return subprocess.run(command, check=False).returncode


def files() -> set[Path]:
    """Return everything in the repository that the site has."""
    return {path for pattern in (*PAGES, *FILES) for path in ROOT.glob(pattern)}


def navigation() -> list[dict[str, list[str]]]:
    """Return the pages of each section by its title, in order."""
    written = {path.relative_to(ROOT).as_posix() for path in files() if path.suffix == ".md"}
    pages = sorted(written | {f"docs/{name}" for name in generated_pages()})
    named = {name for _, patterns in _NAVIGATION for name in patterns}
    sections = []
    for title, patterns in _NAVIGATION:
        found = [
            page
            for pattern in patterns
            for page in pages
            if page == pattern or (page not in named and PurePosixPath("/", page).match(f"/{pattern}"))
        ]
        if found:
            sections.append({title: found})
    return sections


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
