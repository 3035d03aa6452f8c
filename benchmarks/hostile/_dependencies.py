"""Dependencies: dense, in cycles and chains, and on nothing."""

from __future__ import annotations

from math import isqrt
from typing import Final

from benchmarks.hostile._parts import Hostile, as_json, instance, keyed, many, resource, state


def dense_dependencies(size: int) -> bytes:
    """Each resource depends on all that come before it."""
    number = isqrt(size // 5)
    names = [f"t.r{n}" for n in range(number)]
    return state(",".join(resource(instance(dependencies=names[:n]), f"r{n}") for n in range(number)))


def complete_dependencies(size: int) -> bytes:
    """Each resource depends on all, and on itself."""
    number = isqrt(size // 9)
    names = [f"t.r{n}" for n in range(number)]
    return state(",".join(resource(instance(dependencies=names), f"r{n}") for n in range(number)))


def dependency_cycle(size: int) -> bytes:
    """One cycle of all resources."""
    number = size // 180
    return state(",".join(resource(instance(dependencies=[f"t.r{(n + 1) % number}"]), f"r{n}") for n in range(number)))


def long_cycles(size: int) -> bytes:
    """Cycles of 200 resources."""
    return state(
        many(size, lambda n: resource(instance(dependencies=[f"t.r{n // 200 * 200 + (n + 1) % 200}"]), f"r{n}"))
    )


def dependency_cycles(size: int) -> bytes:
    """Each two resources depend on each other and on the two after them."""
    return state(
        many(size, lambda n: resource(instance(dependencies=[f"t.r{n ^ 1}", f"t.r{n + 2}", f"t.r{n + 3}"]), f"r{n}"))
    )


def dependency_chain(size: int) -> bytes:
    """Each resource depends on the next one."""
    return state(many(size, lambda n: resource(instance(dependencies=[f"t.r{n + 1}"]), f"r{n}")))


def dangling_dependencies(size: int) -> bytes:
    """One instance that depends on resources and modules that are not there, many of them twice."""
    names = many(size, lambda n: as_json(f"module.m{n}.t.r{n // 2}" if n % 3 else f"t.r{n // 6}"))
    return state(resource(instance(more=f',"dependencies":[{names}]')))


def dependencies_on_instances(size: int) -> bytes:
    """Instances that all depend on one resource with as many instances."""
    first = resource(many(size // 2, keyed))
    return state(f"{first},{resource(many(size // 2, lambda n: keyed(n, dependencies=['t.a'])), 'b')}")


SHAPES: Final[tuple[Hostile, ...]] = (
    dense_dependencies,
    complete_dependencies,
    dependency_cycle,
    long_cycles,
    dependency_cycles,
    dependency_chain,
    dangling_dependencies,
    dependencies_on_instances,
)
