"""Members that are repeated or unknown."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, instance, many, resource, state


def repeated_member(size: int) -> bytes:
    """One member of an instance, again and again."""
    return state(resource(instance(more="," + many(size, lambda n: f'"private":"{n}"'))))


def repeated_attribute(size: int) -> bytes:
    """One attribute, again and again."""
    return state(resource(instance("{" + many(size, lambda n: f'"id":"{n}"') + "}")))


def repeated_section(size: int) -> bytes:
    """The member `resources` of the state, again and again."""
    return state(more="," + many(size, lambda n: f'"resources":[{resource(instance(), f"r{n}")}]'))


def repeated_output(size: int) -> bytes:
    """One output, again and again."""
    return state(outputs=many(size, lambda n: f'"o":{{"value":"{n}","type":"string"}}'))


def unknown_members(size: int) -> bytes:
    """Members that no release knows, in one instance."""
    return state(resource(instance(more="," + many(size, lambda n: f'"u{n}":{n}'))))


def unknown_everywhere(size: int) -> bytes:
    """A member that no release knows in each instance and in each resource."""
    return state(many(size, lambda n: resource(instance(unknown=n), f"r{n}")[:-1] + ',"unknown":[{}]}'))


SHAPES: Final[tuple[Hostile, ...]] = (
    repeated_member,
    repeated_attribute,
    repeated_section,
    repeated_output,
    unknown_members,
    unknown_everywhere,
)
