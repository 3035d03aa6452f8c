"""Lists the public members of a class, by their kind."""

from __future__ import annotations

from griffe import Attribute, Class, Expr, Function

from docs.public_library.source import definition


def is_error(found: Class) -> bool:
    """Return whether a class is an exception."""
    bases = [definition(base.canonical_path) for base in found.bases if isinstance(base, Expr)]
    return any(isinstance(base, Class) and is_error(base) for base in bases) or "Exception" in map(str, found.bases)


def is_enum(found: Class) -> bool:
    return any(str(base) in ("Enum", "StrEnum") for base in found.bases)


def members(found: Class) -> dict[str, Attribute | Function]:
    """Return the public members of a class by name, after those of its private base classes."""
    named: dict[str, Attribute | Function] = {}
    for base in found.bases:
        if str(base).startswith("_") and isinstance(base, Expr):
            inner = definition(base.canonical_path)
            assert isinstance(inner, Class)
            named |= members(inner)
    for name, member in found.members.items():
        if not name.startswith("_") and isinstance(member, Attribute | Function):
            named[name] = member
    return named


def fields(found: Class) -> list[Attribute]:
    """Return the fields that the class declares; the docstring has those that only `__init__` assigns."""
    return [
        one
        for one in members(found).values()
        if isinstance(one, Attribute) and not _is_property(one)
        if one.annotation is not None or ("class-attribute" in one.labels and not str(one.value).startswith("_"))
    ]


def properties(found: Class) -> list[Attribute]:
    return [one for one in members(found).values() if isinstance(one, Attribute) and _is_property(one)]


def methods(found: Class) -> list[Function]:
    return [one for one in members(found).values() if isinstance(one, Function)]


def _is_property(member: Attribute) -> bool:
    return "property" in member.labels


def is_alias(found: Attribute) -> bool:
    """Return whether an assignment names a type."""
    return str(found.annotation) == "TypeAlias"
