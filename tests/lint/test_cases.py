"""For each rule states that it reports, with where, and states that are close to them and fine."""

from __future__ import annotations

from typing import Any, Final

import pytest

import statefmt
from statefmt.lint.registry import all_rules
from tests.lint.states import AWS, CANONICAL, R_X, R_Y, R, bare, checks, one, output, resource, state, text, v3
from tests.tables import each_row

_EIP: Final = {"type": "aws_eip", "primary": {"id": "x"}, "provider": "provider.aws"}
_BACKEND: Final = {"version": 3, "backend": {"type": "s3"}, "modules": []}
_ONE_PATH: Final = [[{"type": "get_attr", "value": "x"}]]

# code: (a state that is reported, address, pointer)
REPORTED: Final[dict[str, list[tuple[dict[str, Any] | bytes, str, str]]]] = {
    "STA001": [
        (b"", "", ""),
        (b"{", "", ""),
        (b"[]", "", ""),
        (b"{}", "", ""),
        (b'{"version":"4"}', "", "/version"),
    ],
    "STA002": [(b"tfstate\x00", "", ""), (b'{"version":5}', "", ""), (b'{"version":0}', "", "")],
    "STA003": [(b'{"encryption_version":"v0","encrypted_data":""}', "", "")],
    "STA004": [
        ({"serial": "7"}, "", "/serial"),
        ({"serial": -1}, "", "/serial"),
        ({"resources": {}}, "", "/resources"),
    ],
    "STA005": [(v3({"bad": _EIP}), "bad", "/modules/0/resources/bad"), ({"version": 3, "serial": -1}, "", "/serial")],
    "STA006": [({"terraform_version": "latest"}, "", "/terraform_version")],
    "STA007": [
        (CANONICAL.replace(b"  ", b" "), "", ""),
        (CANONICAL.rstrip(), "", ""),
        (CANONICAL.replace(b'"outputs": {},\n  ', b""), "", ""),
        (v3({}), "", ""),
    ],
    "STA008": [
        ({"new": 1}, "", "/new"),
        (state(resource(new=1)), "a.b", "/resources/0/new"),
        (one(new=1), "a.b", "/resources/0/instances/0/new"),
        (checks("new", "x"), "x", "/check_results/0/object_kind"),
    ],
    "STA009": [
        (b'{"version":4,"serial":1,"serial":2}', "", "/serial"),
        (b'{"version":3,"serial":1,"serial":2}', "", "/serial"),
        (b'{"version":4,"outputs":{},"Outputs":{}}', "", "/outputs"),
        (
            b'{"version":4,"outputs":{"o":{"type":["map","bool"],"value":{"a":true,"a":true}}}}',
            "",
            "/outputs/o/value/a",
        ),
    ],
    "STA010": [
        (v3({"aws_eip.a": {**_EIP, "depends_on": ["x"]}}), "aws_eip.a", "/modules/0/resources/aws_eip.a/depends_on"),
        (v3({"aws_eip.a": _EIP}, remote={"type": "s3"}), "", "/remote"),
    ],
    "STA011": [
        ({"terraform_version": "v1.2"}, "", "/terraform_version"),
        (one(index_key=1.5), "a.b", "/resources/0/instances/0/index_key"),
        (one(dependencies=["module.a[0].c.d"]), "a.b", "/resources/0/instances/0/dependencies/0"),
        (state(resource(module="module.a [0]")), "a.b", "/resources/0/module"),
    ],
    "STA012": [
        (_BACKEND, "", "/backend"),
        ({"version": 3, "state_store": {"type": "a"}}, "", "/state_store"),
        ({"version": 3, "remote": {"type": "s3"}, "modules": [{"path": ["root"]}]}, "", "/remote"),
    ],
    "STA013": [(b'{"version":4,"lineage":"\xff"}', "", "")],
    "PRV001": [
        (state(resource({"provider": R_X}, provider=R)), "a.b", "/resources/0/instances/0/provider"),
    ],
    "PRV002": [(state(bare({"index_key": 0})), "a.b[0]", "/resources/0/instances/0")],
    "PRV003": [
        (state(bare({"provider": AWS}, {"index_key": 0, "provider": R})), "a.b", "/resources/0/instances/1"),
    ],
    "PRV004": [
        (state(resource({}, provider="aws")), "a.b", "/resources/0/provider"),
        (state(bare({"provider": "aws"})), "a.b", "/resources/0/instances/0/provider"),
    ],
    "PRV005": [
        (
            state(bare({"provider": R_X}, {"deposed": "7c1f00aa", "provider": R_Y})),
            "a.b",
            "/resources/0/instances/1",
        ),
    ],
    "PRV006": [
        (state(resource({"index_key": 0}), resource({"index_key": 1}, provider=R)), "a.b", "/resources/1"),
        (state(resource({"index_key": 0}), resource(provider=R)), "a.b", "/resources/1/provider"),
    ],
    "ADR001": [(state(resource(module="network")), "a.b", "/resources/0/module")],
    "ADR002": [
        (state(resource({"index_key": 0}, {"index_key": 0})), "a.b[0]", "/resources/0/instances/1"),
        (state(resource({"deposed": "7c1f00aa"}, {"deposed": "7c1f00aa"})), "a.b", "/resources/0/instances/1"),
        (state(resource({}), resource({})), "a.b", "/resources/1/instances/0"),
    ],
    "ADR003": [(state(resource(mode="ephemeral")), "a.b", "/resources/0/mode")],
    "ADR004": [
        (one(index_key=True), "a.b", "/resources/0/instances/0/index_key"),
        (one(index_key=[]), "a.b", "/resources/0/instances/0/index_key"),
        (one(index_key={}), "a.b", "/resources/0/instances/0/index_key"),
    ],
    "ADR005": [(state(resource({"index_key": 0}), resource({"index_key": 1})), "a.b", "/resources/1")],
    "INS001": [(one(status="creating"), "a.b", "/resources/0/instances/0/status")],
    "INS002": [
        (one(deposed="5a3e"), "a.b", "/resources/0/instances/0/deposed"),
        (one(deposed="123456789"), "a.b", "/resources/0/instances/0/deposed"),
        (one(deposed="1234567é"), "a.b", "/resources/0/instances/0/deposed"),
    ],
    "INS003": [
        (one(sensitive_attributes=["x"]), "a.b", "/resources/0/instances/0/sensitive_attributes"),
        (one(sensitive_attributes={}), "a.b", "/resources/0/instances/0/sensitive_attributes"),
        (one(sensitive_attributes=[[{}]]), "a.b", "/resources/0/instances/0/sensitive_attributes"),
    ],
    "INS004": [(one(attributes={}, attributes_flat={}), "a.b", "/resources/0/instances/0/attributes_flat")],
    "DEP001": [
        (one(dependencies=["c.d[0]"]), "a.b", "/resources/0/instances/0/dependencies/0"),
        (one(dependencies=["c.d", ""]), "a.b", "/resources/0/instances/0/dependencies/1"),
        (one(depends_on=["c"]), "a.b", "/resources/0/instances/0/depends_on/0"),
    ],
    "OUT001": [(output(1, type_), "output.o", "/outputs/o/type") for type_ in ("list(string)", ["list"], None, 7)],
    "OUT002": [
        (output("many", "number"), "output.o", "/outputs/o/value"),
        (output([1, "x"], ["list", "number"]), "output.o", "/outputs/o/value"),
    ],
    "CHK001": [
        (checks("resource", "a.b[0]"), "a.b[0]", "/check_results/0/config_addr"),
        (checks("output", "x"), "x", "/check_results/0/config_addr"),
        (checks("resource", "a.b", "a"), "a", "/check_results/0/objects/0/object_addr"),
    ],
}  # fmt: skip

# code: states that are fine
FINE: Final[dict[str, list[dict[str, Any] | bytes]]] = {
    "STA001": [{}, {"version": 3}, b'{"version":5}', b'{"encryption_version":"v0"}'],
    "STA002": [{}, {"version": 1}, b"", b"{}"],
    "STA003": [{}, {"encryption_version": "v0"}, b'{"encrypted_data":""}'],
    "STA004": [{"serial": 7}, {"serial": None}, {"serial": 2**64 - 1}, {"resources": None}, one(private="AA==")],
    "STA005": [v3({"aws_eip.a": _EIP}), {"version": 1}, {"version": 2}],
    "STA006": [{"terraform_version": version} for version in ("1.9.0", "v1.2", "", None)],
    "STA007": [CANONICAL, CANONICAL + b"\n", statefmt.write(statefmt.Snapshot()), {"serial": "not read at all"}],
    "STA008": [
        {},
        state(resource({"identity": {"new": 1}}, each="list")),
        one(attributes={"new": 1}),
        checks("output", "output.o"),
    ],
    "STA009": [{}, b'{"version":4,"outputs":{"o":{"type":["map","bool"],"value":{"a":true,"A":true}}}}'],
    "STA010": [v3({"aws_eip.a": _EIP}, terraform_version="0.11.14"), {}],
    "STA011": [{"terraform_version": "1.2.0"}, one(index_key=1), one(dependencies=["module.a.c.d"])],
    "STA012": [v3({"aws_eip.a": _EIP}, backend={"type": "s3"}), {"version": 3}, {"backend": {"type": "s3"}}],
    "STA013": [{"lineage": "é"}, b'{"version":4,"lineage":"\\u00ff"}'],
    "PRV001": [one(), state(bare({"provider": AWS}))],
    "PRV002": [one(), state(bare()), state(bare({"provider": AWS}))],
    "PRV003": [state(bare({"provider": R}, {"index_key": 0, "provider": R_X}))],
    "PRV004": [one(), state(resource({}, provider="provider.aws"))],
    "PRV005": [
        state(bare({"provider": R_X}, {"deposed": "7c1f00aa", "provider": R_X})),
        state(bare({"provider": R_X}, {"index_key": 0, "provider": R_Y})),
    ],
    "PRV006": [state(resource({"index_key": 0}), resource({"index_key": 1}))],
    "ADR001": [state(resource(module='module.network["a"]')), state(resource(module=""))],
    "ADR002": [
        state(resource({"index_key": 0}, {"index_key": "0"}, {})),
        state(resource({}, {"deposed": "7c1f00aa"}, {"deposed": "7c1f00ab"})),
        state(resource({}), resource({}, mode="data"), resource({}, module="module.m")),
    ],
    "ADR003": [state(resource(), resource(mode="data"))],
    "ADR004": [one(index_key=key) for key in (None, 0, "a", "", 1.5)],
    "ADR005": [state(resource(), resource(name="c"), resource(mode="data"), resource(module="module.m"))],
    "INS001": [one(), one(status="tainted"), one(status=""), one(status=None)],
    "INS002": [one(deposed=key) for key in ("7c1f00aa", "ABCDEFGH", "", None, "123456é")],
    "INS003": [one(sensitive_attributes=paths) for paths in ([], None, _ONE_PATH)],
    "INS004": [one(attributes={}), one(attributes_flat={"id": "x"}), one(attributes={}, attributes_flat=None)],
    "DEP001": [one(dependencies=["c.d", "module.m.data.c.d"]), one(depends_on=['module.m["x"].c.d[0]'])],
    "OUT001": [output(1, "number"), output([], ["list", "string"])],
    "OUT002": [output("1", "number"), output([1, "2"], ["list", "number"])],
    "CHK001": [checks("resource", "a.b", "a.b[0]"), checks("output", "module.m.output.o", "module.m[0].output.o")],
}  # fmt: skip

_REPORTED: Final = [
    pytest.param(code, *case, id=f"{code}-{number}")
    for code, cases in REPORTED.items()
    for number, case in enumerate(cases)
]
_FINE: Final = [
    pytest.param(code, state, id=f"{code}-{number}")
    for code, states in FINE.items()
    for number, state in enumerate(states)
]


@each_row(("code", "document", "address", "pointer"), _REPORTED)
def test_reported(code: str, document: dict[str, Any] | bytes, address: str, pointer: str) -> None:
    findings = [finding for finding in statefmt.check(text(document), select=[code]) if finding.code == code]
    assert (address, pointer) in [(finding.address, finding.pointer) for finding in findings]
    assert {finding.severity for finding in findings} == {all_rules()[code].severity}
    assert all(finding.summary and finding.detail.endswith((".", ")")) for finding in findings)
    others = [finding for finding in statefmt.check(text(document)) if finding.code == code]
    assert [(one.address, one.pointer) for one in others] == [(one.address, one.pointer) for one in findings]


@each_row(("code", "document"), _FINE)
def test_fine(code: str, document: dict[str, Any] | bytes) -> None:
    assert code not in {finding.code for finding in statefmt.check(text(document), select=[code])}


def test_both_tables_have_the_same_rules() -> None:
    assert REPORTED.keys() == FINE.keys()
    assert REPORTED.keys() <= all_rules().keys()


@pytest.mark.parametrize("member", ["backend", "state_store", "remote"])
def test_there_is_no_advice_about_what_init_records(member: str) -> None:
    """To rewrite, to upgrade or to name it as a state would lose the record."""
    record = {"version": 3, member: {"type": "a", "config": {}}}
    assert [finding.code for finding in statefmt.check(text(record))] == ["STA012"]
