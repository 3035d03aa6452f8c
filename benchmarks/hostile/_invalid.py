"""Invalid and odd members, keys and addresses."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, instance, keyed, many, resource, state


def invalid_members(size: int) -> bytes:
    """A finding for each of several members of each instance."""
    return state(
        resource(
            many(
                size,
                lambda n: instance(
                    index_key=n, status="?", deposed="?", private="?", dependencies=["?"], sensitive_attributes=["?"]
                ),
            )
        )
    )


def wrong_types(size: int) -> bytes:
    """Members of types that nothing decodes."""
    return state(resource(many(size, lambda n: instance(index_key=n, status=5, schema_version="x", provider=[]))))


def invalid_resources(size: int) -> bytes:
    """Resources with an address, a mode or a provider that nothing reads."""
    kinds = ({"module": "modul.x"}, {"provider": "provider.?"}, {"name": "a b"}, {"module": 'module.m["k'})
    return state(many(size, lambda n: resource(instance(), **{"name": f"r{n}", **kinds[n % 4]})))


def invalid_keys(size: int) -> bytes:
    """Keys that are no numbers and no strings, and numbers among strings."""
    keys = (1.5, True, [1], {"a": 1}, 1, "1")
    return state(resource(many(size, lambda n: instance(index_key=keys[n % 6]))))


def same_instance(size: int) -> bytes:
    """One instance, again and again."""
    return state(resource(many(size, lambda n: keyed(0))))


def same_id(size: int) -> bytes:
    """Resources that are all the same remote object."""
    return state(many(size, lambda n: resource(instance('{"id":"i-1","arn":"arn:aws:x:y:z:i-1"}'), f"r{n}")))


def escaped_keys(size: int) -> bytes:
    """Instances and modules with keys that need escapes."""
    key = '"\\${é}\n%{'
    return state(many(size, lambda n: resource(keyed(f"{key}{n}"), module='module.m["' + r"\"\\$${é}\n%%{" + f'{n}"]')))


def key_gaps(size: int) -> bytes:
    """Instances with numbers for keys, far apart, and some without."""
    return state(resource(many(size, lambda n: instance(index_key=n * 1_000_003) if n % 50 else instance())))


def surrogates(size: int) -> bytes:
    """Names and values with halves of characters."""
    return state(
        many(size, lambda n: resource(instance(r'{"id":"\ud800","\udc00":1}'), f"r{n}").replace('"r', r'"\ud800r'))
    )


def large_private(size: int) -> bytes:
    """Private data that are large, and an identity that is."""
    text = "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==" * (size // 64)
    return state(
        resource(instance(more=f',"private":"{text}","identity_schema_version":0,"identity":{{"id":"{text}"}}'))
    )


def flat_attributes(size: int) -> bytes:
    """Flat attributes of one instance: lists with counts that are wrong, and sets."""
    flat = many(size, lambda n: f'"l.{n}":"x","m.{n}.#":"{n}","m.{n}.s.{n * 7919}.t.%":"1"')
    return state(resource(f'{{"schema_version":0,"attributes_flat":{{"id":"x","l.#":"9",{flat}}}}}'))


SHAPES: Final[tuple[Hostile, ...]] = (
    invalid_members,
    wrong_types,
    invalid_resources,
    invalid_keys,
    same_instance,
    same_id,
    escaped_keys,
    key_gaps,
    surrogates,
    large_private,
    flat_attributes,
)
