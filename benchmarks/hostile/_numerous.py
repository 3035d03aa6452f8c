"""Very many parts of one kind."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile._parts import Hostile, instance, keyed, many, resource, state


def many_instances(size: int) -> bytes:
    """One resource with all instances."""
    return state(resource(many(size, keyed)))


def many_deposed(size: int) -> bytes:
    """One instance with deposed objects."""
    return state(resource(many(size, lambda n: instance(deposed=f"{n:08x}"))))


def many_blocks(size: int) -> bytes:
    """One resource in a block for each instance."""
    return state(many(size, lambda n: resource(keyed(n))))


def many_resources(size: int) -> bytes:
    """Resources without instances."""
    return state(many(size, lambda n: resource("", f"r{n}")))


def many_modules(size: int) -> bytes:
    """Each resource in a module of its own."""
    return state(many(size, lambda n: resource(instance(), module=f"module.m{n}")))


def many_module_instances(size: int) -> bytes:
    """Each resource in an instance of its own of a module, four deep."""
    return state(
        many(
            size, lambda n: resource(instance(), module=f'module.a["k{n}"].module.b[{n % 7}].module.c.module.d["{n}"]')
        )
    )


def many_types(size: int) -> bytes:
    """Each resource of a type of its own."""
    return state(many(size, lambda n: resource(instance(), type_=f"t{n}_x")))


def many_outputs(size: int) -> bytes:
    """Outputs of which each third one is sensitive or has a wrong type."""
    kinds = ('"type":"string"', '"type":"string","sensitive":true', '"type":"number"')
    return state(outputs=many(size, lambda n: f'"o{n}":{{"value":"v-{n}",{kinds[n % 3]}}}'))


def large_output(size: int) -> bytes:
    """An output with a tuple, whose type says the type of each element."""
    types = many(size // 2, lambda n: '["object",{"a":"string"}]')
    values = ",".join(['{"a":"x"}'] * types.count("object"))
    return state(outputs=f'"o":{{"value":[{values}],"type":["tuple",[{types}]]}}')


def deep_output(size: int) -> bytes:
    """Outputs with lists in lists."""
    depth = min(400, size // 80)
    value = "[" * depth + '"x"' + "]" * depth
    type_ = '["list",' * depth + '"string"' + "]" * depth
    return state(outputs=many(size, lambda n: f'"o{n}":{{"value":{value},"type":{type_}}}'))


def check_results(size: int) -> bytes:
    """Results of checks with an object and a message each."""
    return state(checks=many(size, lambda n: _check(f"t.r{n}", _check_object(f"t.r{n}"))))


def check_objects(size: int) -> bytes:
    """The result of one check with many objects."""
    return state(checks=_check("t.r", many(size, lambda n: _check_object(f"t.r[{n}]"))))


def _check(address: str, objects: str) -> str:
    return f'{{"object_kind":"resource","config_addr":"{address}","status":"fail","objects":[{objects}]}}'


def _check_object(address: str) -> str:
    return f'{{"object_addr":"{address}","status":"fail","failure_messages":["it failed"]}}'


SHAPES: Final[tuple[Hostile, ...]] = (
    many_instances,
    many_deposed,
    many_blocks,
    many_resources,
    many_modules,
    many_module_instances,
    many_types,
    many_outputs,
    large_output,
    deep_output,
    check_results,
    check_objects,
)
