"""Arguments that a public function does not know, or of another type, are refused with what it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

import pytest

import statefmt
import statefmt.testing
from statefmt import addrs, operations, selection, snapshots
from tests.cli.states import SAMPLES
from tests.tables import each_row

_DATA: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
_SNAPSHOT: Final = statefmt.read(_DATA).snapshot
# Type checkers refuse what is wrong on purpose.
_LIBRARY: Final[Any] = statefmt
# The right value of an annotation, where a call needs one, and a wrong one that people pass.
_RIGHT: Final[dict[str, object]] = {
    "bytes": _DATA,
    "bytes | Snapshot": _DATA,
    "bytes | Snapshot | Inspection": _DATA,
    "Snapshot": _SNAPSHOT,
    "Snapshot | None": _SNAPSHOT,
    "str": "x",
    "RunContext": statefmt.run_context(),
    "Selection": "aws_vpc.main",
    "Iterable[str]": ["a"],
    "Sequence[str]": ["a"],
    "str | Release": "1.8",
}
_WRONG: Final[dict[str, object]] = {
    "bytes": Path("terraform.tfstate"),
    "bytes | Snapshot": "terraform.tfstate",
    "bytes | Snapshot | Inspection": Path("terraform.tfstate"),
    "Snapshot": "terraform.tfstate",
    "Snapshot | None": "terraform.tfstate",
    "Selection": 5,
    "str | Release": 5,
    "Release": "1.8",
}


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function by its dotted name."""
    modules = [statefmt, statefmt.testing]
    modules += [one for name in dir(statefmt) if isinstance(one := getattr(statefmt, name), ModuleType)]
    for module in modules:
        for name in module.__all__:
            if isinstance(found := getattr(module, name), FunctionType):
                yield f"{module.__name__}.{name}", found


_FUNCTIONS: Final = dict(_public())
# Every parameter with one of the types above that the call needs.
_PARAMETERS: Final = [
    (name, parameter.name)
    for name, function in _FUNCTIONS.items()
    for parameter in inspect.signature(function).parameters.values()
    if parameter.annotation in _WRONG and parameter.default is parameter.empty
]


def _arguments(function: Callable[..., Any], **changed: object) -> dict[str, object]:
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    named = [one for one in needed if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    return {one.name: changed.get(one.name, _RIGHT.get(str(one.annotation))) for one in named}


def _called(function: Callable[..., Any], arguments: dict[str, object]) -> None:
    result = function(**arguments)
    if isinstance(result, Iterator):
        list(result)


def test_there_are_functions_of_every_module() -> None:
    assert len(_FUNCTIONS) > 150
    assert len(_PARAMETERS) > 50


@each_row("name", _FUNCTIONS)
def test_a_wrong_keyword(name: str) -> None:
    function = _FUNCTIONS[name]
    with pytest.raises(TypeError, match="wrong_keyword"):
        _called(function, _arguments(function) | {"wrong_keyword": 1})


@each_row(("name", "parameter"), _PARAMETERS, ids=map("-".join, _PARAMETERS))
def test_a_wrong_type(name: str, parameter: str) -> None:
    """The message names the argument and what it takes. Where a call fails first for another one, that is named."""
    function = _FUNCTIONS[name]
    wrong = _WRONG[str(inspect.signature(function).parameters[parameter].annotation)]
    with pytest.raises(TypeError) as caught:
        _called(function, _arguments(function, **{parameter: wrong}))
    message = str(caught.value)
    assert " must be " in message
    assert any(one in message for one in inspect.signature(function).parameters) or "a selector" in message


@each_row(
    ("call", "message"),
    [
        (lambda: _LIBRARY.diff("a.tfstate", _SNAPSHOT), "diff(): old must be Snapshot, not str; statefmt.read(data)."),
        (lambda: _LIBRARY.inspect("a.tfstate"), "inspect(): data must be bytes, not str; for a file"),
        (lambda: _LIBRARY.check(Path("a")), "check(): data must be bytes or Snapshot or Inspection, not PosixPath"),
        (lambda: _LIBRARY.check(_DATA, select="SEC"), "check(): select must be Sequence[str] or None, not str"),
        (lambda: _LIBRARY.diff(_SNAPSHOT, _SNAPSHOT, exct=True), "diff() has no argument 'exct' (did you mean 'exact'"),
        (lambda: _LIBRARY.upgrade(_DATA, regisrty="x"), "unknown option 'regisrty' (did you mean 'registry'"),
        (lambda: _LIBRARY.downgrade(_DATA, "1.8", drop_losy=True), "unknown option 'drop_losy' (did you mean"),
        (lambda: _LIBRARY.addrs.parse_module(5), "parse_module(): text must be str, not int"),
        (lambda: _LIBRARY.selection.Criteria(types="aws_vpc"), "Criteria: types must be a tuple, not 'aws_vpc'"),
        (lambda: _LIBRARY.selection.Criteria(typ=("aws_vpc",)), "typ"),
        (lambda: _LIBRARY.operations.unset(_SNAPSHOT, "aws_vpc.main", "tags"), "unset(): paths must be Sequence[str]"),
        (lambda: _LIBRARY.operations.remove(_SNAPSHOT, None), "a selector must be a string, an address or an Instance"),
        (lambda: _LIBRARY.operations.rebind(_SNAPSHOT, "aws_vpc.main", 5), "rebind(): target must be str or"),
    ],
)  # fmt: skip
def test_what_the_message_says(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).startswith(message) or message == "typ" in str(caught.value)


# Filters that are no filters, and what is said of them.
_FILTERS: Final = [
    ({"typ": "aws_vpc"}, "unknown filter 'typ' (did you mean 'type'"),
    ({"index": "a"}, "unknown filter 'index'; the filters are: exclude, type, mode,"),
    ({"status": "tainted"}, "unknown filter 'status'"),
    ({"taint": True}, "unknown filter 'taint' (did you mean 'tainted'"),
    ({"type": None}, "type= must be a string or several, not NoneType"),
    ({"id": 5}, "id= must be a string or several, not int"),
    ({"mode": "resource"}, "mode= must be 'managed' or 'data', not 'resource'"),
    ({"tainted": "no"}, "tainted= must be True or False, not 'no'"),
    ({"provider": 5}, "provider= must be a string or a provider, not int"),
    ({"exclude": 5}, "a selector must be a string, an address or an Instance, not int"),
]
_METHODS: Final[dict[str, Callable[..., object]]] = {
    "select": lambda edit, **filters: edit.select("**", **filters),
    "remove": lambda edit, **filters: edit.remove("**", **filters),
    "rekey": lambda edit, **filters: edit.rekey("**", keys={0: "a"}, **filters),
    "rebind": lambda edit, **filters: edit.rebind("**", "aws", **filters),
    "replace_provider": lambda edit, **filters: edit.replace_provider("a/aws", "b/aws", "**", **filters),
    "taint": lambda edit, **filters: edit.taint("**", **filters),
    "untaint": lambda edit, **filters: edit.untaint("**", **filters),
    "forget_deposed": lambda edit, **filters: edit.forget_deposed("**", **filters),
}


@each_row(("filters", "message"), _FILTERS, ids=[str(filters) for filters, _ in _FILTERS])
@each_row("method", _METHODS)
def test_a_filter_that_is_none(method: str, filters: dict[str, object], message: str, tmp_path: Path) -> None:
    """Nothing is selected without a filter that somebody wanted, and nothing is written."""
    path = tmp_path / "s.tfstate"
    path.write_bytes(_DATA)
    state = statefmt.open(path)
    with pytest.raises(TypeError) as caught, state.edit() as edit:
        _METHODS[method](edit, **filters)
    assert str(caught.value).startswith(message)
    assert path.read_bytes() == _DATA
    if method == "select":
        with pytest.raises(TypeError):
            state.select("**", **filters)  # type: ignore[arg-type]


def test_a_keyword_of_the_operation_is_suggested_too(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    path.write_bytes(_DATA)
    with pytest.raises(TypeError, match="did you mean 'keep_dangling'"), statefmt.open(path).edit() as edit:
        edit.remove("**", keep_dangeling=True)  # type: ignore[call-arg]


def test_operations_take_what_the_methods_take() -> None:
    """Strings, typed addresses and instances choose the same as criteria."""
    [vpc, *_] = [one for one in snapshots.instances(_SNAPSHOT) if str(one.addr).startswith("aws_vpc.main")]
    chosen = selection.Criteria(selectors=(str(vpc.addr),))
    wanted = operations.remove(_SNAPSHOT, chosen).snapshot
    assert operations.remove(_SNAPSHOT, str(vpc.addr)).snapshot == wanted
    assert operations.remove(_SNAPSHOT, vpc.addr).snapshot == wanted
    assert operations.remove(_SNAPSHOT, [vpc.addr]).snapshot == wanted
    assert operations.remove(_SNAPSHOT, statefmt.Instance(vpc)).snapshot == wanted
    moved = operations.move(_SNAPSHOT, "aws_vpc.main", "aws_vpc.net").snapshot
    resource = addrs.parse_abs_resource("aws_vpc.main")
    assert operations.move(_SNAPSHOT, resource, addrs.parse_abs_resource("aws_vpc.net")).snapshot == moved
    text = 'provider["registry.opentofu.org/hashicorp/aws"].by_region["eu-west-1"]'
    bound = operations.rebind(_SNAPSHOT, resource, text).snapshot
    assert operations.rebind(_SNAPSHOT, "aws_vpc.main", addrs.parse_abs_provider_instance(text)).snapshot == bound
    source = addrs.parse_provider_source("hashicorp/aws"), addrs.parse_provider_source("acme/aws")
    replaced = operations.replace_provider(_SNAPSHOT, selection.Criteria(), *source).snapshot
    assert operations.replace_provider(_SNAPSHOT, [], "hashicorp/aws", "acme/aws").snapshot == replaced


def test_one(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    path.write_bytes(_DATA)
    state = statefmt.open(path)
    assert str(state.select("aws_iam_role.app").one()) == "aws_iam_role.app"
    with pytest.raises(statefmt.SelectionError, match=r"one instance is wanted, and 2 are selected:\n  aws_vpc\.main"):
        state.select("aws_vpc.main").one()


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    path.write_bytes(_DATA)
    state = statefmt.open(path)
    attributes = state.select("aws_iam_role.app").one().attributes
    assert attributes.at("nme", None) is None
    assert attributes.at("id", "x") == attributes["id"]
    with pytest.raises(LookupError, match="no attribute nme") as caught:
        attributes.at("nme")
    assert isinstance(caught.value, statefmt.MissingPathError)
    with pytest.raises(statefmt.SelectionError) as invalid:
        attributes.at("a..b", None)
    assert not isinstance(invalid.value, LookupError)
    output = next(iter(state.outputs.values()))
    assert output.at("no_such_thing", 5) == 5


def test_dicts(tmp_path: Path) -> None:
    """Findings, differences and snapshots as values that JSON has."""
    import json

    document = snapshots.as_dict(_SNAPSHOT)
    assert document == json.loads(_DATA)
    later = operations.move(_SNAPSHOT, "aws_vpc.main", "aws_vpc.net").snapshot
    changes = statefmt.diff(_SNAPSHOT, later, moved=operations.move(_SNAPSHOT, "aws_vpc.main", "aws_vpc.net").moved)
    found = json.loads(json.dumps(changes.as_dict()))
    assert found["differs"] is True
    assert found["moves"] == [{"from": "aws_vpc.main", "to": "aws_vpc.net", "instances": 2}]
    assert found["added"] == found["removed"] == []
    [finding, *_] = statefmt.check(_DATA)
    shown = json.loads(json.dumps(finding.as_dict()))
    assert (shown["code"], shown["severity"]) == (finding.code, finding.severity.value)
    assert all(command[0] == "statetool" for command in shown["commands"])
