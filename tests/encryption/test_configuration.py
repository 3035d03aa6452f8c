"""What a configuration may say, and what is an error in it although OpenTofu ignores it or fails in disorder."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.encryption import check_configuration, merged
from statefmt.model.errors import ConfigurationError
from tests.encryption.recorded import configured, pbkdf2
from tests.tables import each_row

SECRET = "correct-horse-battery-staple"
GOOD = pbkdf2(passphrase=SECRET)


def aes(**arguments: object) -> dict[str, Any]:
    return {**GOOD, "method": {"aes_gcm": {"main": {"keys": "key_provider.pbkdf2.main", **arguments}}}}


ACCEPTED: dict[str, Any] = {
    "the least": GOOD,
    "a command with a number in it": {
        **aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {"command": ["sh", 5]}}}
    },
    "a whole number with a fraction of zero": pbkdf2(passphrase=SECRET, iterations=200000.0),
    "a list of blocks": {**GOOD, "key_provider": [{"pbkdf2": [{"main": {"passphrase": SECRET}}]}]},
    "a comment": {**GOOD, "//": "why"},
    "no aad": aes(aad=None),
    "numbers in quotes in aad": aes(aad=["1", 255]),
    "a provider that cannot be, unused": {
        **GOOD, "key_provider": {**GOOD["key_provider"], "nonsense": {"b": {"x": "${file(1)}"}}}
    },
    "enforced": {**GOOD, "state": {"enforced": True, "method": "method.aes_gcm.main"}},
    "other targets": {
        **GOOD,
        "plan": {"method": "method.aes_gcm.main"},
        "remote_state_data_sources": {
            "default": {"method": "method.aes_gcm.main"},
            "remote_state_data_source": {
                "net": {"method": "method.aes_gcm.main", "fallback": {"method": "method.unencrypted.u"}}
            },
        },
        "method": {**GOOD["method"], "unencrypted": {"u": {}}},
    },
    "another target that needs a service": {
        **GOOD,
        "key_provider": {**GOOD["key_provider"], "aws_kms": {"k": {"kms_key_id": "x"}}},
        "method": {"aes_gcm": {**GOOD["method"]["aes_gcm"], "k": {"keys": "key_provider.aws_kms.k"}}},
        "plan": {"method": "method.aes_gcm.k"},
    },
    "enforced in quotes": {**GOOD, "state": {"enforced": "true", "method": "method.aes_gcm.main"}},
    "an alias that is a number": pbkdf2(passphrase=SECRET, encrypted_metadata_alias=1.50),
    "a command with a fraction in it": {
        **aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {"command": ["sh", 5.5, True]}}}
    },
    "aad in other forms of the language": aes(aad=["1e2", "+7", "007"]),
    "an expression": pbkdf2(passphrase='${join("-", ["correct", "horse", "battery"])}', iterations="${200 * 1000}"),
    "keys of two lengths": aes(keys={"encryption_key": [1] * 16, "decryption_key": [1] * 24}),
}  # fmt: skip

REFUSED: dict[str, tuple[Any, str]] = {
    "passphrase is a number": (pbkdf2(passphrase=1234567890123456), "main, passphrase: must be a string"),
    "passphrase is null": (pbkdf2(passphrase=None), "main, passphrase: must be a string"),
    "passphrase is empty": (pbkdf2(passphrase=""), "needs either a passphrase or a chain"),
    "a variable without a value": (pbkdf2(passphrase="${var.p}"), "passphrase: var.p has no value: set TF_VAR_p or"),
    "an expression": (pbkdf2(passphrase='${file("/none")}'), "passphrase: OpenTofu would refuse it: Invalid function"),
    "a template": (pbkdf2(passphrase="a-${var.p}-b"), "passphrase: var.p has no value"),
    "a resource": (pbkdf2(passphrase="${random_password.p.result}"), "passphrase: the value of this expression is"),
    "a local value": (pbkdf2(passphrase="${local.p}"), "would refuse it: Reference to undeclared local value"),
    "a part of a key provider": (aes(keys="${key_provider.pbkdf2.main.encryption_key}"), "keys: must be a key prov"),
    "an expression of key providers": (
        aes(keys="${true ? key_provider.pbkdf2.main : key_provider.pbkdf2.main}"), "keys: a key provider cannot be used"
    ),
    "a key provider of a text, chained": (
        {**GOOD, "key_provider": {"pbkdf2": {"main": {"chain": '${"key_provider.pbkdf2.up"}'},
                                             "up": {"passphrase": SECRET}}}},
        "chain: must be a key provider",
    ),
    "alias from a variable": (pbkdf2(passphrase=SECRET, encrypted_metadata_alias="${var.p}"), "references are not"),
    "alias from a function": (pbkdf2(passphrase=SECRET, encrypted_metadata_alias='${upper("p")}'), "references are"),
    "enforced from a variable": (
        {**GOOD, "state": {"enforced": "${var.p}", "method": "method.aes_gcm.main"}}, "enforced: references are not"
    ),
    "an old key of 3 bytes": (aes(keys={"encryption_key": [1] * 16, "decryption_key": [1] * 3}), "has 3 bytes"),
    "a chain of an old key of 3 bytes": (
        pbkdf2(chain={"encryption_key": [1] * 16, "decryption_key": [1] * 3}), "chain: the key of that provider must"
    ),
    "another target without a method": ({**GOOD, "plan": {}}, "every target and every fallback needs a method"),
    "another target of an unknown method": (
        {**GOOD, "plan": {"method": "method.aes_gcm.other"}}, "plan: there is no block method.aes_gcm.other"
    ),
    "another target whose fallback is unknown": (
        {**GOOD, "plan": {"method": "method.aes_gcm.main", "fallback": {"method": "method.a.b"}}},
        "plan: there is no block method.a.b",
    ),
    "another target that is enforced": (
        {**GOOD, "method": {**GOOD["method"], "unencrypted": {"u": {}}},
         "plan": {"enforced": True, "method": "method.aes_gcm.main", "fallback": {"method": "method.unencrypted.u"}}},
        "plan: it uses method.unencrypted.u, which enforced forbids",
    ),
    "another target of a passphrase that is too short": (
        {**GOOD, "key_provider": {"pbkdf2": {**GOOD["key_provider"]["pbkdf2"], "p": {"passphrase": "too-short"}}},
         "method": {"aes_gcm": {**GOOD["method"]["aes_gcm"], "p": {"keys": "key_provider.pbkdf2.p"}}},
         "plan": {"method": "method.aes_gcm.p"}},
        "p, passphrase: must have at least 16 bytes",
    ),
    "targets for reading other states twice": (
        {**GOOD, "remote_state_data_sources": [{"default": {"method": "method.aes_gcm.main"}}] * 2},
        "remote_state_data_sources: duplicate block",
    ),
    "iterations in quotes": (pbkdf2(passphrase=SECRET, iterations="600000"), "iterations: must be a number"),
    "iterations with a fraction": (pbkdf2(passphrase=SECRET, iterations=600000.5), "iterations: must be a whole"),
    "iterations null": (pbkdf2(passphrase=SECRET, iterations=None), "iterations: must be a number.*not null"),
    "iterations true": (pbkdf2(passphrase=SECRET, iterations=True), "iterations: must be a number"),
    "iterations without end": (pbkdf2(passphrase=SECRET, iterations=10**12), "rounds"),
    "iterations beyond 64 bits": (pbkdf2(passphrase=SECRET, iterations=10**30), "whole number"),
    "hash function null": (pbkdf2(passphrase=SECRET, hash_function=None), "hash_function: must be a string"),
    "hash function in capitals": (pbkdf2(passphrase=SECRET, hash_function="SHA512"), "hash_function: must be one of"),
    "alias null": (pbkdf2(passphrase=SECRET, encrypted_metadata_alias=None), "metadata_alias: must be a string"),
    "keys absent": ({**GOOD, "method": {"aes_gcm": {"main": {}}}}, "keys: is missing"),
    "keys null": (aes(keys=None), "keys: must be a key provider"),
    "keys is a text": (aes(keys="something else"), "keys: must be a key provider"),
    "keys is a method": (aes(keys="method.aes_gcm.main"), "keys: must be a key provider"),
    "keys of another name": (aes(keys={"key": [1]}), "an object with keys may have only"),
    "key in base64": (aes(keys={"encryption_key": "QQ=="}), "encryption_key: must be a list of byte values"),
    "key of 3 bytes": (aes(keys={"encryption_key": [1, 2, 3]}), "the key has 3 bytes"),
    "key absent": (aes(keys={"decryption_key": [1] * 16}), "encryption_key: is null"),
    "aad with a fraction": (aes(aad=[1.5]), "aad: must contain only whole numbers"),
    "aad below zero": (aes(aad=[-1]), "aad: must contain only whole numbers"),
    "aad with a word": (aes(aad=["a"]), "aad: must contain only whole numbers"),
    "another argument": (aes(nonce=[1]), "nonce: unknown argument"),
    "an argument of unencrypted": (
        {"method": {"unencrypted": {"u": {"x": 1}}}, "state": {"method": "method.unencrypted.u"}}, "u, x: .*takes none"
    ),
    "no state": ({**GOOD, "state": []}, "state: the configuration has no such block"),
    "two states": ({**GOOD, "state": [GOOD["state"], GOOD["state"]]}, "state: duplicate block"),
    "no method": ({**GOOD, "state": {}}, "every target and every fallback needs a method"),
    "method as an expression": ({**GOOD, "state": {"method": "${method.aes_gcm.main}"}}, "method: must name a method"),
    "method is a provider": ({**GOOD, "state": {"method": "key_provider.pbkdf2.main"}}, "method: must name a method"),
    "fallback without method": (
        {**GOOD, "state": {"method": "method.aes_gcm.main", "fallback": {}}}, "every fallback needs a method"
    ),
    "two fallbacks": (
        {**GOOD, "state": {"method": "method.aes_gcm.main", "fallback": [{"method": "method.a.b"}] * 2}},
        "at most one fallback",
    ),
    "enforced in other quotes": (
        {**GOOD, "state": {"enforced": "yes", "method": "method.aes_gcm.main"}}, "enforced: must be true or false"
    ),
    "enforced null": (
        {**GOOD, "state": {"enforced": None, "method": "method.aes_gcm.main"}}, "enforced: must be true or false"
    ),
    "enforced for reading others": (
        {**GOOD, "remote_state_data_sources": {"default": {"enforced": True}}}, "enforced: unknown argument"
    ),
    "command is a text": (
        {**aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {"command": "sh"}}}},
        "command: must be a list of strings",
    ),
    "command with null in it": (
        {**aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {"command": ["sh", None]}}}},
        "command: must be a list of strings, but has null in it",
    ),
    "command is empty": (
        {**aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {"command": []}}}},
        "command: must be a list of strings.*is empty",
    ),
    "command absent": (
        {**aes(keys="key_provider.external.e"), "key_provider": {"external": {"e": {}}}}, "command: .*is missing"
    ),
    "not an object": ([], "c.hcl:1,1"),
    "a block is a text": ({"state": "x"}, "Incorrect JSON value type"),
    "another block": ({"lock": {}}, "lock: unknown block"),
}  # fmt: skip


@each_row("name", ACCEPTED)
def test_accepts(name: str) -> None:
    check_configuration(configured(json.dumps(ACCEPTED[name])))


@each_row("name", REFUSED)
def test_refuses(name: str) -> None:
    configuration, reason = REFUSED[name]
    with pytest.raises(ConfigurationError, match=reason):
        check_configuration(configured(json.dumps(configuration)))


@pytest.mark.parametrize("type_", ["aws_kms", "gcp_kms", "azure_vault", "openbao"])
def test_names_what_a_service_would_need(type_: str) -> None:
    own = {**GOOD, "key_provider": {type_: {"main": {"region": "x"}}}, "method": {
        "aes_gcm": {"main": {"keys": f"${{key_provider.{type_}.main}}"}}
    }}  # fmt: skip
    with pytest.raises(ConfigurationError, match=rf"key_provider\.{type_}\.main: its keys need a request to"):
        check_configuration(configured(json.dumps(own)))


@pytest.mark.parametrize(
    "text", ["{", '{"a": 1, "a": 2}', '{"state": {"method": "method.a.b", "method": "method.a.b"}}']
)
def test_refuses_text(text: str) -> None:
    with pytest.raises(ConfigurationError):
        configured(text)


def test_a_variable_is_a_text() -> None:
    check_configuration(configured(json.dumps(pbkdf2(passphrase="${ var.p }")), {"p": SECRET}))


def test_a_variable_that_is_no_text_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="passphrase: it is not UTF-8"):
        check_configuration(configured(json.dumps(pbkdf2(passphrase="${var.p}")), {"p": SECRET + "\udcff"}))


@pytest.mark.parametrize("depth", [400, 900, 5000])
def test_refuses_what_nests_deeply(depth: int) -> None:
    for text in (
        '{"method": {"a": {"b": {"x": %s}}}}' % ("[" * depth + "]" * depth),
        '{"state": ' + '{"fallback": ' * depth,
    ):
        with pytest.raises(ConfigurationError):
            check_configuration(configured(text))


def test_what_overrides_wins_argument_by_argument() -> None:
    base = {**pbkdf2(passphrase=SECRET, iterations=300000), "state": {"enforced": True, "method": "method.a.b"}}
    own = merged(configured(json.dumps(base)), configured(json.dumps(pbkdf2(key_length=16))))
    (provider,) = own.key_providers.values()
    assert {"passphrase", "iterations", "key_length"} == set(provider.arguments.values)
    assert own.targets["state"].enforced
    check_configuration(own)


def test_an_alias_that_would_be_ignored_is_an_error() -> None:
    over = configured(json.dumps(pbkdf2(encrypted_metadata_alias="x")))
    with pytest.raises(ConfigurationError, match="OpenTofu ignores it"):
        merged(configured(json.dumps(GOOD)), over)


@each_row("name", REFUSED)
def test_no_message_and_no_representation_has_a_secret(name: str) -> None:
    configuration, _ = REFUSED[name]
    with pytest.raises(ConfigurationError) as caught:
        own = configured(json.dumps(configuration))
        assert SECRET not in repr(own)
        check_configuration(own)
    assert SECRET not in str(caught.value)
