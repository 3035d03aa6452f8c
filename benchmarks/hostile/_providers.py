"""Many providers, and many instances of them."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import AWS, Hostile, instance, keyed, many, resource, state


def provider_instances(size: int) -> bytes:
    """Each instance with a provider instance of its own, in one resource."""
    return state(resource(many(size, lambda n: keyed(n, provider=f'{AWS}.by["k{n}"]')), provider=""))


def provider_keys_differ(size: int) -> bytes:
    """As many provider instances, and a deposed object of each instance with another one."""

    def both(n: int) -> str:
        deposed = keyed(n, deposed=f"{n:08x}", provider=f'{AWS}.by["d{n}"]')
        return ",".join((keyed(n, provider=f'{AWS}.by["k{n}"]'), deposed))

    return state(resource(many(size, both), provider=""))


def provider_configurations(size: int) -> bytes:
    """Each resource with a provider configuration of its own, every third one in a module."""
    return state(
        many(
            size,
            lambda n: resource(
                instance(), module=f"module.m{n}", provider=f"{f'module.m{n}.' if n % 3 == 0 else ''}{AWS}.a{n}"
            ),
        )
    )


def provider_sources(size: int) -> bytes:
    """Each resource with a provider of its own."""
    return state(many(size, lambda n: resource(instance(), f"r{n}", provider=f'provider["example.com/n{n}/p{n}"]')))


def provider_conflicts(size: int) -> bytes:
    """Objects of one resource with different provider configurations, which no release reads."""
    return state(resource(many(size, lambda n: keyed(n, provider=f"{AWS}.a{n}")), provider=""))


SHAPES: Final[tuple[Hostile, ...]] = (
    provider_instances,
    provider_keys_differ,
    provider_configurations,
    provider_sources,
    provider_conflicts,
)
