"""Renders facts about releases as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.formats.releases import Release, facts_of
from statefmt.render.json_output import document


def releases_json(releases: Sequence[Release]) -> bytes:
    """Render every fact about the releases, with its source (schema: `releases-output.schema.json`)."""
    return document({"releases": [_release(release) for release in releases]})


def _release(release: Release) -> dict[str, object]:
    facts = facts_of(release)
    return {
        "release": str(release),
        "engine": release.engine,
        "version": release.number,
        **{about: fact.value for about, fact in facts.items()},
        "sources": {about: fact.source for about, fact in facts.items()},
    }
