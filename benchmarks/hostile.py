"""States that try to make statetool work more than their bytes are worth.

A shape is a short function from a size to the text of a state of about that many bytes, and a row in `HOSTILE`. Each
has much of one thing, in the compact layout.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import isqrt
from typing import Any, Final, TypeAlias

import orjson

Hostile: TypeAlias = Callable[[int], bytes]

_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
# As long as some adversary would make a name.
_LONG: Final = 60_000
# A little less than the depth that Go decodes.
_DEEPEST: Final = 9_000


def _text(tree: object) -> str:
    return orjson.dumps(tree).decode()


def _many(size: int, piece: Callable[[int], str]) -> str:
    """Pieces with numbers, with commas between, until they have so many bytes."""
    pieces: list[str] = []
    written = 0
    for number in count():
        pieces.append(piece(number))
        written += len(pieces[-1]) + 1
        if written >= size:
            return ",".join(pieces)
    raise AssertionError


def _state(resources: str = "", outputs: str = "", checks: str = "", more: str = "") -> bytes:
    head = '"version":4,"terraform_version":"1.12.0","serial":3,"lineage":"3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c"'
    checked = f"[{checks}]" if checks else "null"
    return f'{{{head},"outputs":{{{outputs}}},"resources":[{resources}],"check_results":{checked}{more}}}\n'.encode()


def _resource(instances: str, name: str = "a", *, module: str = "", provider: str = _AWS, type_: str = "t") -> str:
    head = {"module": module, "mode": "managed", "type": type_, "name": name, "provider": provider}
    text = _text({member: value for member, value in head.items() if value})
    return f'{text[:-1]},"instances":[{instances}]}}'


def _instance(attributes: str = '{"size":"x"}', more: str = "", **members: Any) -> str:
    text = _text({"schema_version": 0, **members})
    return f'{text[:-1]},"attributes":{attributes}{more}}}'


def _keyed(key: int | str, **members: Any) -> str:
    return _instance(f'{{"id":{_text(f"i-{key}")},"size":"x"}}', index_key=key, **members)


def long_names(size: int) -> bytes:
    """Resources with names of 60 kB."""
    return _state(_many(size, lambda n: _resource(_instance(), f"{_long(size)}{n}")))


def long_dependencies(size: int) -> bytes:
    """A resource with a name of 60 kB, and many that depend on it, or on others that are not there."""
    name = f"t.{_long(size)}"
    other = [f"{name}0", f"{name}{'x' * 9}"]
    return _state(
        _many(
            size,
            lambda n: _resource(_instance(dependencies=other if n else []), f"{_long(size)}{n}" if n < 2 else f"r{n}"),
        )
    )


def long_keys(size: int) -> bytes:
    """Instances with keys of 60 kB, in which every sign needs an escape."""
    return _state(_resource(_many(size, lambda n: _keyed('"\\${' * (len(_long(size)) // 4) + str(n)))))


def long_modules(size: int) -> bytes:
    """Resources in modules thousands deep."""
    path = ".".join(["module.m"] * (len(_long(size)) // 8))
    return _state(_many(size, lambda n: _resource(_instance(dependencies=[f"{path}.t.r0"]), f"r{n}", module=path)))


def long_providers(size: int) -> bytes:
    """Provider configurations with aliases of 60 kB."""
    alias = f"{_AWS}.{_long(size)}"
    return _state(_many(size, lambda n: _resource(_instance(), f"r{n}", provider=f"{alias}{n % 3}")))


def _long(size: int) -> str:
    """A name of 60 kB, or an eighth of a smaller size."""
    return "n" * min(_LONG, size // 8)


def sensitive_elements(size: int) -> bytes:
    """A sensitive path for each element of one list."""
    paths = _many(
        size,
        lambda n: _text(
            [{"type": "get_attr", "value": "l"}, {"type": "index", "value": {"value": n, "type": "number"}}]
        ),
    )
    elements = ",".join(['"e"'] * (paths.count("get_attr")))
    return _state(_resource(_instance(f'{{"id":"x","l":[{elements}]}}', f',"sensitive_attributes":[{paths}]')))


def sensitive_members(size: int) -> bytes:
    """A sensitive path for each attribute of one object, and a secret in each."""
    paths = _many(size // 2, lambda n: _text([{"type": "get_attr", "value": f"p{n}"}]))
    attributes = ",".join(f'"p{n}":"secret-{n}"' for n in range(paths.count("get_attr")))
    return _state(_resource(_instance(f"{{{attributes}}}", f',"sensitive_attributes":[{paths}]')))


def sensitive_again(size: int) -> bytes:
    """The same sensitive path again and again, into a large value."""
    paths = _many(size // 2, lambda n: '[{"type":"get_attr","value":"l"}]')
    return _state(_resource(_instance(f'{{"l":{_text("x" * (size // 2))}}}', f',"sensitive_attributes":[{paths}]')))


def sensitive_deep(size: int) -> bytes:
    """A sensitive path thousands of steps long, and again with another end."""
    depth = min(_DEEPEST, size // 100)
    step = '{"type":"get_attr","value":"a"},'
    paths = _many(size, lambda n: f'[{step * depth}{{"type":"get_attr","value":"e{n}"}}]')
    return _state(
        _resource(_instance('{"a":' * depth + '{"e0":"x"}' + "}" * depth, f',"sensitive_attributes":[{paths}]'))
    )


def secrets(size: int) -> bytes:
    """Many sensitive strings, in many instances, of which most begin with others and stand in other values."""
    paths = [[{"type": "get_attr", "value": "password"}]]
    return _state(
        _resource(
            _many(
                size,
                lambda n: _instance(
                    _text({"id": f"i-{n}", "password": "hunter2-" * (n % 9 + 1) + str(n), "url": f"x://hunter2-{n}@y"}),
                    index_key=n,
                    sensitive_attributes=paths,
                ),
            )
        )
    )


def provider_instances(size: int) -> bytes:
    """Each instance with a provider instance of its own, in one resource."""
    return _state(_resource(_many(size, lambda n: _keyed(n, provider=f'{_AWS}.by["k{n}"]')), provider=""))


def provider_keys_differ(size: int) -> bytes:
    """As many provider instances, and a deposed object of each instance with another one."""

    def both(n: int) -> str:
        deposed = _keyed(n, deposed=f"{n:08x}", provider=f'{_AWS}.by["d{n}"]')
        return ",".join((_keyed(n, provider=f'{_AWS}.by["k{n}"]'), deposed))

    return _state(_resource(_many(size, both), provider=""))


def provider_configurations(size: int) -> bytes:
    """Each resource with a provider configuration of its own, every third one in a module."""
    return _state(
        _many(
            size,
            lambda n: _resource(
                _instance(), module=f"module.m{n}", provider=f"{f'module.m{n}.' if n % 3 == 0 else ''}{_AWS}.a{n}"
            ),
        )
    )


def provider_sources(size: int) -> bytes:
    """Each resource with a provider of its own."""
    return _state(_many(size, lambda n: _resource(_instance(), f"r{n}", provider=f'provider["example.com/n{n}/p{n}"]')))


def provider_conflicts(size: int) -> bytes:
    """Objects of one resource with different provider configurations, which no release reads."""
    return _state(_resource(_many(size, lambda n: _keyed(n, provider=f"{_AWS}.a{n}")), provider=""))


def repeated_member(size: int) -> bytes:
    """One member of an instance, again and again."""
    return _state(_resource(_instance(more="," + _many(size, lambda n: f'"private":"{n}"'))))


def repeated_attribute(size: int) -> bytes:
    """One attribute, again and again."""
    return _state(_resource(_instance("{" + _many(size, lambda n: f'"id":"{n}"') + "}")))


def repeated_section(size: int) -> bytes:
    """The member `resources` of the state, again and again."""
    return _state(more="," + _many(size, lambda n: f'"resources":[{_resource(_instance(), f"r{n}")}]'))


def repeated_output(size: int) -> bytes:
    """One output, again and again."""
    return _state(outputs=_many(size, lambda n: f'"o":{{"value":"{n}","type":"string"}}'))


def unknown_members(size: int) -> bytes:
    """Members that no release knows, in one instance."""
    return _state(_resource(_instance(more="," + _many(size, lambda n: f'"u{n}":{n}'))))


def unknown_everywhere(size: int) -> bytes:
    """A member that no release knows in each instance and in each resource."""
    return _state(_many(size, lambda n: _resource(_instance(unknown=n), f"r{n}")[:-1] + ',"unknown":[{}]}'))


def dense_dependencies(size: int) -> bytes:
    """Each resource depends on all that come before it."""
    number = isqrt(size // 5)
    names = [f"t.r{n}" for n in range(number)]
    return _state(",".join(_resource(_instance(dependencies=names[:n]), f"r{n}") for n in range(number)))


def complete_dependencies(size: int) -> bytes:
    """Each resource depends on all, and on itself."""
    number = isqrt(size // 9)
    names = [f"t.r{n}" for n in range(number)]
    return _state(",".join(_resource(_instance(dependencies=names), f"r{n}") for n in range(number)))


def dependency_cycle(size: int) -> bytes:
    """One cycle of all resources."""
    number = size // 180
    return _state(
        ",".join(_resource(_instance(dependencies=[f"t.r{(n + 1) % number}"]), f"r{n}") for n in range(number))
    )


def long_cycles(size: int) -> bytes:
    """Cycles of 200 resources."""
    return _state(
        _many(size, lambda n: _resource(_instance(dependencies=[f"t.r{n // 200 * 200 + (n + 1) % 200}"]), f"r{n}"))
    )


def dependency_cycles(size: int) -> bytes:
    """Each two resources depend on each other and on the two after them."""
    return _state(
        _many(size, lambda n: _resource(_instance(dependencies=[f"t.r{n ^ 1}", f"t.r{n + 2}", f"t.r{n + 3}"]), f"r{n}"))
    )


def dependency_chain(size: int) -> bytes:
    """Each resource depends on the next one."""
    return _state(_many(size, lambda n: _resource(_instance(dependencies=[f"t.r{n + 1}"]), f"r{n}")))


def dangling_dependencies(size: int) -> bytes:
    """One instance that depends on resources and modules that are not there, many of them twice."""
    names = _many(size, lambda n: _text(f"module.m{n}.t.r{n // 2}" if n % 3 else f"t.r{n // 6}"))
    return _state(_resource(_instance(more=f',"dependencies":[{names}]')))


def dependencies_on_instances(size: int) -> bytes:
    """Instances that all depend on one resource with as many instances."""
    first = _resource(_many(size // 2, _keyed))
    return _state(f"{first},{_resource(_many(size // 2, lambda n: _keyed(n, dependencies=['t.a'])), 'b')}")


def many_instances(size: int) -> bytes:
    """One resource with all instances."""
    return _state(_resource(_many(size, _keyed)))


def many_deposed(size: int) -> bytes:
    """One instance with deposed objects."""
    return _state(_resource(_many(size, lambda n: _instance(deposed=f"{n:08x}"))))


def many_blocks(size: int) -> bytes:
    """One resource in a block for each instance."""
    return _state(_many(size, lambda n: _resource(_keyed(n))))


def many_resources(size: int) -> bytes:
    """Resources without instances."""
    return _state(_many(size, lambda n: _resource("", f"r{n}")))


def many_modules(size: int) -> bytes:
    """Each resource in a module of its own."""
    return _state(_many(size, lambda n: _resource(_instance(), module=f"module.m{n}")))


def many_module_instances(size: int) -> bytes:
    """Each resource in an instance of its own of a module, four deep."""
    return _state(
        _many(
            size,
            lambda n: _resource(_instance(), module=f'module.a["k{n}"].module.b[{n % 7}].module.c.module.d["{n}"]'),
        )
    )


def many_types(size: int) -> bytes:
    """Each resource of a type of its own."""
    return _state(_many(size, lambda n: _resource(_instance(), type_=f"t{n}_x")))


def many_outputs(size: int) -> bytes:
    """Outputs of which each third one is sensitive or has a wrong type."""
    kinds = ('"type":"string"', '"type":"string","sensitive":true', '"type":"number"')
    return _state(outputs=_many(size, lambda n: f'"o{n}":{{"value":"v-{n}",{kinds[n % 3]}}}'))


def large_output(size: int) -> bytes:
    """An output with a tuple, whose type says the type of each element."""
    types = _many(size // 2, lambda n: '["object",{"a":"string"}]')
    values = ",".join(['{"a":"x"}'] * types.count("object"))
    return _state(outputs=f'"o":{{"value":[{values}],"type":["tuple",[{types}]]}}')


def deep_output(size: int) -> bytes:
    """Outputs with lists in lists."""
    depth = min(400, size // 80)
    value = "[" * depth + '"x"' + "]" * depth
    type_ = '["list",' * depth + '"string"' + "]" * depth
    return _state(outputs=_many(size, lambda n: f'"o{n}":{{"value":{value},"type":{type_}}}'))


def check_results(size: int) -> bytes:
    """Results of checks with an object and a message each."""
    return _state(checks=_many(size, lambda n: _check(f"t.r{n}", _check_object(f"t.r{n}"))))


def check_objects(size: int) -> bytes:
    """The result of one check with many objects."""
    return _state(checks=_check("t.r", _many(size, lambda n: _check_object(f"t.r[{n}]"))))


def _check(address: str, objects: str) -> str:
    return f'{{"object_kind":"resource","config_addr":"{address}","status":"fail","objects":[{objects}]}}'


def _check_object(address: str) -> str:
    return f'{{"object_addr":"{address}","status":"fail","failure_messages":["it failed"]}}'


def deep_attributes(size: int) -> bytes:
    """Attributes nearly as deep as Go decodes, one after another."""
    depth = min(_DEEPEST, size // 32)
    value = '{"a":[' * (depth // 2) + "]}" * (depth // 2)
    return _state(_resource(_many(size, lambda n: _instance(f'{{"id":"{n}","v":{value}}}', index_key=n))))


def too_deep(size: int) -> bytes:
    """Attributes deeper than anything decodes."""
    return _state(_resource(_instance("[" * (size // 2) + "]" * (size // 2))))


def wide_attributes(size: int) -> bytes:
    """One object with many attributes, of which many look like passwords."""
    return _state(_resource(_instance("{" + _many(size, lambda n: f'"password_{n}":"hunter{n}"') + "}")))


def one_string(size: int) -> bytes:
    """One string without a break."""
    return _state(_resource(_instance(_text({"id": "x" * size}))))


def escaped_string(size: int) -> bytes:
    """One string of escapes only."""
    return _state(_resource(_instance('{"id":"' + r"\u003c\ud83d\ude00\\\"" * (size // 26) + '"}')))


def token_string(size: int) -> bytes:
    """One string that begins like a private key, a token, a login, again and again, and is none of them."""
    words = "-----BEGIN RSA PRIVATE KEY----- AKIA ghp_ eyJ.eyJ. postgres://a:b://c:"
    return _state(_resource(_instance(_text({"id": words * (size // len(words))}))))


def json_string(size: int) -> bytes:
    """JSON in a string in JSON in a string, six times."""
    text = _text([{"password": f"p{n}"} for n in range(size // 150)])
    for _ in range(5):
        text = _text(text)
    return _state(_resource(_instance(f'{{"id":"x","policy":{text}}}')))


def long_numbers(size: int) -> bytes:
    """Numbers of many digits."""
    digits = "1" * min(_LONG, size // 8)
    return _state(
        _resource(_many(size, lambda n: _instance(f'{{"id":{digits}{n},"e":1e{digits[:300]}}}', index_key=n)))
    )


def long_serial(size: int) -> bytes:
    """A serial of as many digits as the state has bytes."""
    return _state().replace(b'"serial":3', b'"serial":' + b"7" * size)


def white_space(size: int) -> bytes:
    """Hardly anything but white space."""
    return _state(_resource(_instance(f'{{"id":"x"{" " * (size // 2)}}}'))).replace(
        b'"resources":', b'"resources":' + b"\n" * (size // 2)
    )


def invalid_members(size: int) -> bytes:
    """A finding for each of several members of each instance."""
    return _state(
        _resource(
            _many(
                size,
                lambda n: _instance(
                    index_key=n, status="?", deposed="?", private="?", dependencies=["?"], sensitive_attributes=["?"]
                ),
            )
        )
    )


def wrong_types(size: int) -> bytes:
    """Members of types that nothing decodes."""
    return _state(_resource(_many(size, lambda n: _instance(index_key=n, status=5, schema_version="x", provider=[]))))


def invalid_resources(size: int) -> bytes:
    """Resources with an address, a mode or a provider that nothing reads."""
    kinds = ({"module": "modul.x"}, {"provider": "provider.?"}, {"name": "a b"}, {"module": 'module.m["k'})
    return _state(_many(size, lambda n: _resource(_instance(), **{"name": f"r{n}", **kinds[n % 4]})))


def invalid_keys(size: int) -> bytes:
    """Keys that are no numbers and no strings, and numbers among strings."""
    keys = (1.5, True, [1], {"a": 1}, 1, "1")
    return _state(_resource(_many(size, lambda n: _instance(index_key=keys[n % 6]))))


def same_instance(size: int) -> bytes:
    """One instance, again and again."""
    return _state(_resource(_many(size, lambda n: _keyed(0))))


def same_id(size: int) -> bytes:
    """Resources that are all the same remote object."""
    return _state(_many(size, lambda n: _resource(_instance('{"id":"i-1","arn":"arn:aws:x:y:z:i-1"}'), f"r{n}")))


def escaped_keys(size: int) -> bytes:
    """Instances and modules with keys that need escapes."""
    key = '"\\${é}\n%{'
    return _state(
        _many(size, lambda n: _resource(_keyed(f"{key}{n}"), module='module.m["' + r"\"\\$${é}\n%%{" + f'{n}"]'))
    )


def key_gaps(size: int) -> bytes:
    """Instances with numbers for keys, far apart, and some without."""
    return _state(_resource(_many(size, lambda n: _instance(index_key=n * 1_000_003) if n % 50 else _instance())))


def surrogates(size: int) -> bytes:
    """Names and values with halves of characters."""
    return _state(
        _many(size, lambda n: _resource(_instance(r'{"id":"\ud800","\udc00":1}'), f"r{n}").replace('"r', r'"\ud800r'))
    )


def large_private(size: int) -> bytes:
    """Private data that are large, and an identity that is."""
    text = "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==" * (size // 64)
    return _state(
        _resource(_instance(more=f',"private":"{text}","identity_schema_version":0,"identity":{{"id":"{text}"}}'))
    )


def flat_attributes(size: int) -> bytes:
    """Flat attributes of one instance: lists with counts that are wrong, and sets."""
    flat = _many(size, lambda n: f'"l.{n}":"x","m.{n}.#":"{n}","m.{n}.s.{n * 7919}.t.%":"1"')
    return _state(_resource(f'{{"schema_version":0,"attributes_flat":{{"id":"x","l.#":"9",{flat}}}}}'))


def format_3_instances(size: int) -> bytes:
    """Format 3: many instances of one resource, with dependencies and deposed objects."""
    return _format_3(
        _many(
            size,
            lambda n: (
                f'"t.a.{n}":{{"type":"t","depends_on":["t.a.{n + 1}","t.a.*"],'
                f'"primary":{{"id":"x{n}","attributes":{{"id":"x{n}"}}}},"deposed":[{{"id":"y{n}"}}],"provider":"provider.aws"}}'
            ),
        )
    )


def format_3_flat(size: int) -> bytes:
    """Format 3: one instance with deep flat attributes and lists whose counts are wrong."""
    flat = _many(size, lambda n: f'"l.{n}":"x","m.{n}.#":"{n}","m.{n}.s.{n * 7919}.t.%":"1"')
    return _format_3(f'"t.a":{{"type":"t","primary":{{"id":"x","attributes":{{"id":"x","l.#":"9",{flat}}}}}}}')


def format_3_modules(size: int) -> bytes:
    """Format 3: modules that each depend on the next."""
    resources = '{"t.a":{"type":"t","primary":{"id":"x"}}}'
    modules = _many(
        size,
        lambda n: (
            f'{{"path":["root","m{n}"],"depends_on":["module.m{n + 1}"],'
            f'"outputs":{{"o":{{"sensitive":false,"type":"string","value":"x"}}}},'
            f'"resources":{resources}}}'
        ),
    )
    return _format_3("", f",{modules}")


def _format_3(resources: str, modules: str = "") -> bytes:
    head = '"version":3,"terraform_version":"0.11.14","serial":3,"lineage":"l"'
    return f'{{{head},"modules":[{{"path":["root"],"outputs":{{}},"resources":{{{resources}}}}}{modules}]}}\n'.encode()


def cut_off(size: int) -> bytes:
    """A state whose end is missing."""
    return many_blocks(size)[:-20]


def only_brackets(size: int) -> bytes:
    """No state: brackets that never close."""
    return b'{"version":4,"resources":' + b'[{"a":' * (size // 6)


def only_quotes(size: int) -> bytes:
    """No state: quotation marks and backslashes."""
    return b'{"version":4,"resources":[{"name":' + b'"\\\\"x\\"' * (size // 7)


def conflict_marks(size: int) -> bytes:
    """A state with marks of a conflict of git in every resource."""
    mine, theirs = "<<<<<<< HEAD\n", ">>>>>>> other\n"
    return _state(
        _many(size, lambda n: f"\n{mine}{_resource(_keyed(n))}\n=======\n{_resource(_keyed(n + 1))}\n{theirs}")
    )


def encrypted(size: int) -> bytes:
    """An encrypted state with metadata of many key providers."""
    meta = _many(size // 2, lambda n: f'"key_provider.pbkdf2.k{n}":"eyJzYWx0IjoiIn0="')
    data = "AAAA" * (size // 8)
    head = '{"serial":3,"lineage":"l","meta":{'
    return f'{head}{meta}}},"encrypted_data":"{data}","encryption_version":"v0"}}'.encode()


HOSTILE: Final[dict[str, Hostile]] = {
    shape.__name__.replace("_", "-"): shape
    for shape in (
        long_names, long_dependencies, long_keys, long_modules, long_providers, sensitive_elements, sensitive_members,
        sensitive_again, sensitive_deep, secrets, provider_instances, provider_keys_differ, provider_configurations,
        provider_sources, provider_conflicts, repeated_member, repeated_attribute, repeated_section, repeated_output,
        unknown_members, unknown_everywhere, dense_dependencies, complete_dependencies, dependency_cycle, long_cycles,
        dependency_cycles, dependency_chain, dangling_dependencies, dependencies_on_instances, many_instances,
        many_deposed, many_blocks, many_resources, many_modules, many_module_instances, many_types, many_outputs,
        large_output, deep_output, check_results, check_objects, deep_attributes, too_deep, wide_attributes,
        one_string, escaped_string, token_string, json_string, long_numbers, long_serial, white_space, invalid_members,
        wrong_types, invalid_resources, invalid_keys, same_instance, same_id, escaped_keys, key_gaps, surrogates,
        large_private, flat_attributes, format_3_instances, format_3_flat, format_3_modules, cut_off, only_brackets,
        only_quotes, conflict_marks, encrypted,
    )
}  # fmt: skip
