"""Members that stand twice in one object are told of, by their place."""

from __future__ import annotations

import pytest

from statefmt.formats.reading.repeated import duplicate_members
from tests.instructions import instructions
from tests.tables import each_row


@each_row(
    ("text", "version", "pointers"),
    [
        pytest.param('{"version":4,"serial":1}', 4, [], id="none"),
        pytest.param('{"serial":1,"serial":1}', 4, ["/serial"], id="the same value twice"),
        pytest.param('{"serial":1,"serial":2,"serial":3}', 4, ["/serial", "/serial"], id="three times"),
        pytest.param('{"serial":1,"\\u0073erial":2}', 4, ["/serial"], id="one with an escape"),
        pytest.param('{"outputs":{"a":{},"a":{}}}', 4, ["/outputs/a"], id="an output"),
        pytest.param('{"outputs":{"a/b~":{},"a/b~":{}}}', 4, ["/outputs/a~1b~0"], id="a name that pointers escape"),
        pytest.param('{"resources":[{},{"type":"","type":""}]}', 4, ["/resources/1/type"], id="in a resource"),
        pytest.param(
            '{"resources":[{"instances":[{"private":"","private":""}]}]}',
            4,
            ["/resources/0/instances/0/private"],
            id="in an object",
        ),
        pytest.param('{"new":{"a":[{"b":1,"b":2}]}}', 4, ["/new/a/0/b"], id="in an unknown member"),
        pytest.param(
            '{"resources":[{"instances":[{"attributes":{"a":[{"b":1,"b":2}]}}]}]}',
            4,
            ["/resources/0/instances/0/attributes/a/0/b"],
            id="in attributes",
        ),
        pytest.param(
            '{"resources":[{"instances":[{"attributes":{"a":1,"A":2}}]}]}', 4, [], id="attributes differ by case"
        ),
        pytest.param(
            '{"resources":[{"instances":[{"identity":{"a":1,"a":2}}]}]}',
            4,
            ["/resources/0/instances/0/identity/a"],
            id="in the identity",
        ),
        pytest.param('{"outputs":{"a":{"value":{"a":1,"a":2}}}}', 4, ["/outputs/a/value/a"], id="in an output value"),
        pytest.param('{"serial":1,"Serial":2}', 4, ["/serial"], id="in another case"),
        pytest.param('{"\u017ferial":1,"serial":2}', 4, ["/serial"], id="with a long s"),
        pytest.param('{"outputs":{"a":{},"A":{}}}', 4, [], id="outputs differ by case"),
        pytest.param('{"new":1,"New":1}', 4, [], id="unknown members differ by case"),
        pytest.param('{"modules":[{"Path":[],"path":[]}]}', 3, ["/modules/0/path"], id="in another case in format 3"),
        pytest.param(
            '{"modules":[{"resources":{"a.b":{},"a.b":{}}}]}', 3, ["/modules/0/resources/a.b"], id="in format 3"
        ),
        pytest.param(
            '{"modules":[{"resources":{"a.b":{"primary":{"attributes":{"a":"1","a":"2"}}}}}]}',
            3,
            ["/modules/0/resources/a.b/primary/attributes/a"],
            id="flat attributes have no place for two",
        ),
        pytest.param('{"backend":{"config":{"a":1,"a":2}}}', 3, [], id="the configuration of a backend is dropped"),
        pytest.param(
            # As a 64-bit float the key is 1000000000000.0: longer by as much as the member that does not count.
            '{"version":4,"resources":[{"type":"t","type":"t","instances":[{"index_key":1e12}]}]}',
            4,
            ["/resources/0/type"],
            id="beside a number that grows when it is written",
        ),
        pytest.param(
            '{"version":4,"serial":123456789012345678901234567890,"lineage":"","lineage":""}',
            4,
            ["/lineage"],
            id="beside a number beyond 64 bits",
        ),
        pytest.param('{"a":"\\u003c","b":"","b":""}', 3, ["/b"], id="beside an escape that Go writes"),
        pytest.param('{"a":"<<","b":"","b":""}', 3, ["/b"], id="beside characters that Go would escape"),
        pytest.param('{"a":1e12,"b":"","b":""}', 3, ["/b"], id="beside a number with an exponent"),
        pytest.param('{"b":{"c":1,"c":2},"a":{"d":1,"d":2}}', 4, ["/b/c", "/a/d"], id="in the order of the file"),
    ],
)
def test_told(text: str, version: int, pointers: list[str]) -> None:
    found = list(duplicate_members(text.encode(), version))
    assert [finding.pointer for finding in found] == pointers
    assert {finding.code for finding in found} <= {"STA009"}


def test_where_the_rest_needs_a_closer_look() -> None:
    """Half a surrogate pair, and a byte that is no UTF-8, keep a part from being decoded in C."""
    text = b'{"modules":[{"a":"\\ud83d","b":1,"b":2},{"a":"\xff","b":1,"b":2},{"b":1}]}'
    assert [finding.pointer for finding in duplicate_members(text, 3)] == ["/modules/0/b", "/modules/1/b"]


def test_in_few_steps() -> None:
    """One repeated member does not make the rest of the file slower to look at."""

    def work(parts: int) -> int:
        attributes = b",".join(b'"a%d":""' % number for number in range(50))
        module = b'{"resources":{"a.b":{"primary":{"attributes":{%b}}}}}' % attributes
        text = b'{"serial":1,"serial":2,"modules":[%b]}' % b",".join([module] * parts)
        return instructions(lambda: list(duplicate_members(text, 3)))

    assert work(40) - work(20) < 20 * 50


def test_however_deep() -> None:
    """Deeper than Python's own limit; JSON read by Go ends at 10,000."""
    depth = 1_200
    text = b'{"a":' * depth + b'{"b":1,"b":2}' + b"}" * depth
    assert [finding.pointer for finding in duplicate_members(text, 4)] == ["/a" * depth + "/b"]


_KEYS = [r'"\u0022\u0022\u0022\u0022"', r'"a\u0026b"', r'"\u003c\u003e"', r'"\""', '"1"', "1e12", "null"]


@each_row("key", _KEYS)
@each_row("layout", ["", "\n  "])
def test_beside_a_key_that_is_written_differently(key: str, layout: str) -> None:
    """Decoded and encoded again, escapes get shorter, some become quotes, and floating-point numbers grow."""
    resource = f'{{{layout}"type":"t",{layout}"instances":[{{"index_key":{key}}}]}}'
    repeating = f'{{{layout}"type":"","type":"t",{layout}"instances":[{{"index_key":{key}}}]}}'
    for text, pointers in ((resource, []), (repeating, ["/resources/1/type"])):
        state = f'{{"version":4,{layout}"resources":[{{}},{text},{{}}]}}'
        assert [finding.pointer for finding in duplicate_members(state.encode(), 4)] == pointers


def test_in_any_of_many_resources() -> None:
    one = '{"type":"t","instances":[{"attributes":{"a":"%s"}}]}' % ("x" * 1_000)
    for place in (0, 150, 399):
        resources = [one] * 400
        resources[place] = '{"type":"t","type":"t"}'
        state = f'{{"version":4,"resources":[{", ".join(resources)}]}}'.encode()
        assert [finding.pointer for finding in duplicate_members(state, 4)] == [f"/resources/{place}/type"]


def test_escapes_need_no_look_at_each_member() -> None:
    """A key with an ampersand, which Go escapes, is an ordinary one."""
    one = r'{"type":"t","instances":[{"index_key":"a\u0026b"}]}'
    few, many = (f'{{"version":4,"resources":[{",".join([one] * size)}]}}'.encode() for size in (100, 200))
    work = [instructions(lambda data=data: [*duplicate_members(data, 4)]) for data in (few, many)]  # type: ignore[misc]
    assert work[1] - work[0] < 100 * 40
