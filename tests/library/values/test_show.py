"""What `statetool show` hides is exactly what is a Sensitive, and what it shows is what the library gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import statefmt
from statefmt.cli.main import main
from statefmt.library.values import Attributes, Output, ResourceIdentity, Sensitive
from statefmt.model.errors import SelectionError
from statefmt.model.findings import Severity
from statefmt.model.snapshot import Snapshot, instances
from tests.cli.states import resource, state
from tests.formats.recorded import CASES, input_of
from tests.library.values.values import Text, as_texts, told

SAMPLES: Final = Path(__file__).parents[3] / "samples"
# Commands refuse states that belong to a backend and those that are not UTF-8.
_REFUSED: Final = ("STA012", "STA013")
_MASK: Final = "(sensitive value)"
_WRAPPING: Final = ["value", "type"]

Show = Callable[..., dict[str, Any]]


def _is_shown(data: bytes) -> bool:
    """Whether `show` takes a state."""
    findings = statefmt.inspect(data).findings
    return not any(finding.severity is Severity.ERROR or finding.code in _REFUSED for finding in findings)


_READABLE: Final = [path for path in sorted(SAMPLES.rglob("*.tfstate")) if _is_shown(path.read_bytes())]


@pytest.fixture
def show(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Show:
    """Run `statetool show --format json` on a state, and decode what it prints; numbers are their texts."""

    def call(data: bytes, *options: str) -> dict[str, Any]:
        path = tmp_path / "terraform.tfstate"
        path.write_bytes(data)
        capfdbinary.readouterr()
        assert main(["show", "--state", str(path), "--format", "json", *options]) == 0
        shown: dict[str, Any] = json.loads(capfdbinary.readouterr().out, parse_int=Text, parse_float=Text)
        return shown

    return call


def _resources(module: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from module.get("resources", ())
    for child in module.get("child_modules", ()):
        yield from _resources(child)


def _objects(snapshot: Snapshot) -> dict[tuple[str, str], Attributes]:
    return {
        (str(instance.addr), obj.deposed): Attributes(obj, instance.resource.addr.resource.type)
        for instance in instances(snapshot)
        for obj in instance.objects
    }


def _identities(snapshot: Snapshot) -> dict[tuple[str, str], ResourceIdentity]:
    return {
        (str(instance.addr), obj.deposed): ResourceIdentity(obj, instance.resource.addr.resource.type)
        for instance in instances(snapshot)
        for obj in instance.objects
    }


def _hidden(shape: Any) -> Any:
    """What is sensitive by a `sensitive_values`, in which true is what is hidden: places, down to True."""
    if isinstance(shape, bool):
        return shape
    parts = enumerate(shape) if isinstance(shape, list) else shape.items()
    return {place: part for place, item in parts if (part := _hidden(item))}


def _sensitive(value: Any) -> Any:
    """The same by the library: where there are Sensitives."""
    if isinstance(value, Sensitive):
        return True
    if isinstance(value, tuple):
        return {place: part for place, item in enumerate(value) if (part := _sensitive(item))}
    if isinstance(value, Mapping):
        return {name: part for name, item in value.items() if (part := _sensitive(item))}
    return {}


def _masked(value: Any) -> Any:
    """A value as `show` prints it."""
    if isinstance(value, Sensitive):
        return str(value)
    if isinstance(value, tuple):
        return tuple(_masked(item) for item in value)
    if isinstance(value, Mapping):
        return {name: _masked(item) for name, item in value.items()}
    return value if value is None or isinstance(value, (bool, str)) else Text(value)


def _leaves(found: Any) -> int:
    return 1 if found is True else sum(map(_leaves, found.values()))


def _agrees(data: bytes, show: Show) -> int:
    """Compare all values of a state, and return how many are sensitive."""
    snapshot = statefmt.read(data).snapshot
    hidden, plain = show(data).get("values", {}), show(data, "--show-sensitive").get("values", {})
    return _objects_agree(snapshot, hidden, plain) + _outputs_agree(snapshot, hidden, plain)


def _objects_agree(snapshot: Snapshot, hidden: dict[str, Any], plain: dict[str, Any]) -> int:
    objects, identities = _objects(snapshot), _identities(snapshot)
    number = 0
    both = zip(_resources(hidden.get("root_module", {})), _resources(plain.get("root_module", {})), strict=True)
    for shown, revealed in both:
        place = shown["address"], shown.get("deposed_key", "")
        attributes = objects.pop(place)
        number += _identity_agrees(identities[place], shown.get("identity"), revealed.get("identity"))
        number += len(attributes.sensitive)
        if not isinstance(revealed["values"], dict):
            assert (dict(attributes), attributes.sensitive) == ({}, ())
            assert json.loads(attributes.raw, parse_int=Text, parse_float=Text) == revealed["values"]
            continue
        assert as_texts(dict(attributes)) == told(revealed["values"])
        if shown["sensitive_values"] is True:
            assert shown["values"] == _MASK
            assert all(isinstance(value, Sensitive) for value in attributes.values())
            _check_paths(attributes)
            continue
        assert _masked(attributes) == told(shown["values"])
        assert _sensitive(attributes) == _hidden(shown["sensitive_values"])
        _check_paths(attributes)
    assert objects == {}
    return number


def _identity_agrees(identity: ResourceIdentity, shown: Any, revealed: Any) -> int:
    """Compare the identity of an object, and return how many of its parts are sensitive."""
    paths = identity.sensitive
    assert (identity.raw is None) is (revealed is None)
    if not isinstance(revealed, dict):
        assert (dict(identity), paths) == ({}, ())
        return 0
    assert as_texts(dict(identity)) == told(revealed)
    assert len(paths) == _leaves(_sensitive(identity))
    if shown == _MASK:
        assert all(isinstance(value, Sensitive) for value in identity.values())
    else:
        assert _masked(identity) == told(shown)
    return len(paths)


def _outputs_agree(snapshot: Snapshot, hidden: dict[str, Any], plain: dict[str, Any]) -> int:
    outputs = {output.name: Output(output) for output in snapshot.outputs}
    shown = hidden.get("outputs", {})
    assert shown.keys() == outputs.keys()
    for name, output in outputs.items():
        assert output.sensitive is isinstance(output.value, Sensitive) is shown[name]["sensitive"]
        assert _masked(output.value) == told(shown[name]["value"])
        assert as_texts(output.value) == told(plain["outputs"][name]["value"])
        assert json.loads(output.raw, parse_int=Text, parse_float=Text) == plain["outputs"][name]["value"]
    return sum(output.sensitive for output in outputs.values())


def _check_paths(attributes: Attributes) -> None:
    paths = attributes.sensitive
    assert len(set(paths)) == len(paths) == _leaves(_sensitive(attributes))
    for path in paths:
        # The parser of paths normalises names.
        if path.isascii():
            assert isinstance(attributes.at(path), Sensitive)


@pytest.mark.parametrize("path", _READABLE, ids=lambda path: path.name)
def test_samples(path: Path, show: Show) -> None:
    _agrees(path.read_bytes(), show)


@pytest.mark.parametrize("share", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_recorded_states(share: int, show: Show) -> None:
    """Of each recorded state that can be read: all values survive, and those that `show` hides are hidden."""
    number = compared = 0
    for case in CASES[::share]:
        data = input_of(case)
        if not _is_shown(data):
            continue
        try:
            number += _agrees(data, show)
        except (AssertionError, LookupError) as error:
            raise AssertionError(case["id"]) from error
        compared += 1
    assert compared > 800 / share
    assert number > 100 / share


def _step(key: object) -> dict[str, object]:
    of = "number" if isinstance(key, int) else "string"
    return {"type": "index", "value": {"value": key, "type": of}}


_NAMES: Final = st.sampled_from(["p", "k", "a b", "0", "value", "type", "e\u0301"])
_LEAVES: Final = st.sampled_from(["hunter2", "string", None, True, 1, 2.50])
_VALUES: Final = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=12
)
_STEPS: Final = (
    _NAMES.map(lambda name: {"type": "get_attr", "value": name})
    | st.sampled_from(["k", "0", "\u00e9", 0, 1, -1]).map(_step)
    | st.just({"type": "index", "value": {"value": {"k": "x"}, "type": ["object", {"k": "string"}]}})
)


def _instances(values: list[tuple[dict[str, object], list[list[dict[str, object]]]]]) -> bytes:
    found = [
        {"index_key": place, "attributes": attributes, "sensitive_attributes": paths}
        for place, (attributes, paths) in enumerate(values)
    ]
    return state(resource("a", "b", *found))


@given(
    st.lists(
        st.tuples(st.dictionaries(_NAMES, _VALUES, max_size=3), st.lists(st.lists(_STEPS, max_size=4), max_size=3)),
        max_size=20,
    )
)
@settings(suppress_health_check=list(HealthCheck))
def test_generated_states(show: Show, values: list[tuple[dict[str, object], list[list[dict[str, object]]]]]) -> None:
    # The root itself is never a wrapped value, though `show` takes it for one.
    _agrees(_instances([(attributes, paths) for attributes, paths in values if list(attributes) != _WRAPPING]), show)


@given(
    st.dictionaries(_NAMES | st.sampled_from(["secret_id", "api_token"]), _VALUES, max_size=4),
    st.lists(st.lists(_STEPS, max_size=3), max_size=2),
)
@settings(suppress_health_check=list(HealthCheck))
def test_identities(show: Show, identity: dict[str, object], paths: list[list[dict[str, object]]]) -> None:
    members = {"attributes": {}, "sensitive_attributes": paths, "identity": identity, "identity_schema_version": 2}
    data = state(resource("a", "b", members))
    if list(identity) != _WRAPPING:
        _agrees(data, show)
    (found,) = _identities(statefmt.read(data).snapshot).values()
    assert found.schema_version == 2


_FLAT_NAMES: Final = st.sampled_from(
    ["id", "password", "tags.%", "tags.Name", "rule.#", "rule.0.port", "rule.0.api_key", "rule.3112.token", "note"]
)


@given(
    st.dictionaries(_FLAT_NAMES, st.sampled_from(["1", "hunter2", "true", "", "x"]), max_size=6),
    st.lists(st.sampled_from(["note", "tags", "rule", "id", "x"]), max_size=2),
)
@settings(suppress_health_check=list(HealthCheck))
def test_flat_attributes(show: Show, flat: dict[str, str], names: list[str]) -> None:
    paths = [[{"type": "get_attr", "value": name}] for name in names]
    data = state(resource("a", "b", {"attributes": None, "attributes_flat": flat, "sensitive_attributes": paths}))
    _agrees(data, show)


@pytest.mark.parametrize("path", ["password", "p", "p.k", "l[0]", "l[1].k", "l[9]", "any.k", "x", "x[", "any.z", "n.x"])
def test_at_and_the_option_attr(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], path: str) -> None:
    """`at()` takes what `show --attr` takes, refuses what it refuses, and says why in the same words."""
    data = state(
        resource(
            "a",
            "b",
            {
                "attributes": {
                    "password": "hunter2",
                    "p": {"k": 1.50},
                    "l": ["x", {"k": None}],
                    "n": None,
                    "any": {"value": {"k": [1]}, "type": ["map", ["list", "number"]]},
                },
                "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
            },
        )
    )
    (attributes,) = _objects(statefmt.read(data).snapshot).values()
    file = tmp_path / "terraform.tfstate"
    file.write_bytes(data)
    status = main(["show", "a.b", "--state", str(file), "--attr", path, "--format", "json"])
    shown, message = capfdbinary.readouterr()
    try:
        value = attributes.at(path)
    except SelectionError as error:
        assert (status, str(error) in message.decode()) == (2, True)
        return
    if isinstance(value, Sensitive):
        assert status == 2
        assert b"password of a.b is sensitive" in message
    else:
        assert status == 0
        assert as_texts(value) == told(json.loads(shown, parse_int=Text, parse_float=Text)["value"])
