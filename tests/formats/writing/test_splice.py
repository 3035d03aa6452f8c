"""A change is written where it belongs, in the layout of the file; every other byte stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from msgspec import Raw
from msgspec.structs import replace

import statefmt
from statefmt.model.addrs import NO_KEY, AbsResource, IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource, parse_config_provider_config, parse_module_instance
from statefmt.model.snapshot import ObjectStatus, OutputValue, ResourceInstanceObject, ResourceState, Snapshot
from tests.tables import each_row

P: Final = r"provider[\"registry.opentofu.org/hashicorp/aws\"]"
Edit = Callable[[Snapshot], Snapshot]


def _write(text: str, edit: Edit) -> str:
    return statefmt.write(edit(statefmt.read(text.encode()).snapshot), canonical=False).decode()


def _resource(change: Callable[[ResourceState], ResourceState]) -> Edit:
    """A change of the first resource."""
    return lambda snapshot: replace(snapshot, resources=(change(snapshot.resources[0]), *snapshot.resources[1:]))


def _object(change: Callable[[ResourceInstanceObject], ResourceInstanceObject]) -> Edit:
    """A change of the first object of the first resource."""
    return _resource(lambda old: replace(old, objects=(change(old.objects[0]), *old.objects[1:])))


@each_row(
    ("before", "after"),
    [
        pytest.param('{"version":4,"serial":7}', '{"version":4,"serial":8}', id="one line"),
        pytest.param('{"serial":7,"version":4}\n', '{"serial":8,"version":4}\n', id="first of all"),
        pytest.param('{\n  "version": 4,\n  "serial": 7\n}\n', '{\n  "version": 4,\n  "serial": 8\n}\n', id="indented"),
        pytest.param(
            '{\r\n\t"version" :4 ,\r\n\t"serial":  7 }\r\n\r\n',
            '{\r\n\t"version" :4 ,\r\n\t"serial":  8 }\r\n\r\n',
            id="odd space",
        ),
        pytest.param('{"version":4}', '{"version":4,"serial":8}', id="was not there"),
        pytest.param('{"version":4,"outputs":{}}', '{"version":4,"serial":8,"outputs":{}}', id="in its place"),
        pytest.param('{"outputs":{},"version":4}', '{"outputs":{},"version":4,"serial":8}', id="in no order"),
        pytest.param('{\n "version":4\n}', '{\n "version":4,\n "serial": 8\n}', id="indented by one space"),
        pytest.param('{"version":4,"serial":null}', '{"version":4,"serial":8}', id="was null"),
        pytest.param('{"version":4,"Serial":7}', '{"version":4,"Serial":8}', id="with a capital"),
        pytest.param(
            '{"serial":1,"version":4,"serial":7}', '{"serial":1,"version":4,"serial":8}', id="the last of two"
        ),
        pytest.param(
            '{"serial":1,"version":4,"SERIAL":7}', '{"serial":1,"version":4,"SERIAL":8}', id="of two in other case"
        ),
        pytest.param(
            '{"version":4,"new":[1.0, "\\u003c"],"serial":7}',
            '{"version":4,"new":[1.0, "\\u003c"],"serial":8}',
            id="beside what is unknown",
        ),
        pytest.param(
            '{"version":4,"lineage":"\\ud800","serial":7}',
            '{"version":4,"lineage":"\\ud800","serial":8}',
            id="beside half a surrogate pair",
        ),
    ],
)
def test_serial(before: str, after: str) -> None:
    assert _write(before, lambda snapshot: replace(snapshot, serial=8)) == after


_NEW_OUTPUT: Final = OutputValue(name="b", value=b"1", type=b'"number"')


def _add_output(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, outputs=(*snapshot.outputs, _NEW_OUTPUT))


def _drop_first_output(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, outputs=snapshot.outputs[1:])


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        pytest.param(_add_output, '"outputs":{}', '"outputs":{"b":{"value":1,"type":"number"}}', id="added to none"),
        pytest.param(_add_output, '"outputs":null', '"outputs":{"b":{"value":1,"type":"number"}}', id="added to null"),
        pytest.param(
            _add_output,
            '"outputs":{"a": {"type":"bool", "value":true}}',
            '"outputs":{"a": {"type":"bool", "value":true},"b":{"value":1,"type":"number"}}',
            id="added to one",
        ),
        pytest.param(
            _add_output,
            '"outputs":{"c":{"type":"bool","value":true}}',
            '"outputs":{"c":{"type":"bool","value":true},"b":{"value":1,"type":"number"}}',
            id="added last",
        ),
        pytest.param(
            _drop_first_output,
            '"outputs":{"a":{"type":"bool","value":true}}',
            '"outputs":{}',
            id="the only one removed",
        ),
        pytest.param(
            _drop_first_output,
            '"outputs":{ "a":{"type":"bool","value":true} , "c":{"type":"number","value":1.0} }',
            '"outputs":{ "c":{"type":"number","value":1.0} }',
            id="the first removed",
        ),
        pytest.param(
            lambda snapshot: replace(snapshot, outputs=(replace(snapshot.outputs[0], sensitive=True),)),
            '"outputs":{"a":{"x":1.0,"type":"bool","value": true}}',
            '"outputs":{"a":{"x":1.0,"value":true,"type":"bool","sensitive":true}}',
            id="changed: written anew, with what is unknown",
        ),
    ],
)
def test_outputs(edit: Edit, before: str, after: str) -> None:
    assert _write(f'{{"version":4,{before}}}', edit) == f'{{"version":4,{after}}}'


_RENAME: Final = _resource(lambda old: replace(old, addr=parse_abs_resource("aws_a.new")))
_INTO_MODULE: Final = _resource(
    lambda old: replace(old, addr=AbsResource(parse_module_instance('module.m["x"]'), old.addr.resource))
)
_A: Final = f'{{"mode":"managed","type":"aws_a","name":"a","provider":"{P}","instances":[]}}'
_C: Final = f'{{"mode":"managed","type":"aws_a","name":"c","provider":"{P}","instances":[]}}'
_B: Final = f'{{"mode":"managed","type":"aws_a","name":"b","provider":"{P}","instances":[]}}'
_NEW: Final = ResourceState(
    addr=parse_abs_resource("aws_a.b"),
    provider_config=parse_config_provider_config('provider["registry.opentofu.org/hashicorp/aws"]'),
)


def _insert(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, resources=(_NEW, *snapshot.resources))


def _without(number: int) -> Edit:
    return lambda snapshot: replace(snapshot, resources=snapshot.resources[:number] + snapshot.resources[number + 1 :])


@each_row(
    ("edit", "before", "after"),
    [
        pytest.param(_without(0), f"[{_A}]", "[]", id="the only one removed"),
        pytest.param(_without(0), f"[ {_A} , {_C} ]", f"[ {_C} ]", id="the first removed"),
        pytest.param(_without(1), f"[ {_A} , {_C} ]", f"[ {_A} ]", id="the last removed"),
        pytest.param(_without(1), f"[{_A},\n{_B},\n\n{_C}]", f"[{_A},\n\n{_C}]", id="the middle removed"),
        pytest.param(_insert, "[]", f"[{_B}]", id="inserted in none"),
        pytest.param(_insert, "null", f"[{_B}]", id="inserted in null"),
        pytest.param(_insert, f"[{_A},{_C}]", f"[{_A},{_B},{_C}]", id="inserted in its place"),
        pytest.param(_insert, f"[{_C}]", f"[{_B},{_C}]", id="inserted first"),
        pytest.param(_insert, f"[ {_A} ]", f"[ {_A}, {_B} ]", id="inserted last"),
        pytest.param(_insert, f"[{_C},{_A}]", f"[{_B},{_C},{_A}]", id="inserted where nothing is sorted"),
        pytest.param(_RENAME, f"[{_A}]", "[" + _A.replace('"name":"a"', '"name":"new"') + "]", id="renamed"),
        pytest.param(
            _INTO_MODULE,
            f"[{_A}]",
            "[" + _A.replace('"mode"', r'"module":"module.m[\"x\"]","mode"') + "]",
            id="moved into a module",
        ),
        pytest.param(
            _INTO_MODULE,
            '[{"name":"a","type":"aws_a","mode":"managed"}]',
            r'[{"module":"module.m[\"x\"]","name":"a","type":"aws_a","mode":"managed","instances":[]}]',
            id="without provider and instances",
        ),
        pytest.param(
            _RENAME,
            f'[{{"type":"aws_a","name" : "a","each":"list","mode":"managed","provider":"{P}"}}]',
            f'[{{"type":"aws_a","name" : "new","each":"list","mode":"managed","provider":"{P}","instances":[]}}]',
            id="an old member stays",
        ),
        pytest.param(
            _RENAME,
            '[{"mode":"managed","type":"aws_a","name":"a","provider":"provider.my_cloud","instances":[]}]',
            '[{"mode":"managed","type":"aws_a","name":"new","provider":"provider.my_cloud","instances":[]}]',
            id="a provider in the old form stays, that no newer form could say",
        ),
        pytest.param(
            _RENAME,
            r'[{"mode":"managed","type":"aws_a","name":"a","provider":"provider[\"hashicorp/aws\"]","instances":[]}]',
            r'[{"mode":"managed","type":"aws_a","name":"new","provider":"provider[\"hashicorp/aws\"]","instances":[]}]',
            id="a provider in short form stays",
        ),
    ],
)
def test_resources(edit: Edit, before: str, after: str) -> None:
    assert _write(f'{{"version":4,"resources":{before}}}', edit) == f'{{"version":4,"resources":{after}}}'


_TAINT: Final = _object(lambda old: replace(old, status=ObjectStatus.TAINTED))
_DROP: Final = _resource(lambda old: replace(old, objects=old.objects[1:]))


@each_row(
    ("edit", "before", "after"),
    [
        pytest.param(_DROP, '[{"index_key":0}]', "[]", id="the only one removed"),
        pytest.param(_DROP, '[{"index_key":0},  {"index_key": 1 }]', '[{"index_key": 1 }]', id="the first removed"),
        pytest.param(_DROP, '[{"index_key":0},{ }]', "[{ }]", id="beside an object with nothing but space"),
        pytest.param(_TAINT, "[{}]", '[{"status":"tainted"}]', id="into an object without members"),
        pytest.param(
            _TAINT,
            "[null]",
            '[{"status":"tainted","schema_version":0,"attributes":{},"sensitive_attributes":[]}]',
            id="a null instance",
        ),
        pytest.param(
            _TAINT,
            '[{"attributes":{"n" : 1.0},"index_key":"k"}]',
            '[{"attributes":{"n" : 1.0},"index_key":"k","status":"tainted"}]',
            id="after its key",
        ),
        pytest.param(
            _TAINT,
            '[{"schema_version":1}]',
            '[{"status":"tainted","schema_version":1}]',
            id="before the schema version",
        ),
        pytest.param(
            _object(lambda old: replace(old, status=ObjectStatus.READY)),
            '[{"status":"tainted","schema_version":1}]',
            '[{"schema_version":1}]',
            id="untainted",
        ),
        pytest.param(
            _object(lambda old: replace(old, key=IntKey(5))),
            '[{"index_key": 1.0}]',
            '[{"index_key": 5}]',
            id="another key",
        ),
        pytest.param(_object(lambda old: replace(old, key=NO_KEY)), '[{"index_key": 1}]', "[{}]", id="no key any more"),
        pytest.param(
            _object(lambda old: replace(old, attributes=Raw(b'{"b":"<"}'))),
            '[{"attributes":{"n":1e3},"private":"AA=="}]',
            r'[{"attributes":{"b":"\u003c"},"private":"AA=="}]',
            id="other attributes",
        ),
        pytest.param(
            _object(lambda old: replace(old, dependencies=(parse_abs_resource("a.b").config(),))),
            '[{"dependencies":["c.d", "e.f"], "create_before_destroy":true}]',
            '[{"dependencies":["a.b"], "create_before_destroy":true}]',
            id="other dependencies",
        ),
        pytest.param(
            _object(lambda old: replace(old, dependencies=())),
            '[{"dependencies":["c.d"], "skip_destroy":false}]',
            '[{"skip_destroy":false}]',
            id="no dependencies",
        ),
        pytest.param(
            _object(lambda old: replace(old, unknown=())),
            '[{"new":1,"private":"AA=="}]',
            '[{"private":"AA=="}]',
            id="an unknown member removed",
        ),
    ],
)
def test_objects(edit: Edit, before: str, after: str) -> None:
    head = f'{{"version":4,"resources":[{{"mode":"managed","type":"aws_a","name":"a","provider":"{P}","instances":'
    assert _write(f"{head}{before}}}]}}", edit) == f"{head}{after}}}]}}"


def _bind(*keys: str) -> Edit:
    def bound(old: ResourceState) -> ResourceState:
        pairs = zip(old.objects, keys, strict=True)
        objects = tuple(replace(obj, provider_key=StringKey(key) if key else NO_KEY) for obj, key in pairs)
        return replace(old, objects=objects)

    return _resource(bound)


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        pytest.param(
            _bind("x"),
            f'"provider":"{P}.r","instances":[{{"index_key":0}}]',
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"x\"]"}}]',
            id="a key takes the provider from the resource to its instance",
        ),
        pytest.param(
            _bind("x", ""),
            f'"provider":"{P}.r","instances":[{{"index_key":0}},{{"index_key":1}}]',
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"x\"]"}},{{"index_key":1,"provider":"{P}.r"}}]',
            id="and to its neighbours",
        ),
        pytest.param(
            _bind("", ""),
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"x\"]"}},{{"index_key":1,"provider":"{P}.r"}}]',
            f'"provider":"{P}.r","instances":[{{"index_key":0}},{{"index_key":1}}]',
            id="the last key gone takes it back",
        ),
        pytest.param(
            _bind("y", "x"),
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"x\"]"}},{{"index_key":1,"provider" : "{P}.r[\"x\"]"}}]',
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"y\"]"}},{{"index_key":1,"provider" : "{P}.r[\"x\"]"}}]',
            id="another key for one of them",
        ),
        pytest.param(
            _bind("y"),
            rf'"provider":"{P}.r","instances":[{{"index_key":0,"provider":"{P}.r[\"x\"]"}}]',
            rf'"instances":[{{"index_key":0,"provider":"{P}.r[\"y\"]"}}]',
            id="of both levels one is left",
        ),
    ],
)
def test_provider_keys(edit: Edit, before: str, after: str) -> None:
    head = '{"version":4,"resources":[{"mode":"managed","type":"aws_a","name":"a",'
    assert _write(f"{head}{before}}}]}}", edit) == f"{head}{after}}}]}}"


def test_an_indented_file_stays_indented() -> None:
    before = f"""{{
  "version": 4,
  "serial": 1,
  "resources": [
    {{
      "mode": "managed",
      "type": "aws_a",
      "name": "a",
      "provider": "{P}",
      "instances": [
        {{
          "attributes": {{"n":   1.0}}
        }}
      ]
    }}
  ]
}}
"""
    after = before.replace(
        '"attributes": {"n":   1.0}\n',
        '"schema_version": 3,\n          "attributes": {"n":   1.0},\n          "dependencies": [\n'
        '            "a.b"\n          ]\n',
    )
    edit = _object(lambda old: replace(old, schema_version=3, dependencies=(parse_abs_resource("a.b").config(),)))
    assert _write(before, edit) == after


def test_an_object_takes_its_bytes_along_to_another_resource() -> None:
    moved = '{ "index_key":"k","attributes":{"n" : 1.0} }'
    before = f'{{"version":4,"resources":[{_A[:-2]}{moved}]}},{_B}]}}'

    def edit(snapshot: Snapshot) -> Snapshot:
        giver, taker = snapshot.resources
        return replace(snapshot, resources=(replace(giver, objects=()), replace(taker, objects=giver.objects)))

    assert _write(before, edit) == f'{{"version":4,"resources":[{_A},{_B[:-2]}{moved}]}}]}}'


def test_a_resource_in_two_blocks_becomes_one_when_it_changes() -> None:
    blocks = [_A.replace("[]", f'[{{"index_key":{number},"attributes":{{"n":1.0}}}}]') for number in (0, 1)]
    before = f'{{"version":4,"resources":[{blocks[0]},{_B},{blocks[1]}]}}'
    assert _write(before, lambda snapshot: replace(snapshot, serial=0)) == before
    text = _write(before, _RENAME)
    assert [str(resource.addr) for resource in statefmt.read(text.encode()).snapshot.resources] == [
        "aws_a.new",
        "aws_a.b",
    ]
    assert text.count('"attributes":{"n":1.0}') == 2
    assert _B in text


def test_an_older_format_is_written_in_canonical_form() -> None:
    result = statefmt.read(b'{"version":3,"serial":1}')
    assert statefmt.write(result.snapshot, canonical=False) == statefmt.write(result.snapshot)
