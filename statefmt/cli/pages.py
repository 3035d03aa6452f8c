"""Refuses to make pages in HTML if the package that fills their templates is not installed."""

from __future__ import annotations

from statefmt import StoreError


def require_templates() -> None:
    """Raise StoreError if pages cannot be made; call it before the work for one."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise StoreError("pages need the package jinja2; install statetool[fleet]") from error
