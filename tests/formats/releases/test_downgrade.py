"""What releases lose of small states, beyond what is recorded, and what can be dropped."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

import statefmt
from statefmt.formats.losses import fit, losses, without_lossy
from statefmt.formats.releases import all_releases, parse_release
from tests.tables import each_row

_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_LEGACY: Final = 'provider["registry.opentofu.org/-/aws"]'
_DEPOSED: Final = {"deposed": "7c1f00aa", "skip_destroy": True}
_DEPRECATED: Final = {"value": 1, "type": "number", "deprecated": "x"}
_PATHS: Final = [[{"type": "get_attr", "value": "x"}]]


def _state(*resources: dict[str, Any], **members: Any) -> statefmt.Snapshot:
    document = {"version": 4, "terraform_version": "0.12.0", "serial": 5, "resources": resources, **members}
    return statefmt.read(json.dumps(document).encode()).snapshot


def _resource(*instances: dict[str, Any], provider: str | None = _AWS, **members: Any) -> dict[str, Any]:
    level = {} if provider is None else {"provider": provider}
    return {"mode": "managed", "type": "a", "name": "b", **level, "instances": instances, **members}


def _check(kind: str, addr: str) -> dict[str, Any]:
    return {"object_kind": kind, "config_addr": addr, "status": "pass", "objects": []}


def _one(**members: Any) -> statefmt.Snapshot:
    return _state(_resource(members))


_EVERY_CHECK: Final = _state(
    check_results=[_check("resource", "a.b"), _check("output", "output.o"), _check("check", "check.c"),
                   _check("var", "var.v")]
)  # fmt: skip
_ALL_CHECKS: Final = ["a.b check_results", "output.o check_results", "check.c check_results", "var.v check_results"]
_KEYED: Final = _state(
    _resource({"index_key": 0, "provider": f'{_AWS}.r["x"]'}, {"index_key": 1, "provider": f"{_AWS}.r"}, provider=None)
)

# A state, releases, and for each of them what is lost: where, and which member.
_LOST: Final = [
    (_KEYED, "1.6 1.8 terraform-0.13 terraform-1.15", ["a.b[0] provider", "a.b[1] provider"]),
    (_KEYED, "1.9 1.12 1.13", []),
    (_state(_resource({}, provider=_LEGACY)), "terraform-0.13 terraform-1.15", ["a.b provider"]),
    (_state(_resource({}, provider=_LEGACY)), "1.6 1.13", []),
    (_state(_resource({}, provider="provider.aws")), "terraform-1.5", ["a.b provider"]),
    (_state(_resource(provider=_LEGACY)), "terraform-1.5", ["a.b provider"]),
    (_state(_resource({}, provider='provider["terraform.io/builtin/terraform"]')), "1.6 terraform-0.13", []),
    (_state(_resource({}, provider='provider["registry.opentofu.org/a/b"].c')), "terraform-0.13", []),
    (_state(_resource(provider=None)), "1.8 terraform-1.15", ["a.b provider"]),
    (_state(_resource(provider=None)), "1.9 1.13", []),
    (_state(_resource({}, _DEPOSED)), "1.11", ["a.b (deposed 7c1f00aa) skip_destroy"]),
    (_one(identity={"id": 1}), "1.11 terraform-1.11", ["a.b identity"]),
    (_one(identity={"id": 1}, identity_schema_version=0), "1.12 terraform-1.12 terraform-1.15", []),
    (_one(identity=None), "1.8 terraform-0.13", []),
    (_one(identity={}), "1.8", []),
    (_one(depends_on=["a.c[0]"]), "1.8 1.12 terraform-1.15", ["a.b depends_on"]),
    (_one(depends_on=["a.c[0]"]), "1.13", []),
    (_one(dependencies=["ephemeral.a.c"]), "1.10 terraform-1.9", ["a.b dependencies"]),
    (_one(dependencies=["ephemeral.a.c"]), "1.11 terraform-1.10", []),
    (_one(dependencies=["var.c"]), "terraform-1.10 terraform-1.15", ["a.b dependencies"]),
    (_one(dependencies=["module.m.resource.c"]), "terraform-1.9 terraform-1.15", ["a.b dependencies"]),
    (_one(dependencies=["list.c"]), "terraform-1.13", ["a.b dependencies"]),
    (_one(dependencies=["var.c", "list.c"]), "1.6 1.13 terraform-1.9", []),
    (_one(dependencies=["data.var.c", "list.c"]), "terraform-1.12", []),
    (_one(dependencies=["a.c"]), "1.6 terraform-0.13", []),
    (_one(sensitive_attributes=_PATHS, create_before_destroy=True), "1.6 terraform-0.14", []),
    (_one(attributes_flat={"x": "1"}, private="AA==", status="tainted"), "1.6 terraform-0.13", []),
    (_state(outputs={"o": _DEPRECATED}), "1.9 terraform-1.15", ["output.o deprecated"]),
    (_state(outputs={"o": _DEPRECATED}), "1.10", []),
    (_EVERY_CHECK, "terraform-0.14 terraform-1.2", _ALL_CHECKS),
    (_EVERY_CHECK, "terraform-1.3 terraform-1.4", _ALL_CHECKS[2:]),
    (_EVERY_CHECK, "terraform-1.5 terraform-1.6", _ALL_CHECKS[3:]),
    (_EVERY_CHECK, "terraform-1.7 1.6 1.13", []),
    (_state(check_results=[_check("new", "x")]), "1.6 1.13", ["x check_results"]),
    (_state(terraform_version="1.13.0-dev"), "terraform-0.13", [" terraform_version"]),
    (_state(terraform_version="0.13.7"), "terraform-0.13", []),
    (_state(terraform_version="0.14.0"), "terraform-0.12 terraform-0.13", [" terraform_version"]),
    (_state(terraform_version="99.0.0"), "terraform-0.14 terraform-1.15 1.6", []),
    (_state(terraform_version=""), "terraform-0.12", []),
    (_state(_resource({"new": 1}, new=1), new=1), "1.13 terraform-1.15", [" new", "a.b new", "a.b new"]),
    (_state(_resource({"new": None}, new=[]), new=False), "1.13 terraform-1.15", []),
]  # fmt: skip


@each_row(
    ("snapshot", "release", "expected"),
    [
        pytest.param(snapshot, release, expected, id=f"{number}-{release}")
        for number, (snapshot, names, expected) in enumerate(_LOST)
        for release in names.split()
    ],
)
def test_losses(snapshot: statefmt.Snapshot, release: str, expected: list[str]) -> None:
    assert [f"{loss.at} {loss.field}" for loss in losses(snapshot, parse_release(release))] == expected


_FULL: Final = _state(
    _resource({
        "identity": {"id": 1}, "identity_schema_version": 2, "skip_destroy": True, "depends_on": ["a.c[0]"],
        "dependencies": ["ephemeral.a.c", "a.c"], "sensitive_attributes": _PATHS, "create_before_destroy": True,
        "attributes": {"x": 1.0}, "private": "AA==",
    }),
    outputs={"o": _DEPRECATED},
    check_results=[_check("check", "check.c")],
    terraform_version="1.13.0",
)  # fmt: skip


def test_what_only_informs_is_dropped_for_the_release() -> None:
    fitted = fit(_FULL, parse_release("1.9"), drop_lossy=True, drop_unknown=False)
    (obj,) = fitted.snapshot.resources[0].objects
    assert fitted.losses == ()
    assert [loss.field for loss in fitted.dropped] == [
        "depends_on", "skip_destroy", "identity", "identity_schema_version", "dependencies", "deprecated",
    ]  # fmt: skip
    assert (obj.identity, obj.identity_schema_version, obj.skip_destroy, obj.depends_on) == (None, None, False, ())
    assert list(map(str, obj.dependencies)) == ["a.c"]
    assert (obj.sensitive_attributes, obj.create_before_destroy) == (
        _FULL.resources[0].objects[0].sensitive_attributes,
        True,
    )
    assert fitted.snapshot.outputs[0].deprecated == ""
    assert fitted.snapshot.check_results == _FULL.check_results
    assert (fitted.snapshot.serial, fitted.snapshot.terraform_version) == (5, "1.13.0")


@each_row("release", all_releases(), ids=str)
def test_nothing_else_is_dropped(release: object) -> None:
    """Members that every release keeps stay, and so do objects; what was dropped is not lost any more."""
    target = parse_release(str(release))
    fitted = fit(_FULL, target, drop_lossy=True, drop_unknown=False)
    (obj,) = fitted.snapshot.resources[0].objects
    assert (bytes(obj.attributes or b""), obj.private) == (b'{"x": 1.0}', "AA==")
    assert not [loss for loss in losses(fitted.snapshot, target) if loss.only_informs]
    assert all(loss.only_informs for loss in fitted.dropped)


def test_a_version_that_is_refused_becomes_none() -> None:
    fitted = fit(_FULL, parse_release("terraform-0.13"), drop_lossy=True, drop_unknown=False)
    assert fitted.snapshot.terraform_version == ""


@pytest.mark.parametrize("release", ["1.8", "terraform-1.15"])
def test_a_provider_key_is_never_dropped(release: str) -> None:
    fitted = fit(_KEYED, parse_release(release), drop_lossy=True, drop_unknown=True)
    assert fitted.snapshot == _KEYED
    assert [loss.at for loss in fitted.losses] == ["a.b[0]", "a.b[1]"]


@pytest.mark.parametrize(("drop_lossy", "drop_unknown", "left"), [
    (False, False, ["new", "skip_destroy"]), (True, False, ["new"]), (False, True, ["skip_destroy"]), (True, True, []),
])  # fmt: skip
def test_unknown_members_are_another_matter(drop_lossy: bool, drop_unknown: bool, left: list[str]) -> None:
    snapshot = _state(_resource({"skip_destroy": True}), new=1)
    fitted = fit(snapshot, parse_release("1.8"), drop_lossy=drop_lossy, drop_unknown=drop_unknown)
    assert [loss.field for loss in fitted.losses] == left


def test_a_release_that_keeps_all_gets_the_same_snapshot() -> None:
    assert without_lossy(_FULL, parse_release("1.13")) == _FULL
    assert fit(_FULL, parse_release("1.13"), drop_lossy=True, drop_unknown=False).dropped == ()
