"""Whatever a file holds: a result or a StateError, and what was read can be written."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import assume, example, given, reject, strategies as st

import statefmt
from statefmt.testing._odd_states import COMPACT, layouts, render, trees
from tests.formats.recorded import CASES, input_of
from tests.property.strategies import states

# All formats and all defects: what is bent further below.
_RECORDED: Final = [input_of(case) for case in CASES]
_ENVELOPE: Final = (
    b'{"serial":7,"lineage":"l","meta":{"key_provider.pbkdf2.main":"eyJzYWx0IjoiIn0="},"encrypted_data":"QQ==",'
    b'"encryption_version":"v0"}'
)
_OTHER_VALUES: Final = (
    "null", "true", "0", "-1", "1.5", "1e400", "18446744073709551616", '""', '"x"', '"\\ud800"', "[]", "[null]", "{}",
    '{"a":{}}', "[" * 400 + "]" * 400,
)  # fmt: skip


def _is_clean(data: bytes) -> bool:
    """Whether the data is read; where it is, it can be written, and keeps every byte if nothing is changed."""
    inspection = statefmt.inspect(data)
    try:
        result = statefmt.read(data)
    except statefmt.StateError as error:
        assert error.reasons
        assert error.findings == inspection.findings
        assert inspection.snapshot is None
        return False
    assert result.findings == inspection.findings
    assert all(finding.severity is not statefmt.Severity.ERROR for finding in result.findings)
    assert statefmt.inspect(statefmt.write(result.snapshot)).version == 4
    untouched = statefmt.write(result.snapshot, canonical=False)
    assert result.version < 4 or untouched == data
    return True


@given(st.binary(max_size=40) | st.binary(max_size=40).map(lambda tail: b'{"version":4,' + tail))
@example(b"")
@example(b"tfstate")
def test_any_bytes(data: bytes) -> None:
    _is_clean(data)


@given(trees, layouts)
def test_any_json(tree: Any, layout: Any) -> None:
    _is_clean(render(tree, layout).encode())


@given(
    st.sampled_from(range(1, 7)),
    st.dictionaries(
        st.sampled_from(("serial", "lineage", "outputs", "resources", "modules", "check_results", "terraform_version")),
        trees,
    ),
)
def test_any_members(version: int, members: dict[str, Any]) -> None:
    inner = "".join(f',"{name}":{render(tree, COMPACT)}' for name, tree in members.items())
    _is_clean(f'{{"version":{version}{inner}}}'.encode())


@given(st.data())
def test_bytes_changed_in_a_recorded_state(data: st.DataObject) -> None:
    text = bytearray(data.draw(st.sampled_from(_RECORDED).filter(bool)))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.sampled_from((start, start + 1, start + 20)))
        text[start:end] = data.draw(st.binary(max_size=3) | st.sampled_from((b'"', b"{", b"]", b",", b"\xff", b"0")))
        assume(text)
    _is_clean(bytes(text))


@given(st.data())
def test_a_value_swapped_in_a_recorded_state(data: st.DataObject) -> None:
    """Any value becomes one of another kind, wherever it stands."""
    text = data.draw(st.sampled_from(_RECORDED))
    try:
        document = json.loads(text)
    except ValueError:
        reject()
    places: list[tuple[Any, Any]] = []
    stack = [document]
    while stack:
        node = stack.pop()
        inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for name, value in inside:
            places.append((node, name))
            stack.append(value)
    if places:
        node, name = data.draw(st.sampled_from(places))
        node[name] = "<HERE>"
        swapped = json.dumps(document).replace('"<HERE>"', data.draw(st.sampled_from(_OTHER_VALUES)))
        _is_clean(swapped.encode())


@given(states(), st.data())
def test_a_generated_state_cut_short(state: Any, data: st.DataObject) -> None:
    text = state.data.rstrip(b" \t\r\n")
    assert not _is_clean(text[: data.draw(st.integers(0, len(text) - 1))])


def _formats() -> list[Any]:
    """A recorded state of each format, and an envelope."""
    found = [_ENVELOPE]
    for version in (1, 2, 3, 4):
        sizes = [
            data
            for data in _RECORDED
            if statefmt.inspect(data).version == version and statefmt.inspect(data).snapshot and 500 < len(data) < 1500
        ]
        found.append(sizes[0])
    return [pytest.param(data, id=name) for data, name in zip(found, ("envelope", "v1", "v2", "v3", "v4"), strict=True)]


@pytest.mark.parametrize("data", _formats())
def test_truncated_at_any_byte(data: bytes) -> None:
    text = data.rstrip()
    for length in range(len(text)):
        with pytest.raises(statefmt.StateError):
            statefmt.read(text[:length])
