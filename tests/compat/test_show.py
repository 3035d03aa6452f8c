"""`statetool show --format json` says what `show -json` of the real program says, member by member."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.compat.data_states import data_documents
from tests.compat.program import Program
from tests.compat.states import Document, sweep, text_of

# What statetool says otherwise on purpose. (Numbers are compared by their value: it keeps 1.0, the programs write 1.)
MORE_MEMBERS: Final = {
    "provider_instance": "proposed for OpenTofu, and not there yet",
    "private": "with --show-sensitive everything is shown",
}
HIDDEN: Final = "(sensitive value)"

Shown = Callable[..., Any]


@pytest.fixture
def own(statetool: Statetool, folder: Path) -> Shown:
    """What statetool shows of a state, as JSON."""

    def shown(data: bytes, *options: str) -> Any:
        (folder / "own.tfstate").write_bytes(data)
        result = statetool("show", "--state", "own.tfstate", "--format", "json", *options)
        assert result.status == 0, result.err
        return _read(result.text)

    return shown


@pytest.fixture
def theirs(real: Program, folder: Path) -> Shown:
    """What the real program shows of a state, as JSON."""

    def shown(data: bytes) -> Any:
        (folder / "theirs.tfstate").write_bytes(data)
        result = real.run(folder, "show", "-json", "theirs.tfstate")
        assert result.status == 0, result.err
        return _read(result.out)

    return shown


def _read(text: str) -> Any:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


def _differences(own: Any, theirs: Any, place: str = "") -> list[str]:
    """The places at which the one is not as the other, but for what is on purpose."""
    if isinstance(own, dict) and isinstance(theirs, dict):
        names = (own.keys() - MORE_MEMBERS.keys()) | theirs.keys()
        below = [(f"{place}/{name}", own.get(name, ...), theirs.get(name, ...)) for name in sorted(names)]
    elif isinstance(own, list) and isinstance(theirs, list) and len(own) == len(theirs):
        below = [(f"{place}/{i}", *pair) for i, pair in enumerate(zip(own, theirs, strict=True))]
    elif "/sensitive_values/" in place and own is True and isinstance(theirs, list):
        # A list that is sensitive in part: in a value of any type, statetool hides all of it.
        return []
    else:
        return [] if own == theirs else [f"{place}: {own} and {theirs}"]
    return [difference for each in below for difference in _differences(each[1], each[2], each[0])]


def _uncovered(shown: Any, marks: Any, place: str = "") -> list[str]:
    """The places that the real program marks as sensitive and that are shown."""
    if shown == HIDDEN or not marks or shown in (None, {}, []):
        return []
    if marks is True:
        return [place]
    pairs = marks.items() if isinstance(marks, dict) else enumerate(marks)
    return [each for step, mark in pairs for each in _uncovered(shown[step], mark, f"{place}/{step}")]


def _resources(module: Any) -> list[Any]:
    below = [each for child in module.get("child_modules", ()) for each in _resources(child)]
    return [*module.get("resources", ()), *below]


@pytest.mark.parametrize("name", ["v4-check-results.tfstate", "v4-empty.tfstate"])
def test_samples(name: str, own: Shown, theirs: Shown) -> None:
    data = (SAMPLES / name).read_bytes()
    assert _differences(own(data, "--show-sensitive"), theirs(data)) == []


def test_generated(real: Program, own: Shown, theirs: Shown) -> None:
    def holds(document: Document) -> None:
        data = text_of(document)
        assert _differences(own(data, "--show-sensitive"), theirs(data)) == []

    sweep(real, data_documents(), holds)


def test_nothing_sensitive_is_shown(real: Program, own: Shown, theirs: Shown) -> None:
    def holds(document: Document) -> None:
        hidden, values = (shown(text_of(document)).get("values", {}) for shown in (own, theirs))
        marked = [resource["sensitive_values"] for resource in _resources(values.get("root_module", {}))]
        shown = [resource["values"] for resource in _resources(hidden.get("root_module", {}))]
        assert [_uncovered(*pair) for pair in zip(shown, marked, strict=True)] == [[]] * len(marked)
        outputs = {name: output["value"] for name, output in hidden.get("outputs", {}).items()}
        secret = [name for name, output in values.get("outputs", {}).items() if output["sensitive"]]
        assert [outputs[name] for name in secret] == [HIDDEN] * len(secret)

    sweep(real, data_documents(), holds)
