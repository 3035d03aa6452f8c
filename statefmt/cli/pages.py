"""Refuses to make pages in HTML if the package that fills their templates is not installed."""

from __future__ import annotations

from statefmt import StoreError


def require_templates() -> None:
    """Raise StoreError if pages cannot be made; call it before the work for one."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        from statefmt.installation import how_to_install

        raise StoreError(f"pages need the package jinja2: {how_to_install('fleet')}") from error
