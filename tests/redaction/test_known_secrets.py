"""Attributes that providers declare sensitive are hidden and reported without a mark, whatever they look like."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from msgspec import Raw

from statefmt.lint.check import check
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import decoded, exact_text
from statefmt.redaction.secrets import _TABLE, known_secrets
from tests.cli.states import resource, state
from tests.tables import each_row

# Nothing recognises it but the table.
_PLAIN: Final = "two words"

# From the documentation of the providers: the type, and the path to what is sensitive.
DOCUMENTED: Final = [
    ("random_password", "result"), ("random_password", "bcrypt_hash"), ("tls_private_key", "private_key_pem"),
    ("tls_private_key", "private_key_openssh"), ("local_sensitive_file", "content"),
    ("local_sensitive_file", "content_base64"), ("aws_iam_access_key", "secret"),
    ("aws_iam_access_key", "ses_smtp_password_v4"), ("aws_secretsmanager_secret_version", "secret_string"),
    ("aws_secretsmanager_secret_version", "secret_binary"), ("aws_db_instance", "password"),
    ("aws_rds_cluster", "master_password"), ("google_service_account_key", "private_key"),
    ("google_secret_manager_secret_version", "secret_data"),
    ("google_secret_manager_secret_version_access", "secret_data"),
    ("google_secret_manager_regional_secret_version", "secret_data"), ("google_sql_user", "password"),
    ("google_container_cluster", "master_auth.client_key"), ("azurerm_key_vault_secret", "value"),
    ("azurerm_storage_account", "primary_connection_string"), ("azurerm_kubernetes_cluster", "kube_config_raw"),
    ("azuread_application_password", "value"), ("kubernetes_secret", "data"), ("kubernetes_secret_v1", "data"),
    ("vault_generic_secret", "data_json"), ("vault_kv_secret_v2", "data"), ("aws_ssm_parameter", "value"),
    ("aws_mq_broker", "user.password"), ("github_actions_secret", "plaintext_value"),
]  # fmt: skip


def _planted(path: str, value: Any = _PLAIN) -> dict[str, Any]:
    for name in reversed(path.split(".")[1:]):
        value = [{"enabled": True}, {name: value}]
    return {"id": "x", path.split(".", maxsplit=1)[0]: value, "shown": "here"}


def _shown(type_name: str, attributes: dict[str, Any]) -> str:
    obj = ResourceInstanceObject(attributes=Raw(json.dumps(attributes).encode()))
    return exact_text(attributes_value(obj, type_name, show_sensitive=False)).decode()


def _reported(type_name: str, attributes: dict[str, Any]) -> list[str]:
    found = check(
        state(resource(type_name, "a", {"attributes": attributes, "sensitive_attributes": []})), select=["SEC"]
    )
    return [finding.pointer for finding in found]


@each_row(("type_name", "path"), DOCUMENTED)
def test_hidden_and_reported_by_its_type(type_name: str, path: str) -> None:
    for value in (_PLAIN, {"a": _PLAIN}, [_PLAIN, {"b": _PLAIN}]):
        attributes = _planted(path, value)
        assert _PLAIN not in _shown(type_name, attributes)
        assert "here" in _shown(type_name, attributes)
        assert _reported(type_name, attributes)
        # Of another type, nothing distinguishes it from other values.
        assert _PLAIN in _shown("acme_thing", attributes)
        assert not _reported("acme_thing", attributes)


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_what_is_not_set_is_no_secret(value: object) -> None:
    attributes = _planted("result", value)
    assert "sensitive" not in _shown("random_password", attributes)
    assert not _reported("random_password", attributes)


def test_every_line_of_the_table_is_in_force() -> None:
    for types, names, code, kind in _TABLE:
        type_name = types.replace("*", "")
        for name in names.split():
            assert (code, name.split(".")) in [(one.code, [*one.names]) for one in known_secrets(type_name)]
            assert _PLAIN not in _shown(type_name, _planted(name)), (types, name)
        assert kind.startswith(("a ", "an ", "the "))


def test_a_mark_is_not_reported_again_and_hides_as_before() -> None:
    marks = [[{"type": "get_attr", "value": "result"}]]
    instance = {"attributes": {"id": "none", "result": _PLAIN}, "sensitive_attributes": marks}
    assert not check(state(resource("random_password", "a", instance)), select=["SEC"])


def test_an_escaped_name_is_found() -> None:
    obj = ResourceInstanceObject(attributes=Raw(b'{"\\u0072esult": "two words", "id": "x"}'))
    assert _PLAIN not in str(decoded(attributes_value(obj, "random_password", show_sensitive=False)))


def test_a_copy_in_the_same_object_is_hidden() -> None:
    """In old releases, the id of a random_password is its result."""
    shown = _shown("random_password", {"id": "Tz4 mZ9 wQ2x", "result": "Tz4 mZ9 wQ2x", "length": 12})
    assert "Tz4" not in shown


@pytest.mark.parametrize(
    ("flat", "hidden"),
    [
        ({"id": "none", "name": _PLAIN, "result": _PLAIN}, {"name", "result"}),
        ({"id": "x", "user.#": "1", "user.123.type": "x", "user.123.password": "1"}, {"user.123.password"}),
        ({"id": "x", "tags.CI": "ghp_" + "a1" * 18}, {"tags.CI"}),
    ],
)
def test_flat_attributes(flat: dict[str, str], hidden: set[str]) -> None:
    type_name = "aws_mq_broker" if "user.#" in flat else "random_password"
    obj = ResourceInstanceObject(attributes_flat=flat)
    shown = dict(json.loads(exact_text(attributes_value(obj, type_name, show_sensitive=False))))
    assert {name for name, value in shown.items() if value == "(sensitive value)"} == hidden
