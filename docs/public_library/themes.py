"""Assigns public names to the pages of the reference.

Errors, addresses and what is for tests have a page by their kind or module. Every other name of `statefmt` is in the
table below, and `theme_of` raises LookupError for one that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from griffe import Attribute

from docs.public_library.members import is_alias
from docs.public_library.source import Definition, definition, public_names


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
        "statefmt.library.selecting.Selector", "statefmt.library.selecting.ProviderSelector",
        "statefmt.library.selecting.ModeSelector",
        "statefmt.library._encryption.Encryption", "statefmt.context.ProgressReport", "statefmt.formats.style.Style",
        "statefmt.formats.style.Layout",
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
        "statefmt.model.resources.ResourceState", "statefmt.model.resources.ResourceInstanceObject",
        "statefmt.model.resources.ObjectStatus", "statefmt.model.instances.InstanceState",
        "statefmt.model.outputs.OutputValue", "statefmt.model.check_results.CheckResult",
        "statefmt.model.check_results.CheckObject", "statefmt.model.resources.UnknownMember",
        "statefmt.model.snapshot.Source",
    ),
)  # fmt: skip
EDITING: Final = Theme(
    "editing",
    "Editing",
    "transactions, their operations and their results",
    "`State.edit()` opens a transaction. Its methods are the operations of the commands; "
    "[Surgery](../guides/surgery.md) describes them.",
    ("Transaction", "EditResult", "Edit"),
    ("statefmt.library.transaction.Key",),
)
CHECKING: Final = Theme(
    "checking",
    "Checking and comparing",
    "findings of the rules, and the differences between two states",
    "`check()` runs the [rules](../rules/README.md); `diff()` compares two snapshots. `State` has methods for both.",
    ("check", "Finding", "Severity", "Fix", "Command", "diff", "SnapshotDiff"),
    (
        "statefmt.model.findings.Place", "statefmt.analysis.diff._model.EnvelopeChange",
        "statefmt.analysis.diff._model.OutputChange", "statefmt.analysis.diff._model.Move",
        "statefmt.analysis.diff._model.Movable", "statefmt.analysis.diff._model.InstanceChange",
        "statefmt.analysis.diff._model.ObjectChange", "statefmt.analysis.diff._model.MemberChange",
        "statefmt.analysis.diff._model.ResourceChange", "statefmt.analysis.diff._model.CheckResultsChange",
    ),
)  # fmt: skip
VALUES: Final = Theme(
    "values",
    "Values",
    "attributes and outputs as Python values, and sensitive values",
    "",
    ("Attributes", "ResourceIdentity", "Output", "Sensitive"),
    (
        "statefmt.library.values._decode.AttributeValue", "statefmt.library.values._number.ExactDecimal",
        "statefmt.library.values._object.ObjectValue",
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
    parts=("statefmt.testing._fake_resource.FakeAttributes", "statefmt.testing._make_state.FakeResources"),
)
STRATEGIES: Final = Theme(
    "strategies",
    "Strategies",
    "`statefmt.testing.strategies`: generate addresses, states and edits with Hypothesis",
    "",
    parts=("statefmt.testing._edits.EditArguments",),
)
THEMES: Final = (OPENING, SNAPSHOTS, EDITING, CHECKING, VALUES, ERRORS, ADDRESSES, TESTING, STRATEGIES)
# The modules with public names, each with the page of its names; None if the table above decides.
MODULES: Final[dict[str, Theme | None]] = {
    "statefmt": None,
    "statefmt.addrs": ADDRESSES,
    "statefmt.testing": TESTING,
    "statefmt.testing.strategies": STRATEGIES,
}
_ERRORS_MODULE: Final = "statefmt.model.errors"


def theme_of(module: str, name: str) -> Theme | None:
    """Return the page of a public name; None for a module, which has a page for its names.

    Raises LookupError for a name that no table has.
    """
    path = f"{module}.{name}"
    if path in MODULES:
        return None
    found = definition(path)
    if found is not None and found.is_class and found.path.startswith(_ERRORS_MODULE):
        return ERRORS
    theme = MODULES[module] or next((theme for theme in THEMES if name in theme.names), None)
    if theme is None:
        raise LookupError(f"{path} has no page in the reference; add it to docs/public_library/themes.py")
    return theme


def definitions(theme: Theme) -> dict[str, Definition]:
    """Return what a page describes, by the name as users write it after an import, in the order of the page."""
    named = {
        name: definition(f"{module}.{name}")
        for module in MODULES
        for name in public_names(module)
        if theme_of(module, name) is theme
    }
    found = {name: one for name, one in named.items() if one is not None}
    assert found.keys() == named.keys(), f"{named.keys() - found.keys()} cannot be found"
    if theme is ERRORS:
        found = dict(sorted(found.items(), key=lambda item: item[1].lineno or 0))
    elif theme is ADDRESSES:
        found = dict(sorted(found.items(), key=lambda item: _rank(item[1])))
    found = {name: found[name] for name in theme.names} | found
    for path in theme.parts:
        part = definition(path)
        assert part is not None, f"{path} does not exist"
        found[part.name] = part
    return found


def _rank(found: Definition) -> int:
    """Sort types, then functions, then constants."""
    is_type = found.is_class or (isinstance(found, Attribute) and is_alias(found))
    return 0 if is_type else 1 if found.is_function else 2
