"""Repairs of states that somebody wrote to do harm, or that no program writes."""

from __future__ import annotations

from typing import Final

from statefmt.edit.repairs import repaired
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.formats.reading import inspect
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.choosing import first_choice, only, rounds, value_for
from tests.edit.repairs.unchanged import differences
from tests.tables import each_row

_TWO: Final = b'[{"attributes":{"id":"1"}},{"attributes":{"id":"2"}}]'
_PROVIDER: Final = rb'"provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]"'
_HEAD: Final = b'"serial":1,"lineage":"x"'
_BAD_OUTPUT: Final = b'{"value":1,"type":"x"}'


def _state(resources: bytes = b"", head: bytes = _HEAD, outputs: bytes = b"{}") -> bytes:
    return b'{"version":4,"terraform_version":"1.9.0",%b,"outputs":%b,"resources":[%b]}' % (head, outputs, resources)


def _resource(instances: bytes = _TWO, name: bytes = b'"a"', more: bytes = b"") -> bytes:
    head = b'"mode":"managed","type":"aws_vpc","name":%b,%b%b' % (name, _PROVIDER, more)
    return b'{%b,"instances":%b}' % (head, instances)


def _keyed(key: bytes) -> bytes:
    return b'[{"index_key":%b},{"index_key":%b}]' % (key, key)


STATES: Final = {
    "control characters": _state(_resource(name=rb'"\u001b[2J\u0007"')),
    "a decision as a name": _state(_resource(name=rb'"a\nADR002 * keep=last"')),
    "a quote as a name": _state(_resource(name=rb'"a\"b"')),
    "a key with everything": _state(_resource(_keyed(rb'"a\"b c\n\u001b ${x} %{y}"'))),
    "half a surrogate pair": _state(_resource(_keyed(rb'"\ud800"'), name=rb'"\udc00"')),
    "bytes that are not UTF-8": _state(_resource(_keyed(b'"\xff"'), name=b'"\xfe"')),
    "a huge serial": _state(head=b'"lineage":"x","serial":' + b"9" * 5000),
    "a huge exponent": _state(head=b'"lineage":"x","serial":123e-99999999999999999999'),
    "a huge key": _state(_resource(_keyed(b"9" * 5000))),
    "a key that is infinite": _state(_resource(_keyed(b"1e400"))),
    "names of outputs": _state(outputs=b'{"a b\\n":%b,"/~1":%b,"":%b,"0":%b,"-":%b}' % ((_BAD_OUTPUT,) * 5)),
    "a repeated output": _state(outputs=b'{"a":%b,"a":%b,"A":%b}' % ((_BAD_OUTPUT,) * 3)),
    "a repeated serial": _state(head=b'"serial":"1","serial":2,"lineage":"x"'),
    "a repeated serial, last": _state(head=b'"serial":1,"serial":"2","lineage":"x"'),
    "a repeated serial, both": _state(head=b'"serial":"1","serial":"2","lineage":"x"'),
    "a serial in capitals": _state(head=b'"SERIAL":"1","lineage":"x"'),
    "a serial in capitals, too": _state(head=b'"Serial":"1","serial":2,"lineage":"x"'),
    "repeated resources": _state(_resource(), head=_HEAD + b',"resources":[1]'),
    "repeated instances": _state(_resource(more=b',"instances":[1]')),
    "instances in capitals": _state(_resource(more=b',"INSTANCES":[1]')),
    "a repeated mode": _state(_resource(more=b',"mode":"x"')),
    "a repeated provider": _state(_resource(more=b',"provider":"x"')),
    "nulls": _state(b"null,null," + _resource(b"[null,null]")),
    "no member has a name": _state(b'{"":{},"":[]}'),
}


@each_row("name", STATES)
def test_mended(name: str) -> None:
    data = STATES[name]
    steps = rounds(data, first_choice)
    assert steps
    for step in steps:
        assert differences(step.before, step.after, step.allowed) == []
    content = steps[-1].after
    assert inspect(content).snapshot is not None
    assert not any(map(is_fatal, defects(content)))
    assert repaired(data, first_choice).content == content


@each_row("name", STATES)
def test_no_choice_ends_in_a_crash(name: str) -> None:
    data = STATES[name]
    for defect in defects(data):
        for choice in defect.choices:
            try:
                content = repaired(data, only(defect, choice, value_for(defect, choice))).content
            except SurgeryError as error:
                assert choice.value, (defect, error)
            else:
                assert inspect(content).version == 4
