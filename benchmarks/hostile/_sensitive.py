"""Many sensitive paths, and many secrets."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, as_json, instance, many, resource, state

# A little less than the depth that Go decodes.
_DEEPEST: Final = 9_000


def sensitive_elements(size: int) -> bytes:
    """A sensitive path for each element of one list."""
    paths = many(
        size,
        lambda n: as_json(
            [{"type": "get_attr", "value": "l"}, {"type": "index", "value": {"value": n, "type": "number"}}]
        ),
    )
    elements = ",".join(['"e"'] * (paths.count("get_attr")))
    return state(resource(instance(f'{{"id":"x","l":[{elements}]}}', f',"sensitive_attributes":[{paths}]')))


def sensitive_members(size: int) -> bytes:
    """A sensitive path for each attribute of one object, and a secret in each."""
    paths = many(size // 2, lambda n: as_json([{"type": "get_attr", "value": f"p{n}"}]))
    attributes = ",".join(f'"p{n}":"secret-{n}"' for n in range(paths.count("get_attr")))
    return state(resource(instance(f"{{{attributes}}}", f',"sensitive_attributes":[{paths}]')))


def sensitive_again(size: int) -> bytes:
    """The same sensitive path again and again, into a large value."""
    paths = many(size // 2, lambda n: '[{"type":"get_attr","value":"l"}]')
    return state(resource(instance(f'{{"l":{as_json("x" * (size // 2))}}}', f',"sensitive_attributes":[{paths}]')))


def sensitive_deep(size: int) -> bytes:
    """A sensitive path thousands of steps long, and again with another end."""
    depth = min(_DEEPEST, size // 100)
    step = '{"type":"get_attr","value":"a"},'
    paths = many(size, lambda n: f'[{step * depth}{{"type":"get_attr","value":"e{n}"}}]')
    return state(resource(instance('{"a":' * depth + '{"e0":"x"}' + "}" * depth, f',"sensitive_attributes":[{paths}]')))


def secrets(size: int) -> bytes:
    """Many sensitive strings, in many instances, of which most begin with others and stand in other values."""
    paths = [[{"type": "get_attr", "value": "password"}]]
    return state(
        resource(
            many(
                size,
                lambda n: instance(
                    as_json(
                        {"id": f"i-{n}", "password": "hunter2-" * (n % 9 + 1) + str(n), "url": f"x://hunter2-{n}@y"}
                    ),
                    index_key=n,
                    sensitive_attributes=paths,
                ),
            )
        )
    )


SHAPES: Final[tuple[Hostile, ...]] = (sensitive_elements, sensitive_members, sensitive_again, sensitive_deep, secrets)
