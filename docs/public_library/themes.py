"""Assigns public names to the pages of the reference.

Errors have a page, and so has each public module beside `statefmt`. The names of `statefmt` itself are in the table
below. One that is not gets to the page of other names, and a test fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from griffe import Attribute, Class, Module

from docs.public_library.docstrings import summary
from docs.public_library.members import is_alias, is_error
from docs.public_library.source import Definition, definition, module, public_names


@dataclass(frozen=True)
class Theme:
    """A page of the reference.

    `names` come first on the page, in this order. `parts` are the dotted paths of types without a public name, which
    signatures and values of public types have.
    """

    page: str
    title: str
    about: str
    introduction: str
    names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


OPENING: Final = Theme(
    "opening",
    "Opening and reading",
    "states at a place, their instances, and how to select them; states as bytes",
    "`statefmt.open()` opens a state at a place; `statefmt.read()` and `inspect()` take its bytes. "
    "[The library](../guides/library.md) is the guide.",
    (
        "open", "State", "Instance", "Filters", "HistoryEntry", "run_context", "RunContext", "EncryptionConfiguration",
        "read", "inspect", "write", "ReadResult", "Inspection", "__version__",
    ),
    (
        "statefmt.analysis.selection.Selector", "statefmt.analysis.selection.Addressed",
        "statefmt.library.selecting.Selected", "statefmt.library.selecting.ProviderSelector",
        "statefmt.library.selecting.ModeSelector",
        "statefmt.store.protocol.JointEdit",
        "statefmt.library._handle.Encryption", "statefmt.context.ProgressReport", "statefmt.formats.Style",
        "statefmt.formats.Layout",
    ),
)  # fmt: skip
SNAPSHOTS: Final = Theme(
    "snapshots",
    "Snapshots",
    "everything that a state says, as immutable values",
    "A snapshot holds everything that a state says. Its values are frozen structs of msgspec: "
    "`msgspec.structs.replace()` returns a changed copy.",
    ("Snapshot",),
    (
        "statefmt.model.snapshot.ResourceState", "statefmt.model.snapshot.ResourceInstanceObject",
        "statefmt.model.snapshot.ObjectStatus", "statefmt.model.snapshot.InstanceState",
        "statefmt.model.snapshot.OutputValue", "statefmt.model.snapshot.CheckResult",
        "statefmt.model.snapshot.CheckObject", "statefmt.model.snapshot.UnknownMember",
        "statefmt.model.snapshot.Source",
    ),
)  # fmt: skip
EDITING: Final = Theme(
    "editing",
    "Editing",
    "transactions, their operations and their results",
    "`State.edit()` opens a transaction. Its methods are the operations of the commands; "
    "[Surgery](../guides/surgery.md) describes them.",
    ("Transaction", "TextEdit", "EditResult", "Edit"),
    ("statefmt.library.transaction.Key",),
)
CHECKING: Final = Theme(
    "checking",
    "Checking and comparing",
    "findings of the rules, and the differences between two states",
    "`check()` runs the [rules](../rules/README.md); `diff()` compares two snapshots. `State` has methods for both.",
    ("check", "Finding", "Severity", "Fix", "Command", "diff", "SnapshotDiff"),
    (
        "statefmt.model.findings.Place", "statefmt.analysis.diff.model.EnvelopeChange",
        "statefmt.analysis.diff.model.OutputChange", "statefmt.analysis.diff.model.Move",
        "statefmt.analysis.diff.model.Movable", "statefmt.analysis.diff.model.InstanceChange",
        "statefmt.analysis.diff.model.ObjectChange", "statefmt.analysis.diff.model.MemberChange",
        "statefmt.analysis.diff.model.ResourceChange", "statefmt.analysis.diff.model.CheckResultsChange",
    ),
)  # fmt: skip
MIGRATING: Final = Theme(
    "migrating",
    "Upgrading and downgrading",
    "states in memory for another release",
    "",
    ("upgrade", "downgrade", "Migration", "UpgradeOptions", "DowngradeOptions", "SourceChange"),
)
VALUES: Final = Theme(
    "values",
    "Values",
    "attributes and outputs as Python values, and sensitive values",
    "",
    ("Attributes", "ResourceIdentity", "Output", "Sensitive"),
    (
        "statefmt.library.values.AttributeValue", "statefmt.library.values.ExactDecimal",
        "statefmt.library.values.ObjectValue",
    ),
)  # fmt: skip
ERRORS: Final = Theme(
    "errors",
    "Errors",
    "all exceptions, with their codes",
    "Every error derives from `StatetoolError`. Bad data that can be read is not an error but a `Finding`.",
    parts=("statefmt.model.errors.AddressProblem",),
)
ADDRESSES: Final = Theme("addresses", "Addresses", "the types of `statefmt.addrs`, their parsers and orders", "")
TESTING: Final = Theme(
    "testing",
    "Testing",
    "`statefmt.testing`: make and compare states in tests",
    "Names of `statefmt.testing`. [States in your own tests](../guides/testing.md) is the guide.",
    ("make_state", "FakeResource", "FakeOutput", "assert_same_state", "as_state", "ComparableState"),
    parts=("statefmt.testing._states.FakeAttributes", "statefmt.testing._states.FakeResources"),
)
STRATEGIES: Final = Theme(
    "strategies",
    "Strategies",
    "`statefmt.testing.strategies`: generate addresses, states and edits with Hypothesis",
    "",
    parts=("statefmt.testing.strategies.EditArguments",),
)
OTHER: Final = Theme("other", "Other names", "names that have no theme yet", "")
THEMES: Final = (OPENING, SNAPSHOTS, EDITING, CHECKING, MIGRATING, VALUES, ERRORS, ADDRESSES, TESTING, STRATEGIES)
# The pages of modules whose page has another name than they.
_PAGES: Final = {"statefmt.addrs": ADDRESSES, "statefmt.testing": TESTING, "statefmt.testing.strategies": STRATEGIES}


@cache
def modules() -> Mapping[str, Theme | None]:
    """Return the modules with public names, each with its page; None for `statefmt`, whose names have several."""
    found = [one.path for one in _public("statefmt").values() if isinstance(one, Module)]
    return {"statefmt": None, **{path: _page_of(path) for path in dict.fromkeys([*found, *_PAGES])}}


@cache
def themes() -> tuple[Theme, ...]:
    """Return all pages: those of the table, one for each other module with public names, and that of other names."""
    own = (theme for theme in modules().values() if theme is not None)
    return tuple(dict.fromkeys([*THEMES, *own, *([OTHER] if definitions(OTHER) else [])]))


def _page_of(path: str) -> Theme:
    name = path.rpartition(".")[2]
    found = _PAGES.get(path) or next((theme for theme in THEMES if theme.page == name), None)
    if found is not None:
        return found
    about = summary(module(path).docstring)
    return Theme(name, path, f"{about[:1].lower()}{about[1:]}", "")


def theme_of(holder: str, name: str) -> Theme | None:
    """Return the page that describes a public name of a module; None for a module, which has a page for its names."""
    found = definition(f"{holder}.{name}")
    assert found is not None, f"{holder}.{name} cannot be found"
    return None if isinstance(found, Module) else _theme(holder, name, found)


@cache
def _owners() -> Mapping[str, Theme]:
    """The page of everything that has a public name, by its definition: a name of `statefmt` decides first."""
    owners: dict[str, Theme] = {}
    for holder in modules():
        for name, found in _public(holder).items():
            if not isinstance(found, Module) and owners.get(found.path, OTHER) is OTHER:
                owners[found.path] = _new_theme(holder, name, found)
    return owners


def _theme(holder: str, name: str, found: Definition) -> Theme:
    return _owners().get(found.path) or _new_theme(holder, name, found)


def _new_theme(holder: str, name: str, found: Definition) -> Theme:
    if isinstance(found, Class) and is_error(found):
        return ERRORS
    tabled = (theme for theme in THEMES if name in theme.names or found.path in theme.parts)
    return modules()[holder] or next(tabled, OTHER)


def _public(holder: str) -> dict[str, Definition]:
    """Return the definitions of the public names of a module."""
    found = {name: definition(f"{holder}.{name}") for name in public_names(holder)}
    missing = [name for name, one in found.items() if one is None]
    assert not missing, f"{missing} of {holder} cannot be found"
    return {name: one for name, one in found.items() if one is not None}


@cache
def definitions(theme: Theme) -> dict[str, Definition]:
    """Return what a page describes, by the name as users write it after an import, in the order of the page."""
    named: dict[str, Definition] = {}
    described: set[str] = set()
    for holder in modules():
        for name, one in _public(holder).items():
            if one.path not in described and theme_of(holder, name) is theme:
                assert name not in named, f"{theme.page} has {name} twice"
                named[name] = one
                described.add(one.path)
    if theme is ERRORS:
        named = dict(sorted(named.items(), key=lambda item: _line(item[1])))
    elif theme is ADDRESSES:
        named = dict(sorted(named.items(), key=lambda item: _rank(item[1])))
    first = {name: named[name] for name in theme.names}
    return first | named | {part.name: part for part in parts(theme)}


def parts(theme: Theme) -> list[Definition]:
    """Return the types of a page that have no public name."""
    found = [(path, definition(path)) for path in theme.parts]
    missing = [path for path, one in found if one is None]
    assert not missing, f"{missing} cannot be found"
    return [one for _, one in found if one is not None and one.path not in _owners()]


def _line(found: Definition) -> tuple[bool, str, int]:
    """Sort by place: the common errors first."""
    return not found.path.startswith("statefmt.model.errors."), found.path.rpartition(".")[0], found.lineno or 0


def _rank(found: Definition) -> int:
    """Sort types, then functions, then constants."""
    is_type = found.is_class or (isinstance(found, Attribute) and is_alias(found))
    return 0 if is_type else 1 if found.is_function else 2
