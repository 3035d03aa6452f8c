"""Renders reports in HTML: one file each, which a browser opens without a network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Final

import jinja2
import msgspec
from markupsafe import Markup

from statefmt.golang import escape_html
from statefmt.model.errors import StoreError
from statefmt.render.terminal import printable_lines, size_text
from statefmt.store.files import read_bounded
from statefmt.store.local.store import create_file, replace_file
from statefmt.store.reading import display_name
from statefmt.version import __version__

_TEMPLATES: Final = "templates"
# Runs before the rows are parsed: those that the script of the page will take out are never laid out.
_FIRST_SCRIPT: Final = 'document.documentElement.classList.add("scripted");'


def page(template: str, name: str, made: datetime, values: Mapping[str, object]) -> bytes:
    """Fill a template with what the page is about, the time, and values; style and script of reports go into it."""
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(_FIRST_SCRIPT)}' '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"embedded": embedded, "size": size_text, "number": _number}
    found = environment.get_template(template).render(
        # All are part of this package; nothing from a state is in them.
        style=Markup(style),
        first_script=Markup(_FIRST_SCRIPT),
        script=Markup(script),
        policy=policy,
        name=name,
        made=made.strftime("%Y-%m-%d %H:%M %Z").strip(),
        program=f"statetool {__version__}",
        **values,
    )
    return found.encode()


def embedded(value: object) -> Markup:
    """Encode a value as JSON that cannot end the element it is in."""
    return Markup(escape_html(msgspec.json.encode(value)).decode())


def _asset(name: str) -> str:
    return (files(__package__) / _TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression of Content Security Policy for an inline element with this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _printable(value: object) -> object:
    """Escape what could mislead a reader; a browser applies bidirectional controls, too."""
    return printable_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _number(value: int) -> str:
    return f"{value:,}"


# How every report begins.
_START: Final = b'<!doctype html>\n<html lang="en" data-report="statetool">'
_MOST: Final = 1 << 30


def write_report(path: str, report: bytes) -> None:
    """Write a report to a new file with mode 0600, or in place of an earlier report, atomically. Raises StoreError.

    What the path names otherwise, such as a state, is never overwritten.
    """
    place = Path(path)
    if not place.is_file():
        create_file(place, report)
        return
    try:
        earlier = read_bounded(place, _MOST, links=False)
    except OSError as error:
        raise StoreError(f"{display_name(path)}: {error.strerror}; the report was not written") from error
    if not earlier.startswith(_START):
        raise StoreError(f"{display_name(path)}: the file exists and is not a report; name another file")
    replace_file(place, report)
