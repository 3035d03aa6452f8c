"""What the rules about objects, outputs, secrets and the file report, beyond the fixtures; no secret is ever shown."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest
from msgspec import Raw

from statefmt.formats.reading import inspect
from statefmt.golang import loads_exact
from statefmt.lint.check import check
from statefmt.lint.registry import all_pages
from statefmt.lint.subject import missing_steps
from statefmt.model.cty.data import Path as SensitivePath
from statefmt.model.findings import Code, Finding
from statefmt.redaction.partial import path_text
from statefmt.redaction.secrets import Covered, is_suspect, suspects
from statefmt.redaction.secrets.search import SHAPES, named_secret, password_in, secrets_in, shapes_in
from statefmt.render.findings import fix_text
from tests.formats.recorded import CASES, input_of
from tests.lint.good_states import found_in_good_states
from tests.lint.true_findings_ins_out_sec_sta import TRUE_FINDINGS
from tests.model.cty.sensitive_paths import parse_paths
from tests.tables import each_row

_HERE: Final = Path(__file__).parent
_OURS: Final = ("INS", "OUT", "CHK", "SEC", "STA")
_FIXTURES: Final = sorted(path for prefix in _OURS for path in _HERE.glob(f"{prefix}*/*.tfstate"))
_NEW: Final = [
    *(f"INS{number:03}" for number in range(5, 14)),
    *(f"STA{number:03}" for number in range(14, 19)),
    *("OUT003", "OUT004", "SEC001", "SEC002", "SEC003", "SEC004"),
]


def _text(*instances: dict[str, Any], **more: Any) -> bytes:
    resource = {"mode": "managed", "type": "t", "name": "n", "provider": 'provider["a/b/c"]', "instances": instances}
    return json.dumps({"version": 4, "resources": [resource], **more}).encode()


def _found(code: str, *instances: dict[str, Any], **more: Any) -> list[Finding]:
    return check(_text(*instances, **more), select=[code])


# --- the recorded states


def _evidence(finding: Finding) -> str:
    if finding.code == Code.DEPOSED_LEFT_OVER:
        return f"{finding.address} {re.findall(r'deposed object (.*);', finding.detail)[0]}"
    if finding.code == Code.NOT_UTF8:
        return str(re.findall(r"byte (\d+)", finding.detail)[0])
    return finding.address


def test_what_is_found_in_good_states_is_true() -> None:
    assert found_in_good_states(_OURS, _evidence) == TRUE_FINDINGS


def test_one_text_is_suspected_as_many_are() -> None:
    """The search of a single text is another one, for speed, and finds the same."""
    snapshots = [snapshot for case in CASES if (snapshot := inspect(input_of(case)).snapshot) is not None]
    objects = [obj for one in snapshots for resource in one.resources for obj in resource.objects]
    texts = [obj.attributes for obj in objects if obj.attributes is not None]
    texts += [
        _raw({"a": wrapped}) for _, secret in _SECRETS.values() for wrapped in (secret, [secret[:-9]], secret[9:])
    ]
    texts += [_raw({name: secret}) for _, secret in _SECRETS.values() for name in ("password", "DB_TOKEN", "apiKey")]
    many = set(suspects(texts))
    assert 100 < len(many) < len(texts)
    assert {place for place, text in enumerate(texts) if is_suspect(text)} == many


# What their providers declare sensitive, with values that a generator made.
_DECLARED: Final = {
    ("kubernetes_secret", "data"),
    ("tls_private_key", "private_key_pem"),
    ("azurerm_storage_account", "primary_access_key"),
    ("random_password", "result"),
}


def test_no_recorded_state_holds_another_secret() -> None:
    """They were generated without any but those: what else is found there is found wrongly."""
    secrets = [code for code in _NEW if code.startswith(("SEC", "OUT004"))]
    found = [finding for case in CASES for finding in check(input_of(case), select=secrets)]
    places = [(finding.address, finding.pointer.rsplit("/", 1)[-1]) for finding in found if finding.code in secrets]
    other = [
        (address, name)
        for address, name in places
        if not any(f"{type_name}." in address and name == attribute for type_name, attribute in _DECLARED)
    ]
    assert other == []
    assert len(places) > 100


# --- no secret is shown


_PEM: Final = "MIIEpAIBAAKCAQEA1fakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE"
_AWS_SECRET: Final = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
_AZURE_KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_SECRETS: Final = {
    "an RSA key": ("SEC001", f"-----BEGIN RSA PRIVATE KEY-----\n{_PEM}\n-----END RSA PRIVATE KEY-----\n"),
    "a PKCS 8 key": ("SEC001", f"-----BEGIN PRIVATE KEY-----\n{_PEM}\n-----END PRIVATE KEY-----\n"),
    "an EC key": ("SEC001", f"-----BEGIN EC PRIVATE KEY-----\n{_PEM}\n-----END EC PRIVATE KEY-----\n"),
    "an encrypted key": (
        "SEC001",
        f"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{_PEM}\n-----END ENCRYPTED PRIVATE KEY-----",
    ),
    "a key with headers": (
        "SEC001",
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n{_PEM}\n-----END",
    ),
    "an OpenSSH key": ("SEC001", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_PEM}\n-----END OPENSSH PRIVATE KEY-----\n"),
    "a PGP key": ("SEC001", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{_PEM}\n-----END PGP"),
    "an age key": ("SEC001", "AGE-SECRET-KEY-1QQPQZFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0"),
    "a PuTTY key": ("SEC001", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAABAfakeFAKEfakeFAKE\n"),
    "an Azure connection": ("SEC002", f"DefaultEndpointsProtocol=https;AccountName=s;AccountKey={_AZURE_KEY}"),
    "an Azure bus": ("SEC002", "Endpoint=sb://b/;SharedAccessKey=fAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAk="),
    "an Azure signature": ("SEC002", "?sv=2021-06-08&sig=fAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkEfAk%3D"),
    "an Azure client secret": ("SEC002", "fAk8Q~fakeFAKEfakeFAKEfakeFAKEfakeFA12"),
    "a Google API key": ("SEC002", "AIzaSyDfakeFAKE1234567890fakeFAKE123456"),
    "a GitHub token": ("SEC003", "ghp_0123456789abcdefABCDEF0123456789abcd"),
    "a GitHub app token": ("SEC003", "ghs_0123456789abcdefABCDEF0123456789abcd"),
    "a new GitHub token": ("SEC003", "github_pat_11ABCDEFG0fakeFAKE1234_" + "fakeFAKE12" * 5 + "fakeFAKE1"),
    "a GitLab token": ("SEC003", "glpat-fakeFAKE1234fakeFAKE"),
    "a Slack token": ("SEC003", "xoxb-000000000000-0000000000000-fakeFAKEfakeFAKEfakeFAKE"),
    "a Slack webhook": ("SEC003", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    "a Vault token": ("SEC003", "hvs.CAESIfakeFAKEfakeFAKEfakeFAKEfakeFAKE"),
    "an npm token": ("SEC003", "npm_fakeFAKE1234fakeFAKE1234fakeFAKE1234"),
    "a PyPI token": ("SEC003", "pypi-AgEIcHlwaS5vcmc" + "fakeFAKE12" * 5),
    "a Stripe key": ("SEC003", "sk_live_fakeFAKE1234fakeFAKE1234"),
    "a SendGrid key": ("SEC003", "SG.fakeFAKE1234fakeFAKE12.fakeFAKE1234fakeFAKE1234fakeFAKE1234fakeFA1"),
    "an OpenAI key": ("SEC003", "sk-proj-fakeFAKE1234fakeFAKET3BlbkFJfakeFAKE1234fakeFAKE"),
    "an Anthropic key": ("SEC003", "sk-ant-api03-fakeFAKE1234fakeFAKE1234fakeFAKE1234fakeFAKE"),
    "a JSON web token": (
        "SEC003",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    ),
}
_PLANTED: Final = (
    _PEM,
    _AWS_SECRET,
    _AZURE_KEY,
    "hunter2",
    "p4ss.w0rd-f4k3-1234",
    "f4k3f4k3f4k3f4k3",
    "K3yK3yK3yK3yK3y",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    *(run for _, secret in _SECRETS.values() for run in re.findall(r"[A-Za-z0-9+=_-]{16,}", secret)),
)


def _said(finding: Finding) -> str:
    return "\n".join(str(field) for field in astuple(finding))


# Words and noughts at the start of some secrets, which findings may well say of other things.
_WORDS: Final = {"Accoun", "ccount", "github", "ithub_", "000000"}
_PIECES: Final = {secret[at : at + 6] for secret in _PLANTED for at in range(len(secret) - 5)} - _WORDS


@each_row("path", _FIXTURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_finding_shows_a_secret(path: Path) -> None:
    said = "\n".join(map(_said, check(path.read_bytes())))
    assert [piece for piece in sorted(_PIECES) if piece in said] == []


def test_the_planted_secrets_are_in_the_fixtures() -> None:
    text = b"".join(path.read_bytes() for path in _FIXTURES).decode("utf-8", "replace")
    assert [secret for secret in _PLANTED[:9] if secret not in text] == []
    for path in _FIXTURES:
        if path.parent.name in ("SEC001", "SEC002", "SEC003", "SEC004", "OUT004") and path.name.startswith("fail"):
            assert any(piece in path.read_text() for piece in _PIECES)


# --- secrets by shape, wherever they stand


def _raw(value: object, indent: int | None = None) -> Raw:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return Raw(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e").encode())


_ALONE: Final = Raw(b'{"id":"x"}')


@each_row(("code", "secret"), _SECRETS.values(), ids=_SECRETS)
def test_known_by_its_shape(code: str, secret: str) -> None:
    assert list(shapes_in(secret)) == [code]
    assert list(shapes_in(f"export A='{secret}'\n")) == [code]


@each_row("secret", [secret for _, secret in _SECRETS.values()], ids=_SECRETS)
def test_suspected_in_raw_text(secret: str) -> None:
    values: list[object] = [secret, f"a {secret} b", [{"b": secret}], json.dumps({"c": [secret]})]
    texts = [_raw({"a": value}, indent) for value in values for indent in (None, 2)]
    everywhere = [text for wanted in texts for text in (_ALONE, wanted)]
    assert list(suspects(everywhere)) == list(range(1, len(everywhere), 2))


def test_suspected_among_much_base64() -> None:
    """Letters that are rare elsewhere are not rare there, and are searched for in another way."""
    much = base64.b64encode(bytes(range(256)) * 400).decode()
    secrets = [secret for _, secret in _SECRETS.values()]
    texts = [_raw({"a": much, "b": secret}) for secret in secrets]
    assert list(suspects([_raw({"a": much, "b": "x"}), *texts])) == list(range(1, len(texts) + 1))


@each_row("between", ["+", "/", "\n", "=", '"', " "], sample=2)
def test_found_inside_a_long_string_of_base64(between: str) -> None:
    much = base64.b64encode(bytes(range(256)) * 399).decode()
    secrets = [secret for _, secret in _SECRETS.values()]
    encoded = [base64.b64encode(secret.encode()).decode() for secret in secrets[:6]]
    google = base64.b64encode(b'{\n  "type": "service_account",\n').decode()
    with_id = f"AKIAIOSFODNN7EXAMPLE{between}{_AWS_SECRET}"
    strings = [
        string
        for secret in [*secrets, *encoded, google, with_id]
        for string in (
            f"{secret}{between}{much}",
            f"{much}{between}{secret}{between}{much}",
            f"{much}{between}{secret}",
            f"{much}{between}{secret}{between}{much[:300]}==",
        )
    ]
    values = [{"a": string, "b": much} for string in strings]
    found = [number for number, value in enumerate(values) if any(secrets_in(loads_exact(bytes(_raw(value)))))]
    assert len(found) > len(values) / 2
    assert set(suspects([_raw(value) for value in values])) >= {*found}


@pytest.mark.parametrize("name", ["password", "DB_SECRET", "apiKey", "auth_token", "accessKey"])
def test_long_base64_found_by_its_name(name: str) -> None:
    much = base64.b64encode(bytes(range(256)) * 399).decode()
    texts = [_raw({"a": much}), _raw({"a": much, name: much}), _raw({"a": json.dumps({name: much}), "b": much})]
    assert list(suspects(texts)) == [1, 2]


def test_long_base64_without_a_secret_is_not_suspected() -> None:
    """The letters of a key occur in it by chance; decoding each such value would take much longer."""
    much = base64.b64encode(Random(7).randbytes(300_000)).decode()
    assert "za" in much
    lines = "\n".join(much[start : start + 76] for start in range(0, len(much), 76))
    assert list(suspects([_raw({"user_data": much}), _raw({"user_data": lines})])) == []


def test_every_shape_has_an_example() -> None:
    texts = [secret for _, secret in _SECRETS.values()]
    texts += [base64.b64encode(text.encode()).decode() for text in texts[:6]]
    texts += [base64.b64encode(b'{\n  "type": "service_account",\n').decode()]
    assert [shape.kind for shape in SHAPES if not any(shape.pattern.search(text) for text in texts)] == []
    assert list(suspects([_raw({"a": text}) for text in texts])) == list(range(len(texts)))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----", id="placeholder for a key"),
        pytest.param(f"-----BEGIN PUBLIC KEY-----\n{_PEM}\n-----END PUBLIC KEY-----", id="public key"),
        pytest.param(f"-----BEGIN CERTIFICATE-----\n{_PEM}\n-----END CERTIFICATE-----", id="certificate"),
        pytest.param(base64.b64encode(b"-----BEGIN CERTIFICATE-----\n").decode(), id="certificate in base64"),
        pytest.param("AKIAIOSFODNN7EXAMPLE", id="id of an AWS key"),
        pytest.param("graphp_0123456789abcdefABCDEF0123456789abcd", id="part of a longer word"),
        pytest.param("ghp_0123456789abcdefABCDEF0123456789abcd0", id="too long for a GitHub token"),
        pytest.param("arn:aws:iam::123456789012:role/ghp_role", id="name that starts alike"),
        pytest.param("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", id="JSON in base64"),
        pytest.param("0123456789abcdef" * 4, id="digest"),
    ],
)
def test_no_secret_by_its_shape(text: str) -> None:
    assert shapes_in(text) == {}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"id": "AKIAIOSFODNN7EXAMPLE", "s": _AWS_SECRET}, [("SEC002", ("s",))], id="beside the id"),
        pytest.param(
            {"a": [{"id": "ASIAIOSFODNN7EXAMPLE"}], "b": [_AWS_SECRET]}, [("SEC002", ("b", 0))], id="far away"
        ),
        pytest.param({"s": _AWS_SECRET}, [], id="without the id"),
        pytest.param(
            {"id": "AKIAIOSFODNN7EXAMPLE", "s": "0123456789abcdef01234567" + "0123456789abcdef"}, [], id="digest"
        ),
        pytest.param({"id": "AKIAIOSFODNN7EXAMPLE", "s": _AWS_SECRET + "x"}, [], id="41 letters"),
        pytest.param({"id": "AROAIOSFODNN7EXAMPLE", "s": _AWS_SECRET}, [], id="id of a role"),
    ],
)
def test_aws_keys_are_two_texts(value: object, expected: list[tuple[str, tuple[object, ...]]]) -> None:
    found = secrets_in(loads_exact(json.dumps(value).encode()))
    assert [(secret.code, secret.steps) for secret in found] == expected


# --- secrets by name


@each_row(
    ("name", "value", "kind"),
    [
        ("password", "hunter2", "a password"),
        ("DB_PASSWORD", "hunter2", "a password"),
        ("adminPasswd", "hunter2", "a password"),
        ("key_passphrase", "correct-horse", "a password"),
        ("environment.0.variables.PWD", "hunter2", "a password"),
        ("client_secret", "p4ss.w0rd-f4k3-1234", "a secret"),
        ("secret_string", "p4ss.w0rd-f4k3-1234", "a secret"),
        ("clientSecret", "p4ss.w0rd-f4k3-1234", "a secret"),
        ("auth-token", "f4k3f4k3f4k3f4k3", "a token"),
        ("TOKEN", "0f3a0f3a-0f3a-0f3a-0f3a-0f3a0f3a0f3a", "a token"),
        ("apiKey", "K3yK3yK3yK3yK3y", "a secret key"),
        ("APIKEY", "K3yK3yK3yK3yK3y", "a secret key"),
        ("secret-key", "K3yK3yK3yK3yK3y", "a secret key"),
        ("primary_access_key", _AZURE_KEY, "an Azure storage key"),
        # what the name does not say
        ("username", "hunter2", None),
        ("password_hash", "hunter2", None),
        ("password_data", "hunter2", None),
        ("http_tokens", "f4k3f4k3f4k3f4k3", None),
        ("creation_token", "f4k3f4k3f4k3f4k3", None),
        ("clientRequestToken", "f4k3f4k3f4k3f4k3", None),
        ("public_key", "K3yK3yK3yK3yK3y", None),
        ("kms_key", "K3yK3yK3yK3yK3y", None),
        ("key", "K3yK3yK3yK3yK3y", None),
        # what the value is not
        ("password", "", None),
        ("password", "abc", None),
        ("password", "********", None),
        ("password", "(sensitive value)", None),
        ("password", "<redacted>", None),
        ("password", "changeme", None),
        ("password", "change-me-please", None),
        ("password", "your password", None),
        ("password", "${var.password}", None),
        ("password", "$DB_PASSWORD", None),
        ("password", "{{ .password }}", None),
        ("password", "see the vault", None),
        ("password", "/run/secrets/db", None),
        ("password", "vault:kv/data/app", None),
        ("password", "$2b$12$fakeFAKEfakeFAKE", None),
        ("password", "{SSHA}fakeFAKEfakeFAKE", None),
        ("password", "sha256:0123456789", None),
        ("secret", "arn:aws:secretsmanager:eu-central-1:1:secret:x-1", None),
        ("secret", "projects/p/secrets/s1", None),
        ("secret", "https://kv.vault.azure.net/secrets/s1", None),
        ("secret", "db-credentials-v2", None),
        ("secret", "onlyletters", None),
        ("token", "required", None),
        ("private_key", "~/.ssh/id_ed25519.pem", None),
        ("access_key", "AKIAIOSFODNN7EXAMPLE", None),
        ("secret_key", "0f3a0f3a-0f3a-0f3a-0f3a-0f3a0f3a0f3a", None),
    ],
)
def test_known_by_its_name(name: str, value: str, kind: str | None) -> None:
    assert named_secret(name, value) == kind
    if kind:
        listed = [{"name": name, "value": value}]
        values: list[object] = [
            {name: value},
            {"a": listed},
            {"a": json.dumps({name: value})},
            {"a": json.dumps(listed)},
        ]
        texts = [_raw(value, indent) for value in values for indent in (None, 2)]
        assert list(suspects(texts)) == list(range(len(texts)))


@each_row(
    ("text", "found"),
    [
        ("postgres://app:hunter2@db:5432/app", "a URL with a password"),
        ("redis://:hunter2@cache", "a URL with a password"),
        ("see https://app:hunter2@example.com/x?y=1.", "a URL with a password"),
        ("Server=db;User Id=app;Password=hunter2;", "a password"),
        ("mysql --password=hunter2 app", "a password"),
        ("https://example.com:8443/a@b", None),
        ("ssh://git@example.com:22/a.git", None),
        ("docker://app:1.2@sha256:0123", None),
        ("https://user:${PASSWORD}@example.com", None),
        ("https://user:****@example.com", None),
        ("ops@example.com", None),
        ("password=$PASSWORD", None),
        ("password=<password>", None),
    ],
)
def test_passwords_in_texts(text: str, found: str | None) -> None:
    assert password_in(text) == found
    if found:
        texts = [_raw({"a": value}) for value in (text, f"x {text}", json.dumps({"b": text}))]
        assert list(suspects(texts)) == [0, 1, 2]


def test_a_text_that_is_nearly_one_name_is_read_in_linear_time() -> None:
    long = "a" * 1_000_000
    assert password_in(long) is None
    assert named_secret("token", long) is None
    assert shapes_in(long) == {}


# --- marked or not


def _paths(*paths: list[str | int | list[str]]) -> tuple[SensitivePath, ...]:
    """Names are steps to attributes, numbers to elements, names in a list to elements of maps."""
    steps = [
        [
            {"type": "get_attr", "value": step}
            if isinstance(step, str)
            else {"type": "index", "value": {"value": step, "type": "number"}}
            if isinstance(step, int)
            else {"type": "index", "value": {"value": step[0], "type": "string"}}
            for step in path
        ]
        for path in paths
    ]
    return parse_paths(json.dumps(steps).encode())


@pytest.mark.parametrize(
    ("steps", "path", "covered"),
    [
        pytest.param(("a",), ["a"], True, id="itself"),
        pytest.param(("a", 0, "b"), ["a"], True, id="what it is part of"),
        pytest.param(("a",), ["a", "b"], False, id="only a part of it"),
        pytest.param(("a", "b"), ["b"], False, id="another"),
        pytest.param(("a", 1), ["a", 1], True, id="element"),
        pytest.param(("a", 1), ["a", 0], False, id="another element"),
        pytest.param(("a", 1), ["a", ["x"]], True, id="perhaps an element of a set"),
        pytest.param(("a", "x"), ["a", ["x"]], True, id="element of a map"),
        pytest.param(("a", "value", "x"), ["a", "x"], True, id="in a value of any type"),
        pytest.param(("a", "value"), ["a", "value"], True, id="attribute called value"),
        pytest.param(("a",), [], True, id="the whole object"),
    ],
)
def test_covered(steps: tuple[str | int, ...], path: list[str | int | list[str]], covered: bool) -> None:
    assert (steps in Covered(_paths(["other"], path))) is covered
    assert steps not in Covered(())


@each_row(
    ("attributes", "path", "missing"),
    [
        ({"a": {"b": [{"c": 1}]}}, ["a", "b", 0, "c"], None),
        ({"a": {"b": [{"c": 1}]}}, ["a", "b", 0, "d"], 3),
        ({"a": {"b": [{"c": 1}]}}, ["a", "b", 1, "c"], 2),
        ({"a": {"b": [{"c": 1}]}}, ["a", "b", "c"], 2),
        ({"a": {"b": [{"c": 1}]}}, ["a", ["x"]], 1),
        ({"a": {"b": [{"c": 1}]}}, ["a", 0], 1),
        ({"a": {"b": [{"c": 1}]}}, ["x", "y", "z"], 0),
        ({"a": None}, ["a", "b", 0, "c"], None),
        (None, ["a"], None),
        ({"a": []}, ["a", 0], 1),
        ({"a": ["x"]}, ["a", -1], 1),
        ({"a": ["x"]}, ["a", ["y"]], None),
        ({"a": [1, 2]}, ["a", 80], None),
        ({"a": "x"}, ["a", 0], 1),
        ({"a": True}, ["a", "b"], 1),
        ({"a": {"value": {"b": 1}, "type": "x"}}, ["a", "b"], None),
        ({"a": {"value": {"b": 1}, "type": "x"}}, ["a", "c"], 1),
        ({"a": {"value": "1.2.3.4", "type": "A"}}, ["a", "value"], None),
        ({}, [], None),
        ([], ["a"], 0),
    ],
)
def test_missing_steps(attributes: object, path: list[str | int | list[str]], missing: int | None) -> None:
    for indent in (None, 2):
        assert [*missing_steps(Raw(json.dumps(attributes, indent=indent).encode()), _paths(path))] == [missing]


def test_missing_steps_beside_half_a_letter() -> None:
    raw = Raw(b'{"a": "\\ud800", "b": ["\\ud800"]}')
    assert [*missing_steps(raw, _paths(["a"], ["b", 0], ["b", 5], ["c"]))] == [None, None, 1, 0]


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (("a",), "a"),
        (("rule", 0, "tags", "a b"), 'rule[0].tags["a b"]'),
        (("a", 'x"y', "z"), 'a["x\\"y"].z'),
        (("a.b", "c"), '["a.b"].c'),
        ((), ""),
    ],
)
def test_paths_as_text(steps: tuple[str | int, ...], text: str) -> None:
    assert path_text(steps) == text


# --- what findings say


_PATH = {"type": "get_attr", "value": "a"}


@each_row(
    ("code", "data", "says"),
    [
        pytest.param("INS005", _text({"status": "tainted"}), "`statetool untaint t.n`", id="plain address"),
        pytest.param(
            "INS005", _text({"status": "tainted", "index_key": "a b"}), "untaint 't.n[\"a b\"]'`", id="quoted"
        ),
        pytest.param("INS006", _text({"deposed": "5a3e8f01"}), "has the deposed object 5a3e8f01;", id="deposed key"),
        pytest.param("INS008", _text({"deposed": "5a3e8f01"}), "The deposed object 5a3e8f01 of t.n", id="which object"),
        pytest.param(
            "INS009",
            _text({"index_key": 0, "schema_version": 1}, {"index_key": 1}),
            "t.n[1] has schema version 0, but the first instance of t.n has 1.",
            id="versions",
        ),
        pytest.param(
            "INS010",
            _text({"attributes": {"a": "x"}, "sensitive_attributes": [[_PATH, {**_PATH, "value": "b c"}]]}),
            't.n: the attributes have no a["b c"], which',
            id="path",
        ),
        pytest.param(
            "INS010",
            _text(
                {
                    "attributes": {"a": "x"},
                    "sensitive_attributes": [
                        [_PATH, {"type": "index", "value": {"value": "hidden", "type": "string"}}]
                    ],
                }
            ),
            "the attributes have no a[…], which",
            id="key that may be a value",
        ),
        pytest.param(
            "STA015", b'{"version": 4, "serial": 9007199254740993}', "serial 9007199254740993 is", id="serial"
        ),
        pytest.param("STA016", b'{"version": 4, "terraform_version": "v1.16"}', "by release v1.16, which", id="newer"),
        pytest.param("STA016", b'{"version": 4}', "does not say which release", id="no release"),
        pytest.param(
            "SEC004",
            _text({"attributes": {"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}}),
            "t.n: env[0].value contains what looks like a password, but is not marked as sensitive.",
            id="secret",
        ),
        pytest.param(
            "OUT004",
            b'{"version": 4, "outputs": {"a": {"value": {"password": "hunter2", "pwd": "hunter3"}}}}',
            'The output "a" contains what looks like a password, but',
            id="output",
        ),
    ],
)
def test_says(code: str, data: bytes, says: str) -> None:
    (finding,) = [finding for finding in check(data, select=[code]) if finding.code == code]
    assert says in f"{finding.detail} {fix_text(finding.fix)}"
    assert "hidden" not in f"{finding.detail} {fix_text(finding.fix)}"


@pytest.mark.parametrize(
    ("kind", "status", "objects", "says"),
    [
        ("check", "fail", [], "the check t.n did not hold."),
        ("var", "fail", [], "the validation of t.n did not hold."),
        ("resource", "error", [], "a condition of t.n could not be evaluated."),
        ("resource", "fail", ["t.n"], "a condition of t.n did not hold."),
        ("resource", "fail", ["t.n[0]", "t.n[1]"], "did not hold for t.n[0], t.n[1]."),
        ("resource", "fail", [f"t.n[{number}]" for number in range(5)], "for t.n[0], t.n[1], t.n[2] and 2 more."),
    ],
)
def test_failed_checks(kind: str, status: str, objects: list[str], says: str) -> None:
    checked = [{"object_addr": addr, "status": "fail", "failure_messages": ["hunter2"]} for addr in objects]
    result = {"object_kind": kind, "config_addr": "t.n", "status": status, "objects": checked}
    (finding,) = _found("STA017", check_results=[result])
    assert finding.detail.endswith(says)
    assert "hunter2" not in _said(finding)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(_text(*[{}] * 1999), None, id="objects, one less"),
        pytest.param(_text(*[{}] * 2000), "1 resources and 2,000 objects.", id="objects"),
        pytest.param(_text({"attributes": {"a": "x" * 19_990_000}}), None, id="bytes, a little less"),
        pytest.param(_text({"attributes": {"a": "x" * 20_000_000}}), "20.0 MB", id="bytes"),
        pytest.param(
            msgspec.json.format(
                _text({"dependencies": ["t.x"] * 50_000, "attributes": {"a": "x" * 100_000}}), indent=2
            ),
            "dependencies take up 9",
            id="dependencies, indented",
        ),
        pytest.param(
            msgspec.json.format(
                _text({"depends_on": ["t.x"] * 100_000, "attributes": {"a": "x" * 900_000}}), indent=-1
            ),
            "dependencies take up 40% of it",
            id="dependencies, on one line",
        ),
        pytest.param(
            _text({"dependencies": ["t.x"] * 100_000, "attributes": {"a": "x" * 2_000_000}}), None, id="a share"
        ),
        pytest.param(_text({"dependencies": ["t.x"] * 50_000}), None, id="a small file"),
    ],
)
def test_large_states(data: bytes, says: str | None) -> None:
    found = check(data, select=["STA018"])
    assert [says in finding.detail for finding in found] == ([True] if says else []) if says else found == []


def test_secrets_that_are_keys_of_a_map_are_not_shown() -> None:
    token = "ghp_0123456789abcdefABCDEF0123456789abcd"
    (finding,) = _found("SEC003", {"attributes": {"a": {token: {"b": token}}}})
    assert finding.pointer == "/resources/0/instances/0/attributes/a"
    assert token not in _said(finding)


def test_one_finding_for_each_rule_and_text() -> None:
    script = (
        f"export GH=ghp_0123456789abcdefABCDEF0123456789abcd\nkey='{_SECRETS['an RSA key'][1]}'\npassword=hunter2\n"
    )
    instance = {"attributes": {"password": script}}
    assert [(f.code, f.pointer[-8:]) for f in _found("SEC", instance)] == [
        ("SEC001", "password"),
        ("SEC003", "password"),
    ]


def test_attributes_nested_deeper_than_python_goes_are_left_alone() -> None:
    deep = '{"password": "hunter2", "a": ' + "[" * 50000 + "]" * 50000 + "}"
    text = _text({"attributes": "@"}, outputs={"o": {"value": "@", "type": "dynamic"}}).decode().replace('"@"', deep)
    assert [finding for finding in check(text.encode(), select=["SEC", "OUT004"]) if finding.code in _NEW] == []


def test_json_in_json_in_json_is_searched() -> None:
    inner = json.dumps({"a": json.dumps({"b": json.dumps({"DB_PASSWORD": "hunter2"})})})
    (finding,) = _found("SEC004", {"attributes": {"x": inner}})
    assert finding.pointer.endswith("/attributes/x")


# --- pages


@each_row("code", _NEW)
def test_the_page_gives_the_severity_and_its_reason(code: str) -> None:
    page = all_pages()[code]
    reasons = {"error": "an error", "warning": "a warning", "info": "information"}
    why = page.text.split("## Why is this bad?")[1].split("## Example")[0]
    assert reasons[page.rule.severity.value] in why
