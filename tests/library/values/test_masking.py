"""No way of printing a sensitive value shows it, and all that would tell something of it is refused."""

from __future__ import annotations

import copy
import csv
import dataclasses
import inspect
import io
import json
import logging
import pickle
import pprint
import string
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
import orjson
import pytest
import yaml

from statefmt.library.values import Attributes, Output, Sensitive
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject
from tests.library.values.values import attributes
from tests.tables import each_row

SECRET: Final = "hunter2"
_PATHS: Final = '[[{"type":"get_attr","value":"p"}]]'
_ONE: Final = '{"type":"index","value":{"value":1,"type":"number"}}'
_SECRETS: Final = [
    pytest.param(f'"{SECRET}"', id="string"),
    pytest.param(f'{{"k": "{SECRET}"}}', id="object"),
    pytest.param(f'["{SECRET}", {{"k": ["{SECRET}"]}}]', id="list"),
    pytest.param("55387246", id="number"),
    pytest.param("5538.7246000", id="decimal"),
]


def _sensitive(text: str) -> Sensitive:
    value = attributes(f'{{"p": {text}}}', _PATHS)["p"]
    assert isinstance(value, Sensitive)
    return value


def _shown(text: str) -> bool:
    return any(secret in text for secret in (SECRET, "5538"))


def _logged(value: object) -> str:
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    logger.error("%s %r", value, value)
    logger.error(value)
    logger.error("%(value)s", {"value": value})
    return stream.getvalue()


def _traced(value: object) -> str:
    try:
        raise RuntimeError(value)
    except RuntimeError:
        error = sys.exc_info()[1]
        assert error is not None
        return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def _as_csv(value: object) -> str:
    stream = io.StringIO()
    csv.writer(stream).writerow([value])
    csv.DictWriter(stream, ["a"]).writerow({"a": value})
    return stream.getvalue()


@dataclasses.dataclass
class _Row:
    value: object


class _Record(msgspec.Struct):
    value: object


_PRINTED: Final[dict[str, Callable[[Any], str]]] = {
    "str": str,
    "repr": repr,
    "ascii": ascii,
    "format": lambda value: f"{value}",
    "format with !r": lambda value: f"{value!r}",
    "format with a width": lambda value: f"{value:>40}",
    "format as a number": lambda value: f"{value:,.2f}",
    "format cut off": lambda value: f"{value:.3}",
    "str.format": "{0} {0!s:10}".format,
    "percent": lambda value: "%s %r" % (value, value),  # noqa: UP031 - that is what is tested
    "template": lambda value: string.Template("$a").substitute(a=value),
    "in a list": lambda value: str([value]),
    "in an object": lambda value: str({"a": value}),
    "pprint": pprint.pformat,
    "pprint of an object": lambda value: pprint.pformat({"a": (value, [value])}, width=1),
    "logging": _logged,
    "a traceback with locals": _traced,
    "csv": _as_csv,
    "a dataclass": lambda value: f"{_Row(value)} {dataclasses.asdict(_Row(value))} {dataclasses.replace(_Row(value))}",
    "a struct": lambda value: str(_Record(value)),
    "json with default=str": lambda value: json.dumps({"a": value}, default=str),
    "json with default=repr": lambda value: json.dumps([value], default=repr),
    "orjson with default=str": lambda value: orjson.dumps([value], default=str).decode(),
    "inspect": lambda value: str(inspect.getmembers(value)),
    "dir": lambda value: str(dir(value)),
    "a copy": lambda value: f"{copy.copy(value)} {copy.deepcopy([value])}",
    "exceptions": lambda value: repr(KeyError(value)),
}


@each_row("way", _PRINTED)
@each_row("text", _SECRETS)
def test_what_is_printed_is_masked(text: str, way: str) -> None:
    value = _sensitive(text)
    printed = _PRINTED[way](value)
    assert not _shown(printed)
    # It would be seen if it were there.
    assert _shown(f"{value.reveal()}")


@pytest.mark.parametrize("text", _SECRETS)
def test_what_it_prints(text: str) -> None:
    value = _sensitive(text)
    assert str(value) == repr(value) == f"{value}" == f"{value:.2f}" == f"{value:.3}" == "(sensitive value)"
    assert f"{value:<20}|" == "(sensitive value)   |"


_REFUSED: Final[dict[str, Callable[[Any], object]]] = {
    "index": lambda value: value["k"],
    "position": lambda value: value[0],
    "slice": lambda value: value[:1],
    "iteration": list,
    "unpacking": lambda value: [*value],
    "in": lambda value: "h" in value,
    "truth": bool,
    "not": lambda value: not value,
    "or": lambda value: value or "default",
    "pickle": pickle.dumps,
    "pickle in a list": lambda value: pickle.dumps([value]),
}
_HINT: Final = r"^the value is sensitive; call \.reveal\(\) to get it$"


@each_row("way", _REFUSED)
@each_row("text", _SECRETS)
def test_what_would_tell_something_is_refused(text: str, way: str) -> None:
    with pytest.raises(TypeError, match=_HINT):
        _REFUSED[way](_sensitive(text))


@each_row(
    "way",
    [
        json.dumps, orjson.dumps, msgspec.json.encode, msgspec.msgpack.encode, yaml.dump, yaml.safe_dump, hash, len,
        int, float, bytes, vars, "".join,
        lambda value: value + "", lambda value: value < value, lambda value: {value: 1},
        lambda value: "%d" % value,  # noqa: UP031 - that is what is tested
    ],
)  # fmt: skip
@each_row("text", _SECRETS)
def test_whatever_takes_values_does_not_take_it(text: str, way: Callable[[Any], object]) -> None:
    with pytest.raises((TypeError, yaml.YAMLError)) as refused:
        way(_sensitive(text))
    assert not _shown(str(refused.value))


@pytest.mark.parametrize("name", ["get", "items", "upper", "value", "__dict__", "_value"])
def test_attributes_of_the_value_are_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=r"call \.reveal\(\) to get it"):
        getattr(_sensitive(f'{{"k": "{SECRET}"}}'), name)
    with pytest.raises(AttributeError):
        setattr(_sensitive("1"), name, 1)
    with pytest.raises(AttributeError):
        del _sensitive("1")._reveal


def test_it_is_nothing_but_itself() -> None:
    value = _sensitive("[1]")
    assert not isinstance(value, (str, Iterable, Mapping, tuple))


def test_equality() -> None:
    value, same, other = _sensitive(f'"{SECRET}"'), _sensitive(f'"{SECRET}"'), _sensitive('"other"')
    assert value == same
    assert value != other
    assert value != SECRET
    assert value == Sensitive(SECRET)
    # So rotated secrets are seen without being shown.
    assert attributes(f'{{"p": "{SECRET}"}}', _PATHS) != attributes('{"p": "other"}', _PATHS)
    assert attributes(f'{{"p": "{SECRET}"}}', _PATHS) == attributes(f'{{"p": "{SECRET}"}}', _PATHS)


def test_reveal() -> None:
    assert _sensitive(f'{{"k": ["{SECRET}", 1.50]}}').reveal()["k"][0] == SECRET
    assert str(_sensitive("1.50").reveal()) == "1.50"
    assert _sensitive("null").reveal() is None
    # Nothing in it is masked, though another path leads into it.
    inner = '[[{"type":"get_attr","value":"p"}],[{"type":"get_attr","value":"p"},{"type":"get_attr","value":"k"}]]'
    assert attributes(f'{{"p": {{"k": "{SECRET}"}}}}', inner)["p"].reveal() == {"k": SECRET}


@pytest.mark.parametrize(
    ("paths", "sensitive"),
    [
        ("[]", ()),
        (_PATHS, ("p",)),
        ('[[{"type":"get_attr","value":"p"},{"type":"get_attr","value":"a b"}]]', ('p["a b"]',)),
        (f'[[{{"type":"get_attr","value":"l"}},{_ONE},{{"type":"get_attr","value":"k"}}]]', ("l[1].k",)),
        # An element of a set is found by its value only: the whole set.
        ('[[{"type":"get_attr","value":"l"},{"type":"index","value":{"value":"x","type":"string"}}]]', ("l",)),
        ("[[]]", ("p", "l", "any")),
        ('[[{"type":"get_attr","value":"any"},{"type":"get_attr","value":"k"}]]', ("any.k",)),
        ('[[{"type":"get_attr","value":"missing"}]]', ()),
    ],
)
def test_paths(paths: str, sensitive: tuple[str, ...]) -> None:
    found = attributes(
        '{"p": {"a b": 1}, "l": [{}, {"k": 2}], "any": {"value": {"k": "x"}, "type": ["map", "string"]}}', paths
    )
    assert found.sensitive == sensitive
    assert all(isinstance(found.at(path), Sensitive) for path in sensitive)


_NOT_OF_HOLDERS: Final = ("format as a number", "format cut off", "inspect")


def test_attributes_and_outputs_print_masked() -> None:
    found = attributes(f'{{"p": "{SECRET}", "id": "x"}}', _PATHS)
    output = Output(OutputValue(name="o", value=f'"{SECRET}"'.encode(), type=b'"string"', sensitive=True))
    assert repr(found) == "Attributes({'p': (sensitive value), 'id': 'x'})"
    assert repr(output) == "Output('o', (sensitive value))"
    for value in (found, output, dict(found), list(found.items())):
        # Not with a format of its own; and who asks for all members asks for the raw text, too.
        ways = [way for way in _PRINTED if not way.startswith("format with") and way not in _NOT_OF_HOLDERS]
        assert [way for way in ways if _shown(_PRINTED[way](value))] == []
    assert SECRET.encode() in found.raw
    assert output.value.reveal() == SECRET


@pytest.mark.parametrize(
    "value",
    [
        attributes(f'{{"p": "{SECRET}"}}', _PATHS),
        Output(OutputValue(name="o", value=f'"{SECRET}"'.encode(), type=b'"string"', sensitive=True)),
    ],
)
def test_attributes_and_outputs_are_not_pickled(value: object) -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(value)
    assert copy.copy(value) is copy.deepcopy(value) is value


def test_flat_attributes() -> None:
    found = Attributes(
        ResourceInstanceObject(
            attributes_flat={"id": "i-1", "tags.%": "1", "tags.Name": "web", "rule.0.port": "80", "password": SECRET}
        ),
        "x",
    )
    assert found.is_flat
    assert list(found) == ["id", "tags.%", "tags.Name", "rule.0.port", "password"]
    assert (found["id"], found.at("tags.%"), found.at("rule[0].port")) == ("i-1", "1", "80")
    assert found.sensitive == ("password",)
    assert found.at("password").reveal() == SECRET
    assert json.loads(found.raw) == {
        "id": "i-1", "tags.%": "1", "tags.Name": "web", "rule.0.port": "80", "password": SECRET,
    }  # fmt: skip
    assert not _shown(repr(found))


def test_an_output() -> None:
    output = Output(OutputValue(name="ports", value=b'{"a":[1,2.50]}', type=b'["object",{}]', deprecated="use another"))
    assert output.value == {"a": (1, output.value["a"][1])}
    assert str(output.value["a"][1]) == "2.50"
    assert (output.name, output.raw, output.type) == ("ports", b'{"a":[1,2.50]}', b'["object",{}]')
    assert (output.sensitive, output.deprecated) == (False, "use another")
