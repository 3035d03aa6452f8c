"""The reference of the library has every public name, with its documentation."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from griffe import Attribute, Class, Docstring, Function, Module

from docs.public_library.docstrings import linked, markdown
from docs.public_library.members import fields, methods, properties
from docs.public_library.pages import OPAQUE, pages
from docs.public_library.source import comment_above, definition, public_names
from docs.public_library.themes import OTHER, Theme, definitions, modules, parts, theme_of, themes
from tests.tables import each_row

_PAGES = pages()
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@each_row(("module", "name"), [(module, name) for module in modules() for name in public_names(module)])
def test_every_public_name_has_a_page(module: str, name: str) -> None:
    theme = theme_of(module, name)
    assert theme is not OTHER, f"{module}.{name} has no theme; add it to docs/public_library/themes.py"
    if theme is None:
        assert f"\n## {module}.{name}\n" in _PAGES["README.md"]
        return
    assert re.search(rf"^## `{name}`( function)?$", _PAGES[f"{theme.page}.md"], re.MULTILINE)
    assert f"[`{name}`]({theme.page}.md#" in _PAGES["README.md"]


@each_row("module", modules())
def test_the_names_are_those_that_can_be_imported(module: str) -> None:
    assert sorted(public_names(module)) == sorted(import_module(module).__all__)


def test_a_name_without_a_theme_is_among_the_others() -> None:
    """Such as something that is not public, here."""
    assert theme_of("statefmt", "version.__version__") is not OTHER
    assert theme_of("statefmt", "_RENAMED") is OTHER


@each_row("theme", themes(), ids=lambda theme: str(theme.page))
def test_all_is_documented(theme: Theme) -> None:
    missing = []
    for name, found in definitions(theme).items():
        described = [found]
        if isinstance(found, Class) and name not in OPAQUE:
            described += [*methods(found), *properties(found)]
        for one in described:
            is_explained = isinstance(one, Attribute) and (comment_above(one) or one in parts(theme))
            if not one.docstring and not is_explained:
                missing.append(one.path)
    assert missing == []


@each_row("page", _PAGES)
def test_each_heading_has_an_anchor_of_its_own(page: str) -> None:
    anchors = Counter(re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(_PAGES[page]))
    assert [anchor for anchor, count in anchors.items() if count > 1] == []


@each_row(
    ("page", "text"),
    [
        ("opening", "    read: bool = True,\n) -> State\n"),
        ("opening", "\n- `location`: The path of a file, or "),
        ("opening", "\n- `serial`: `int`. The serial, "),
        (
            "opening",
            "\n### `State.select` method\n\n```python\ndef select(*selectors: Selector, **filters: Unpack[Filters])",
        ),
        ("opening", "- `outputs`: `Mapping[str, `[`Output`](values.md#output)`]`. "),
        ("opening", "\n@contextmanager\ndef edit(\n"),
        ("errors", "class LockedError(StoreError)"),
        ("errors", '- `code` = `"locked"`'),
        ("snapshots", "- `resources`: `tuple[`[`ResourceState`](#resourcestate)`, ...]` = `()`"),
        ("addresses", "InstanceKey = NoKey | IntKey | StringKey"),
        ("addresses", 'DEFAULT_HOST = "registry.opentofu.org"'),
        ("testing", '    terraform_version: str = "'),
        ("checking", '- `ERROR` = `"error"`'),
    ],
)
def test_what_an_entry_shows(page: str, text: str) -> None:
    assert text in _PAGES[f"{page}.md"]


def test_members_of_opaque_types_are_not_shown() -> None:
    for name in OPAQUE:
        (entry,) = re.findall(rf"^## `{name}`\n(.*?)(?=^## )", _PAGES["opening.md"], re.DOTALL | re.MULTILINE)
        assert "Fields:" not in entry
        assert "###" not in entry


def test_a_function_with_the_name_of_a_module_is_the_function() -> None:
    for path in ("statefmt.diff", "statefmt.analysis.diff.diff"):
        assert isinstance(definition(path), Function)
    assert isinstance(definition("statefmt.analysis.diff"), Module)


def test_every_error_that_can_be_caught_is_described() -> None:
    errors = import_module("statefmt.model.errors")
    import statefmt

    public = {name for name in dir(statefmt) if isinstance(getattr(errors, name, None), type)}
    public -= {"Finding", "Severity"}
    assert public <= set(re.findall(r"^## `(\w+)`$", _PAGES["errors.md"], re.MULTILINE))


def test_no_page_names_a_folder_of_this_machine() -> None:
    assert str(Path.cwd()) not in "".join(_PAGES.values())


def _link(name: str) -> str | None:
    return {"open()": "a.md#open", "Fix": "b.md#fix", "FixError": "b.md#fixerror"}.get(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix it: `Fix` or FixError.", "Fix it: [`Fix`](b.md#fix) or [FixError](b.md#fixerror)."),
        ("`open()` and `open`", "[`open()`](a.md#open) and `open`"),
        (
            "Source: FixError.Less, `FixError`s, AFixError",
            "Source: FixError.Less, [`FixError`](b.md#fixerror)s, AFixError",
        ),
    ],
)
def test_links(text: str, expected: str) -> None:
    assert linked(text, _link) == expected


def test_docstrings() -> None:
    docstring = Docstring(
        "Do it.\n\n    do(1)\n\n    do(2)\n\nThen:\n\n    >>> done()\n    1\n\n"
        "Args:\n    one: The first, a\n        Fix.\n\nRaises:\n    FixError: Never.\n\nThe end."
    )
    assert markdown(docstring, _link) == (
        "Do it.\n\n```python\ndo(1)\n\ndo(2)\n```\n\nThen:\n\n```pycon\n>>> done()\n1\n```\n\n"
        "Arguments:\n\n- `one`: The first, a Fix.\n\nRaises:\n\n- [`FixError`](b.md#fixerror): Never.\n\nThe end."
    )


def test_fields_of_a_class_that_inherits_them() -> None:
    (theme,) = [theme for theme in themes() if theme.page == "addresses"]
    found = definitions(theme)["AbsCheck"]
    assert isinstance(found, Class)
    assert [field.name for field in fields(found)] == ["keyword", "module", "name"]
