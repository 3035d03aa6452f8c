"""What the rules take for a secret is never shown, marked or not: every command that prints, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import LINEAGE, resource, state
from tests.tables import each_row

# Nothing else in any output looks like it.
TRACE: Final = "Zq7Planted"


def _secret(number: int) -> str:
    return f"{TRACE}{number:02}x9"


_BODY: Final = "MIIEowIBAAKCAQEAx7Yk3mWqv0b1Zc8dN4tQ" * 2
_KEY: Final = f"-----BEGIN RSA PRIVATE KEY-----\n{TRACE}{_BODY}\n-----END RSA PRIVATE KEY-----\n"
_TOKEN: Final = f"ghp_{TRACE}abcdefghijklmnopqrstuvwxyz012345"[:40]

# What recognises a secret, and a resource with one that the state does not mark.
PLANTED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "type": ("random_password", {"id": "none", "length": 16, "result": _secret(1)}),
    "type, at an id that repeats it": ("random_password", {"id": _secret(2), "result": _secret(2)}),
    "type, whatever it looks like": ("aws_ssm_parameter", {"id": "/a", "value": f"{TRACE} a b c"}),
    "type, a map": ("kubernetes_secret", {"id": "ns/a", "data": {"user": f"{TRACE}-a"}}),
    "type, in a block": ("google_container_cluster", {"id": "c", "master_auth": [{"client_key": f"{TRACE}-b"}]}),
    "type, a pattern": ("azurerm_eventhub_namespace", {"id": "e", "default_primary_connection_string": f"{TRACE}-c"}),
    "type, a file": ("local_sensitive_file", {"id": "f", "filename": "x", "content": f"{TRACE}: yes"}),
    "type, two attributes": ("aws_iam_access_key", {"id": "k", "secret": f"{TRACE}-d", "ses_smtp_password_v4": TRACE}),
    "name": ("acme_thing", {"id": "i", "admin_password": _secret(3)}),
    "name, in a list of blocks": (
        "acme_thing",
        {"env": [{"name": "A", "value": "b"}, {"name": "DB_PASSWORD", "value": _secret(4)}]},
    ),
    "name, in JSON in a string": ("acme_thing", {"definition": json.dumps([{"env": {"API_TOKEN": _secret(5)}}])}),
    "shape, a private key": ("acme_thing", {"id": "i", "notes": _KEY}),
    "shape, a token in a tag": ("acme_thing", {"id": "i", "tags": {"CI": _TOKEN}}),
    "shape, a token as an id": ("acme_thing", {"id": _TOKEN}),
    "shape, in a list of lists": ("acme_thing", {"id": "i", "rows": [["a", _TOKEN], [1, _TOKEN]]}),
    "a URL with a password": ("acme_thing", {"id": "i", "dsn": f"postgres://app:{_secret(6)}@db.example.com/app"}),
    "name, of dynamic type": (
        "acme_thing",
        {"input": {"value": {"password": _secret(7)}, "type": ["object", {"password": "string"}]}},
    ),
}  # fmt: skip
OUTPUTS: Final = {
    "db_password": {"value": _secret(8), "type": "string"},
    "settings": {
        "value": {"host": "h", "api_token": _secret(9)},
        "type": ["object", {"host": "string", "api_token": "string"}],
    },
}  # fmt: skip


def _resources(replacement: str = TRACE) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for number, (type_name, attributes) in enumerate(PLANTED.values()):
        given = json.loads(json.dumps(attributes).replace(TRACE, replacement))
        current = {"schema_version": 0, "attributes": given, "sensitive_attributes": []}
        deposed = {**current, "deposed": f"{number:08x}"}
        made.append(resource(type_name, f"r{number}", current, deposed))
    identity = {"attributes": {"id": "i"}, "identity": {"ci": _TOKEN.replace(TRACE, replacement)}}
    return [*made, resource("acme_thing", "identity", identity)]


def _write() -> None:
    outputs = json.loads(json.dumps(OUTPUTS).replace(TRACE, "Zq7Earlier"))
    Path("state.tfstate").write_bytes(state(*_resources(), outputs=OUTPUTS))
    Path("old.tfstate").write_bytes(state(*_resources("Zq7Earlier"), outputs=outputs))
    Path("empty.tfstate").write_bytes(state())
    Path("flat.tfstate").write_bytes(_flat())
    Path("main.tf").touch()
    Path("torn.tfstate").write_bytes(state(*_resources())[:-900])
    Path("other.tfstate").write_bytes(state(*_resources()[:3], serial=9))
    Path("plan.json").write_text(json.dumps(_plan()))


def _flat() -> bytes:
    """Format 3, in which a label and a name are shown that look harmless."""
    flat = {"id": "i-1", "name": _TOKEN, "tags.%": "1", "tags.CI": _TOKEN, "password": _secret(10)}
    primary = {"id": "i-1", "attributes": flat, "meta": {}, "tainted": False}
    made = {"acme_thing.a": {"type": "acme_thing", "depends_on": [], "primary": primary, "provider": "provider.acme"}}
    module = {"path": ["root"], "outputs": {}, "resources": made, "depends_on": []}
    return json.dumps({"version": 3, "serial": 1, "lineage": LINEAGE, "modules": [module]}).encode()


def _head(type_name: str, name: str) -> dict[str, Any]:
    return {"address": f"{type_name}.{name}", "mode": "managed", "type": type_name, "name": name}


def _plan() -> dict[str, Any]:
    changes, values = [], []
    for number, (type_name, attributes) in enumerate(PLANTED.values()):
        head = {**_head(type_name, f"r{number}"), "provider_name": "registry.opentofu.org/hashicorp/aws"}
        before = json.loads(json.dumps(attributes).replace(TRACE, "Zq7Earlier"))
        marks: dict[str, Any] = {"after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}
        change = {"actions": ["update"], "before": before, "after": attributes, **marks, "future": TRACE}
        changes.append({**head, "change": change, "future_member": {"x": TRACE}})
        values.append({**head, "schema_version": 0, "values": before, "sensitive_values": {}})
    action = {
        "address": "action.aws_lambda_invoke.warm",
        "type": "aws_lambda_invoke",
        "name": "warm",
        "config_values": {"payload": TRACE, "nested": [{"k": f"{TRACE}2", "shown": "plain"}], "password": _secret(11)},
        "config_sensitive": {"payload": True, "nested": [{"k": True}]},
        "config_unknown": {},
        "provider_name": "registry.terraform.io/hashicorp/aws",
    }
    unmasked = {**action, "config_sensitive": None}
    constant = {"expressions": {"value": {"constant_value": _TOKEN}, "future": {"constant_value": "x"}}}
    return {
        "format_version": "1.2",
        "terraform_version": "1.14.0",
        "variables": {"db_password": {"value": _secret(12)}, "plain": {"value": "v", "future": TRACE}},
        "planned_values": {"root_module": {"resources": []}},
        "resource_changes": changes,
        "resource_drift": changes,
        "deferred_changes": [{"reason": "deferred_prereq", "resource_change": changes[0]}],
        "output_changes": {
            "db_password": {
                "actions": ["update"], "before": _secret(13).replace(TRACE, "Zq7Earlier"), "after": _secret(13),
                "after_unknown": False, "before_sensitive": False, "after_sensitive": False,
            }
        },
        "prior_state": {
            "format_version": "1.0",
            "terraform_version": "1.14.0",
            "values": {"outputs": {"o": {"sensitive": False, "value": _TOKEN}}, "root_module": {"resources": values}},
        },
        "action_invocations": [action, unmasked],
        "deferred_action_invocations": [{"reason": "deferred_prereq", "action_invocation": action, "future": TRACE}],
        "configuration": {
            "provider_config": {},
            "root_module": {
                "resources": [{**_head("acme_thing", "c"), **constant}],
                "future": TRACE,
            },
        },
        "future_top_level": {"a": [TRACE]},
        "errored": False,
    }  # fmt: skip


COMMANDS: Final = [
    "list --long --state state.tfstate",
    "list --long --format json --state state.tfstate",
    "list --long --format csv --state state.tfstate",
    "list --long --state flat.tfstate",
    "list --where id=nothing --state state.tfstate",
    "show --state state.tfstate",
    "show --expand --state state.tfstate",
    "show --format json --state state.tfstate",
    "show ** --format json --state state.tfstate",
    "show --state flat.tfstate",
    "show --format json --state flat.tfstate",
    "show random_password.r0 --attr result --state state.tfstate",
    "show random_password.r0 --attr result --raw --state state.tfstate",
    "show kubernetes_secret.r3 --attr data.user --format json --state state.tfstate",
    "outputs state.tfstate",
    "outputs --format json state.tfstate",
    "outputs --raw db_password --state state.tfstate",
    "outputs --state state.tfstate settings",
    "providers --resources state.tfstate",
    "providers --format json state.tfstate",
    "stats --all state.tfstate",
    "graph state.tfstate",
    "grep -E . state.tfstate",
    "grep -E . --format json state.tfstate",
    "grep -E . flat.tfstate",
    "diff old.tfstate state.tfstate",
    "diff --full old.tfstate state.tfstate",
    "diff --exact old.tfstate state.tfstate",
    "diff --format json old.tfstate state.tfstate",
    "diff --format markdown old.tfstate state.tfstate",
    "diff --format html old.tfstate state.tfstate",
    "diff empty.tfstate state.tfstate",
    "diff state.tfstate empty.tfstate",
    "diff --format json empty.tfstate state.tfstate",
    "diff --moved-blocks empty.tfstate state.tfstate",
    "diff flat.tfstate state.tfstate",
    "report state.tfstate",
    "check --fail-on info state.tfstate",
    "check --fail-on info --format json state.tfstate",
    "check --fail-on info --format sarif state.tfstate",
    "check --fail-on info flat.tfstate",
    "check --plan plan.json --fail-on info --no-state",
    "check --plan plan.json --fail-on info --format json state.tfstate",
    "plan-show --config . plan.json",
    "plan-show --config . --format json plan.json",
    "plan-show --config . --format markdown plan.json",
    "verify plan.json --after state.tfstate",
    "verify plan.json --after old.tfstate --before state.tfstate",
    "verify plan.json --after empty.tfstate --before old.tfstate --format json",
    "moves plan.json",
    "moves --format json plan.json",
    "reconcile state.tfstate --state other.tfstate",
    "reconcile state.tfstate --state other.tfstate --format json",
    "mv acme_thing.identity acme_thing.other --dry-run --state state.tfstate",
    "rm random_password.* --dry-run --state state.tfstate",
    "unset random_password.r0 length --dry-run --state state.tfstate",
    "unset random_password.r0 result --dry-run --state state.tfstate",
    "rekey acme_thing.r8 --by admin_password --dry-run --state state.tfstate",
    "repair state.tfstate",
    "salvage torn.tfstate --verbose",
    "salvage torn.tfstate --format json",
]


@each_row("command", COMMANDS)
def test_no_secret_is_shown(command: str, statetool: Statetool) -> None:
    _write()
    result = statetool(*command.split())
    shown = result.text + result.err
    assert "Traceback" not in shown
    for trace in (TRACE, "Zq7Earlier"):
        assert trace not in shown, shown[max(0, shown.index(trace) - 200) : shown.index(trace) + 60]


@pytest.mark.parametrize(
    "command",
    [
        "show --state state.tfstate",
        "show --format json --state state.tfstate",
        "grep Zq7 state.tfstate",
        "diff old.tfstate state.tfstate",
        "outputs state.tfstate",
        "plan-show --config . plan.json",
        "plan-show --config . --format json plan.json",
        "list --long --state state.tfstate",
        "list --where admin_password=Zq7* --state state.tfstate",
    ],
)
def test_it_is_shown_when_asked_for(command: str, statetool: Statetool) -> None:
    _write()
    shown = statetool(*command.split(), "--show-sensitive").text
    assert TRACE in shown or "acme_thing.r8" in shown
    assert statetool(*command.split()).text != shown


def test_every_planted_secret_is_reported_and_hidden(statetool: Statetool) -> None:
    """One function decides both: what a rule reports is hidden, and what is hidden is reported."""
    _write()
    reported = json.loads(statetool("check", "--select", "SEC", "--format", "json", "state.tfstate").text)
    found = {finding["address"] for file in reported["files"] for finding in file["findings"]}
    for number, (type_name, _) in enumerate(PLANTED.values()):
        assert f"{type_name}.r{number}" in found
        shown = statetool("show", f"{type_name}.r{number}", "--state", "state.tfstate").text
        assert "(sensitive value)" in shown
        assert "not marked as sensitive" in shown


def test_notes_say_what_is_hidden(statetool: Statetool) -> None:
    _write()
    assert "not marked as sensitive; use --show-sensitive" in statetool("show", "--state", "state.tfstate").err
    assert "not marked as sensitive" in statetool("outputs", "state.tfstate").err
    assert "not marked as sensitive" in statetool("diff", "old.tfstate", "state.tfstate").err
    assert "not searched; use --show-sensitive" in statetool("grep", "x", "state.tfstate").err
    assert "because admin_password is sensitive there" in (
        statetool("list", "--where", "admin_password=Zq7*", "--state", "state.tfstate").err
    )
    shown = statetool("show", "--show-sensitive", "--state", "state.tfstate")
    assert "not marked" not in shown.text + shown.err


@pytest.mark.parametrize("text", [TRACE, f"{TRACE}01x9", "Zq7[A-Z]"])
def test_grep_is_no_oracle(text: str, statetool: Statetool) -> None:
    """The answer does not reveal whether a pattern matches a hidden value."""
    _write()
    found = statetool("grep", "-E", text, "state.tfstate")
    missing = statetool("grep", "-E", "Zq8Planted", "state.tfstate")
    assert (found.status, found.text, found.err) == (missing.status, missing.text, missing.err)


def test_a_pattern_of_ids_is_no_oracle(statetool: Statetool) -> None:
    """An id that is hidden is selected as a whole only: letter by letter, a pattern would tell it."""
    _write()
    assert statetool("list", "--id", f"{TRACE}*", "--state", "state.tfstate").status == 2
    assert statetool("list", "--id", _secret(2), "--state", "state.tfstate").text == "random_password.r1\n"
