"""Every member of a plan's JSON: what each command does with it is what docs/plan-json.md says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from statefmt.analysis.moves import propose_moves
from statefmt.analysis.plans.bindings import PlanBindings, plan_variables
from statefmt.analysis.plans.members import unknown_pointers
from statefmt.configuration import LoadOptions, load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import inspect
from statefmt.lifecycle.plan import PlanError, ShownPlan
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.verification import verify
from statefmt.lint.check import check_plan
from statefmt.lint.plan_subject import PlanSubject
from statefmt.lint.settings import ProtectedTags, RuleSettings
from statefmt.model.snapshot import Snapshot
from statefmt.render.diff import Manner
from statefmt.render.plan import plan_text, remarks
from statefmt.render.plan_json import plan_json
from statefmt.render.terminal import UNLIMITED, Terminal
from tests.lifecycle.every_member import AFTER, BARE, BEFORE, CONFIGURATION, NESTED, PLAN
from tests.lifecycle.plan_members import members, occurrences
from tests.tables import each_row

_PAGE: Final = Path(__file__).parents[2] / "docs" / "plan-json.md"
_ROW: Final = re.compile(r"\| `(\w+\.\w+\.\w+)` \| (\S+) \| (\S+)((?: \| (?:yes|no)){4}) \| (.+) \|")
_DOCUMENTS: Final = (PLAN, BARE)
_TAGS: Final = RuleSettings(pln001=ProtectedTags(tags={"a": "x"}))


def _shown(plan: ShownPlan, directory: Path) -> object:
    references = ProviderReferences(load(directory, LoadOptions(variables=plan_variables(plan, "plan.json"))))
    bindings = PlanBindings(plan, references, _snapshot(BEFORE))
    return list(plan_text(plan, bindings, Manner(), Terminal(UNLIMITED)))


def _checked(plan: ShownPlan, _: Path) -> object:
    return check_plan(PlanSubject(plan, _snapshot(BEFORE), "before.tfstate", _TAGS))


def _verified(plan: ShownPlan, _: Path) -> object:
    return [*remarks(plan), verify(plan, _snapshot(BEFORE), _snapshot(AFTER))]


def _moved(plan: ShownPlan, _: Path) -> object:
    return [*remarks(plan), propose_moves({"": plan})]


def _snapshot(document: Any) -> Snapshot:
    found = inspect(json.dumps(document).encode()).snapshot
    assert found is not None
    return found


_COMMANDS: Final[Mapping[str, Callable[[ShownPlan, Path], object]]] = {
    "plan-show": _shown, "check --plan": _checked, "verify": _verified, "moves": _moved,
}  # fmt: skip
# Other values of members that only have certain ones.
_ONE_OF: Final[Mapping[str, tuple[Any, ...]]] = {
    "actions": (["no-op"], ["update"], ["delete"], ["delete", "create"]),
    "mode": ("managed", "data"),
    "status": ("pass", "fail", "error", "unknown"),
}
_Answers: TypeAlias = tuple[str, ...]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration of the plan."""
    path: Path = tmp_path_factory.mktemp("configuration")
    (path / "net").mkdir()
    (path / "main.tf").write_text(CONFIGURATION, encoding="utf-8")
    (path / "net" / "main.tf").write_text(NESTED, encoding="utf-8")
    return path


def _answers(document: Any, directory: Path) -> _Answers:
    """Return what each command finds in a plan; nothing if it is not one."""
    try:
        plan = read_plan(json.dumps(document).encode())
    except PlanError:
        return ()
    return tuple(repr(command(plan, directory)) for command in _COMMANDS.values())


def _variants(document: Any, member: str) -> Iterator[tuple[Any, Any]]:
    """Yield the value of a member at each of its places, and a plan with another one there."""
    name = member.rpartition(".")[2]
    values = [holder[name] for found, holder in occurrences(document) if found == member]
    for place, value in enumerate(values):
        for other in _others(name, value):
            changed = _copied(document)
            [holder for found, holder in occurrences(changed) if found == member][place][name] = other
            yield value, changed


def _others(name: str, value: Any) -> Iterator[Any]:
    if name in _ONE_OF:
        yield from (each for each in _ONE_OF[name] if each != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield from ("", f"{value}x", "9.9")
    elif isinstance(value, list):
        yield []
        if value and isinstance(value[0], str):
            yield ["x"]
    elif isinstance(value, dict):
        yield None
        yield from ({name: inside for name, inside in value.items() if name != part} for part in value)
        yield from ({**value, part: "x"} for part, inside in value.items() if isinstance(inside, str))


def _used(member: str, directory: Path) -> tuple[str, ...]:
    """Return the commands for which a member makes a difference."""
    found: set[str] = set()
    for document in _DOCUMENTS:
        expected = _answers(document, directory)
        for value, variant in _variants(document, member):
            answers = _answers(variant, directory)
            if answers:
                found |= {name for name, *sides in zip(_COMMANDS, answers, expected, strict=True) if len({*sides}) > 1}
            elif isinstance(value, str):
                # All refuse the plan. An object or a list may lack a part that is required.
                found |= _COMMANDS.keys()
    return tuple(name for name in _COMMANDS if name in found)


@cache
def _rows() -> Mapping[str, re.Match[str]]:
    found = list(filter(None, map(_ROW.fullmatch, _PAGE.read_text(encoding="utf-8").splitlines())))
    assert len({row[1] for row in found}) == len(found)
    return {row[1]: row for row in found}


def test_the_page_has_the_members_that_releases_write() -> None:
    releases = {name: (one.get("terraform", "-"), one.get("opentofu", "-")) for name, one in members().items()}
    assert {name: row.group(2, 3) for name, row in _rows().items()} == releases


def test_the_plan_has_every_member() -> None:
    assert {member for member, _ in occurrences(PLAN)} == members().keys()
    assert unknown_pointers(read_plan(json.dumps(PLAN).encode())) == ()


@each_row("member", members(), sample=60)
def test_what_commands_do_with_a_member(member: str, directory: Path) -> None:
    said = [cell.strip() for cell in _rows()[member][4].split("|")[1:]]
    assert said == ["yes" if name in _used(member, directory) else "no" for name in _COMMANDS]


@each_row("member", members())
def test_an_unknown_member_beside_it_is_named_and_hidden(member: str, directory: Path) -> None:
    """Except among the expressions of a block, which have the names of its arguments."""
    document = _copied(PLAN)
    every = list(occurrences(document))
    arguments = [each for found, one in every if found.endswith(".expressions") for each in one["expressions"].values()]
    for found, holder in every:
        if found == member and not any(holder is each for each in arguments):
            holder["novel"] = "hush"
    text = json.dumps(document).encode()
    assert b"hush" in text
    plan = read_plan(text)
    assert [each.rpartition("/")[2] for each in unknown_pointers(plan)] == ["novel"]
    bindings = PlanBindings(plan, ProviderReferences(load(directory, LoadOptions())), None)
    assert b"hush" not in plan_json(plan, bindings, show_sensitive=False)


def _copied(document: Any) -> Any:
    """Return a copy whose parts are one object each."""
    return json.loads(json.dumps(document))
