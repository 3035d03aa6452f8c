"""SQL over an index says what `list`, `providers`, `outputs` and `check` say about each state."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main
from statefmt.fleet import query
from tests.cli.conftest import Statetool
from tests.fleet.generated import generated_states, recorded_states, sample_states

pytest.importorskip("duckdb")

_MASK: Final = "(sensitive value)"


@pytest.fixture(scope="module")
def made_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agreement")
    (folder / "fleet").mkdir()
    for number, state in enumerate([*generated_states(), *recorded_states(4), *sample_states()]):
        (folder / f"fleet/{number:03}.tfstate").write_bytes(state)
    with chdir(folder):
        assert main(["fleet", "index", "fleet", "--into", "index"]) == 2, "some states are broken"
    return folder / "index"


@pytest.fixture
def index(made_index: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made_index.parent)
    return made_index


@pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_what_commands_say(share: int, index: Path, statetool: Statetool) -> None:
    names = {Path(uri).name: state_id for state_id, uri in query(index, "SELECT state_id, uri FROM states").rows}
    unreadable = {row[0] for row in query(index, "SELECT state_id FROM states WHERE error IS NOT NULL").rows}
    assert len(names) >= 250
    assert len(names) - len(unreadable) >= 200
    objects, bound, outputs = _by_state(index, _OBJECTS), _by_state(index, _BOUND), _by_state(index, _OUTPUTS)
    masked = 0
    for name, state_id in sorted(names.items())[::share]:
        path = f"fleet/{name}"
        listed = statetool("list", "--long", "--format", "json", "--state", path)
        assert (listed.status == 2) == (state_id in unreadable), name
        if state_id in unreadable:
            assert not objects[state_id]
            continue
        wanted = sorted(_listed(json.loads(listed.out)))
        assert len(objects[state_id]) == len(wanted), name
        for found, one in zip(sorted(objects[state_id]), wanted, strict=True):
            hidden = [at for at, part in enumerate(found) if _MASK in str(part) and part != one[at]]
            masked += len(hidden)
            assert [part for at, part in enumerate(found) if at not in hidden] == [
                part for at, part in enumerate(one) if at not in hidden
            ], name
        providers = json.loads(statetool("providers", "--format", "json", path).out)
        assert {address: counts for address, *counts in bound[state_id]} == _counts(providers), name
        shown = json.loads(statetool("outputs", "--format", "json", path).out)
        assert dict(outputs[state_id]) == _types(shown), name
    # Hardly anything repeats a secret.
    assert masked <= 10


def test_what_check_says(index: Path, statetool: Statetool) -> None:
    checked = json.loads(statetool("check", "fleet", "--format", "json").out)
    found = _by_state(index, "SELECT uri, code, severity, address FROM findings JOIN states USING (state_id)")
    assert len(checked["files"]) >= 250
    total = 0
    for file in checked["files"]:
        wanted = Counter((one["code"], one["severity"], one["address"]) for one in file["findings"])
        assert Counter(found[str(Path(file["path"]).absolute())]) == wanted, file["path"]
        total += wanted.total()
    assert total >= 500


_OBJECTS: Final = """
    SELECT objects.state_id, objects.address, module, mode, type, name, key, deposed, remote_id, provider_instance,
        status, objects.schema_version
    FROM objects JOIN resources ON resources.state_id = objects.state_id AND resources.address = objects.resource
"""
_BOUND: Final = """
    SELECT state_id, provider_instance, count(*) FILTER (deposed = ''), count(*) FILTER (deposed != '')
    FROM objects WHERE provider_instance IS NOT NULL GROUP BY ALL
"""
_OUTPUTS: Final = "SELECT state_id, name, sensitive FROM outputs"


def _by_state(index: Path, sql: str) -> Mapping[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for state, *row in query(index, sql).rows:
        found.setdefault(state, []).append(tuple("" if part is None else part for part in row))
    return _Found(found)


class _Found(dict[str, list[tuple[Any, ...]]]):
    def __missing__(self, name: str) -> list[tuple[Any, ...]]:
        return []


def _listed(document: Any) -> Iterator[tuple[Any, ...]]:
    for one in document["instances"]:
        key = "" if one["key"] is None else str(one["key"])
        for each in one["objects"]:
            yield (
                *(one["address"], one["module"], one["mode"], one["type"], one["name"], key),
                *(each["deposed_key"] or "", each["id"] or "", each["provider_instance"] or ""),
                *(each["status"], each["schema_version"]),
            )


def _counts(document: Any) -> dict[str, list[int]]:
    return {
        instance["address"]: [instance["resource_instances"], instance["deposed_objects"]]
        for one in document["configurations"]
        for instance in one["instances"]
    }


def _types(document: Any) -> dict[str, bool]:
    return {one["name"]: one["sensitive"] for one in document["outputs"]}
