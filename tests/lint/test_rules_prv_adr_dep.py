"""What the fixtures of the provider, address and dependency rules cannot show."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given, strategies as st

from statefmt.analysis.cycles import cyclic_groups, short_cycles
from statefmt.formats.reading import inspect
from statefmt.lint.check import check
from statefmt.lint.registry import all_pages
from statefmt.lint.rules import dep as graphs
from statefmt.lint.rules.adr import adr008_duplicate_remote_object as adr008
from statefmt.lint.subject import Subject
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding, Severity
from statefmt.redaction.object_value import SCOPES
from statefmt.render.findings import fix_text
from tests.formats.recorded import CASES, Case, input_of
from tests.lint.good_states import found_in_good_states
from tests.lint.true_findings_prv_adr_dep import TRUE_FINDINGS
from tests.tables import each_row

_HERE: Final = Path(__file__).parent
_OURS: Final = ("PRV", "ADR", "DEP")
_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_TERRAFORM_AWS: Final = 'provider["registry.terraform.io/hashicorp/aws"]'
_FAILING: Final = sorted(path for prefix in _OURS for path in _HERE.glob(f"{prefix}*/fail-*.tfstate"))


def _resource(address: str, *instances: dict[str, Any] | None, provider: str = _AWS, **more: Any) -> dict[str, Any]:
    module, kind, name = ("", *address.split(".")) if address.count(".") == 1 else address.rsplit(".", 2)
    return {"module": module, "mode": "managed", "type": kind, "name": name, "provider": provider, **more} | {
        "instances": list(instances)
    }


def _text(*resources: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"version": 4, "resources": list(resources), **more}).encode()


def _found(code: str, *resources: dict[str, Any]) -> list[Finding]:
    return check(_text(*resources), select=[code])


def _depending(edges: dict[str, Sequence[str]]) -> list[dict[str, Any]]:
    return [_resource(address, {"dependencies": list(targets)}) for address, targets in edges.items()]


# --- the recorded states


def _evidence(finding: Finding) -> str:
    if finding.code == "PRV009":
        return " + ".join(re.findall(r"(\d+) with providers from", finding.detail))
    if finding.code == "DEP002":
        target = re.search(r"depends on (.*), which", finding.detail)
        assert target
        return f"{finding.address} -> {target[1]}"
    return finding.address


def test_what_is_found_in_good_states_is_true() -> None:
    assert found_in_good_states(_OURS, _evidence) == TRUE_FINDINGS


_BAD_BINDINGS: Final = [case for case in CASES if case["group"] == "provider-binding" and case["diagnostics"]]


@each_row("case", _BAD_BINDINGS, ids=[case["id"] for case in _BAD_BINDINGS])
def test_bindings_that_opentofu_refuses_or_warns_about(case: Case) -> None:
    needed = max(Severity(found["severity"]).rank for found in case["diagnostics"] if found["severity"] != "panic")
    assert max((finding.severity.rank for finding in check(input_of(case))), default=-1) >= needed


# --- commands and pages


@each_row("code", sorted({path.parent.name for path in _FAILING}))
def test_the_page_gives_the_severity_and_its_reason(code: str) -> None:
    page = all_pages()[code]
    if code >= "ADR006" and code not in ("DEP001", *(f"PRV00{n}" for n in range(1, 7))):
        reasons = {"error": "error", "warning": "a warning", "info": "information"}
        why = page.text.split("## Why is this bad?")[1].split("## Example")[0]
        assert reasons[page.rule.severity.value] in why


def test_two_runs_say_the_same_to_the_byte() -> None:
    program = (
        "import sys; from statefmt.lint.check import check\n"
        "for path in sys.argv[1:]: print(*check(open(path, 'rb').read()), sep='\\n')"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program, *map(str, _FAILING)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(_HERE.parents[1])},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


# --- what findings say


@each_row(
    ("code", "resources", "says"),
    [
        pytest.param(
            "ADR007",
            [_resource("t.n", *({"index_key": key} for key in (0, 2, 3, 7)))],
            "up to 7, of which 4 are missing: 1, 4 to 6.",
            id="gaps",
        ),
        pytest.param(
            "ADR007",
            [_resource("t.n", *({"index_key": key} for key in range(1, 20, 2)))],
            "of which 10 are missing: 0, 2, 4, 6, 8 and 5 more gaps.",
            id="many gaps",
        ),
        pytest.param("ADR007", [_resource("t.n", {"index_key": 1.0})], "of which 1 is missing: 0.", id="a gap"),
        pytest.param(
            "ADR006",
            [_resource("t.n", {"index_key": 0}, {"index_key": 1.0}, {"index_key": "a"}, None)],
            "2 with a number (such as t.n[0]), 1 with a string (such as t.n[\"a\"]), 1 without a key (such as t.n).",
            id="all kinds of keys",
        ),
        pytest.param(
            "ADR008",
            [_resource("t.n", *({"index_key": key, "attributes": {"id": "x"}} for key in range(4)))],
            "t.n[0] and t.n[1] and 2 more have the same id",
            id="one object under four addresses",
        ),
        pytest.param(
            "DEP002",
            [_resource("t.n", *({"index_key": key, "dependencies": ["t.gone"]} for key in range(3)))],
            "t.n depends on t.gone, which is not in the state (in 3 objects).",
            id="all instances depend on what is gone",
        ),
        pytest.param(
            "DEP002",
            [_resource("t.n", {"dependencies": ["t.gone"], "depends_on": ["t.gone[0]"]})],
            "(in 1 object)",
            id="one object says it twice",
        ),
        pytest.param(
            "DEP005",
            [_resource("t.n", {"dependencies": ["t.a", "t.a", "t.a"]})],
            "t.n lists t.a more than once in the dependencies of an object (in 1 object).",
            id="three times is once too",
        ),
        pytest.param(
            "DEP004",
            _depending({"t.a": ["t.b"], "t.b": ["t.c", "t.d"], "t.c": ["t.d"], "t.d": ["t.a"]}),
            "in a cycle: t.a -> t.b -> t.d -> t.a. 1 more in cycles with these.",
            id="a shortest cycle",
        ),
        pytest.param(
            "DEP004",
            _depending({f"t.n{n:02}": [f"t.n{(n + 1) % 30:02}"] for n in range(30)}),
            "-> t.n08 -> t.n09 -> (20 more) -> t.n00.",
            id="a long cycle",
        ),
        pytest.param(
            "PRV007",
            [_resource("t.n", {}, provider="provider.aws.west")],
            't.n has the provider address provider.aws.west, which names the type "aws"',
            id="legacy",
        ),
        pytest.param(
            "PRV008",
            [_resource('module.a.module.b["x"].module.c[0].t.n', {}, provider=f"module.a.module.b.module.c.{_AWS}")],
            'declared in module.a.module.b.module.c, but module.a.module.b["x"] has a key',
            id="the outermost key",
        ),
        pytest.param(
            "PRV009",
            [
                _resource("t.a", {}, provider=_TERRAFORM_AWS),
                _resource("t.b", {}, {"provider": f"{_TERRAFORM_AWS}.x"}, provider=_TERRAFORM_AWS),
                _resource("t.c", {}),
                _resource("u.c", {}, provider='provider["random"]'),
                _resource("u.d", {}, provider='provider["random"]'),
            ],
            "2 with providers from registry.terraform.io (such as t.a) and 3 with providers from registry.opentofu.org "
            "(such as t.c). Providers used from both: hashicorp/aws.",
            id="each resource counts once",
        ),
        pytest.param(
            "PRV010",
            [_resource("t.n", {"index_key": 0}, {"index_key": 1, "provider": f'{_AWS}.r["x"]'}, provider=f"{_AWS}.r")],
            f'1 belong to an instance of {_AWS}.r with a key (such as {_AWS}.r["x"]), and 1 to the one without a key '
            "(such as that of t.n[0])",
            id="keyed and keyless",
        ),
        pytest.param(
            "PRV011",
            [_resource("t.n", {"index_key": 0, "deposed": "00c0ffee", "provider": f"{_AWS}.r[7]"})],
            f"{_AWS}.r[7] is the provider of the deposed object 00c0ffee of t.n[0], but the keys of provider instances",
            id="a key that is a number",
        ),
    ],
)  # fmt: skip
def test_detail(code: str, resources: list[dict[str, Any]], says: str) -> None:
    finding = _found(code, *resources)[0]
    assert says in finding.detail


def test_registries_are_brought_together_where_most_resources_are() -> None:
    one, two = _resource("t.a", {}, provider=_TERRAFORM_AWS), _resource("t.b", {}, provider=_TERRAFORM_AWS)
    (finding,) = _found("PRV009", one, two, _resource("t.c", {}))
    assert fix_text(finding.fix) == "To use registry.terraform.io for all: `statetool fmt --registry terraform`."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("provider.aws", "--legacy-provider aws=hashicorp/aws`", id="HashiCorp's"),
        pytest.param('provider["-/aws"]', "--legacy-provider aws=hashicorp/aws`", id="with a dash"),
        pytest.param("provider.datadog", "--legacy-provider datadog=NAMESPACE/datadog`", id="somebody else's"),
    ],
)
def test_what_to_do_about_a_legacy_address(text: str, says: str) -> None:
    for resource in (_resource("t.n", {}, provider=text), _resource("t.n", {"provider": text})):
        (finding,) = _found("PRV007", resource)
        assert says in fix_text(finding.fix)


# --- ADR008


def _same_id(kind: str, *attributes: dict[str, Any]) -> list[Finding]:
    names = [f"{kind}.n{number}" for number in range(len(attributes))]
    return _found(
        "ADR008",
        *(_resource(name, {"attributes": {"id": "x", **own}}) for name, own in zip(names, attributes, strict=True)),
    )


def _named_on_the_page() -> set[str]:
    what = all_pages()["ADR008"].text.split("## Why")[0]
    return set(re.findall("`([a-z_0-9]+)`", what)) - {"id"}


def test_the_page_names_every_exception() -> None:
    families = {prefix.removesuffix("_") for prefix in adr008._NOT_REMOTE}
    assert _named_on_the_page() == {*families, *adr008._SHARED_IDS, *SCOPES}


@each_row("kind", [*sorted(adr008._SHARED_IDS), *(f"{prefix}x" for prefix in adr008._NOT_REMOTE)])
def test_types_whose_ids_say_nothing(kind: str) -> None:
    assert _same_id(kind, {}, {}) == []
    assert len(_same_id(f"{kind[:-1]}_y" if kind in adr008._SHARED_IDS else f"x{kind}", {}, {})) == 2


@each_row("scope", SCOPES)
def test_ids_within_something(scope: str) -> None:
    assert _same_id("t", {scope: "a"}, {scope: "b"}) == []
    assert len(_same_id("t", {scope: "a"}, {scope: "a"})) == 2
    assert len(_same_id("t", {scope: None}, {})) == 2
    assert [f.address for f in _same_id("t", {scope: "a"}, {scope: "b"}, {scope: "a"})] == ["t.n0", "t.n2"]


def test_an_id_is_never_shown() -> None:
    found = _same_id("t", {"id": "hunter2"}, {"id": "hunter2"})
    assert len(found) == 2
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    "attributes", [b"null", b"[]", b'"x"', b'{"id":["x"]}', b'{"id":{"id":"x"}}', b'{"id":"\\ud800"}']
)
def test_attributes_without_a_readable_id(attributes: bytes) -> None:
    text = _text(_resource("t.a", {"attributes": 1}), _resource("t.b", {"attributes": 1}))
    assert check(text.replace(b'"attributes": 1', b'"attributes":' + attributes), select=["ADR008"]) == []


# --- dependencies

_NAMES: Final = "abcdef"
_edges = st.dictionaries(
    st.sampled_from(_NAMES), st.lists(st.sampled_from(f"{_NAMES}z"), unique=True, max_size=4), max_size=len(_NAMES)
)


def _reaches(edges: dict[str, list[str]]) -> dict[str, set[str]]:
    """What each node leads to in one or more steps, by plain repetition."""
    found = {node: set(targets) for node, targets in edges.items()}
    for _ in edges:
        found = {n: to.union(*(found.get(target, set()) for target in to)) for n, to in found.items()}
    return found


def _groups(edges: dict[str, list[str]]) -> list[list[str]]:
    reaches = _reaches(edges)
    groups = {
        tuple(sorted({n, *(m for m in edges if m in reaches[n] and n in reaches[m])}))
        for n in edges
    }  # fmt: skip
    return sorted(list(group) for group in groups if len(group) > 1)


def _shortest(group: list[str], edges: dict[str, list[str]]) -> int:
    return next(
        length
        for length in range(2, len(group) + 1)
        for nodes in permutations(group, length)
        if all(b in edges[a] for a, b in zip(nodes, (*nodes[1:], nodes[0]), strict=True))
    )


@given(_edges)
def test_cyclic_groups_are_what_reaches_each_other(edges: dict[str, list[str]]) -> None:
    assert cyclic_groups(edges) == _groups(edges)


@given(_edges)
@example({"a": ["b"], "b": ["c"], "c": ["a", "b"]})
def test_the_cycle_named_is_one_and_there_is_no_shorter(edges: dict[str, list[str]]) -> None:
    for group in cyclic_groups(edges):
        [cycle] = short_cycles([group], edges)
        assert len(set(cycle)) == len(cycle) == _shortest(group, edges)
        assert all(b in edges[a] for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True))


@given(_edges)
def test_dependency_rules_against_the_plain_truth(edges: dict[str, list[str]]) -> None:
    text = _text(*_depending({f"t.{n}": [f"t.{target}" for target in to] for n, to in edges.items()}))
    found = [(f.code, f.address.removeprefix("t.")) for f in check(text, select=["DEP"])]
    circles = [name for code, name in found if code == "DEP004"]
    assert [circle for circle in found if circle[0] != "DEP004"] == sorted(
        [("DEP002", n) for n, to in edges.items() for target in to if target not in edges]
        + [("DEP003", n) for n, to in edges.items() if n in to],
        key=lambda finding: finding[::-1],
    )
    assert [[name in group for name in circles].count(True) for group in _groups(edges)] == [1] * len(circles)


@pytest.mark.parametrize("closed", [False, True], ids=["chain", "circle"])
def test_a_long_way_round_needs_no_recursion(closed: bool) -> None:
    size = 15_000
    edges = {f"n{number:05}": [f"n{number + 1:05}"] for number in range(size - 1)}
    edges[f"n{size - 1:05}"] = ["n00000"] if closed else []
    groups = cyclic_groups(edges)
    assert [len(group) for group in groups] == ([size] if closed else [])
    assert [len(cycle) for cycle in short_cycles(groups, edges)] == ([size] if closed else [])


def test_a_large_group_gets_a_cycle_within_bounds() -> None:
    size, steps = 3_000, 30
    edges = {f"n{n:04}": {f"n{(n + step * step + 1) % size:04}": None for step in range(steps)} for n in range(size)}
    (group,) = cyclic_groups(edges)
    [cycle] = short_cycles([group], edges)
    assert len(group) == size
    assert all(b in edges[a] for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True))


def test_each_subject_has_its_own_graph_made_once() -> None:
    one, two = (_text(*_depending({"t.a": [target]})) for target in ("t.b", "t.c"))
    subjects = [Subject(inspect(data)) for data in (one, two, one)]
    found = [graphs.dependency_graph(subject) for subject in subjects]
    assert [list(graph.edges["t.a"]) for graph in found] == [["t.b"], ["t.c"], ["t.b"]]
    assert all(graphs.dependency_graph(subject) is graph for subject, graph in zip(subjects, found, strict=True))


_PIECES: Final = (
    *("module", ".", "a", "B_1-c", "é", "[", "]", '"'),
    *("[0]", "[01]", "[12345678901]", '["k"]', '["a[0].b"]', r'["q\"[0]"]', '["${x}"]', '["é"]'),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join) | st.lists(st.sampled_from(_PIECES)).map(".".join))
@example('module.a["x"].module.b[3].module._c')
@example("module.module.module.a")
@example('module.a[0]["b"]')
def test_keys_are_cut_from_modules_as_parsing_does(text: str) -> None:
    for module in (text, f"module.{text}", f"module.a{text}", f"module.a{text}.module.b{text}"):
        try:
            static = str(parse_module_instance(module).module())
        except AddressError:
            static = module
        assert graphs._static_module(module) == static
