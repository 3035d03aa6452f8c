"""Credentials are found as OpenTofu and Terraform find them, in the environment of the run, and go to no other host."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import SettingSource
from statefmt.store.s3 import S3Client, keys_of
from tests.servers.s3 import S3Server
from tests.servers.wrong_s3 import Answer, Request, WrongServer
from tests.store.s3.connecting import KEY, Opened, connection_of, given_of, place_of

ROLE: Final = "arn:aws:iam::123456789012:role/states"
CONFIG: Final = """
[default]
aws_access_key_id = AKIDDEFAULT
aws_secret_access_key = default-secret

[profile other]
aws_access_key_id = AKIDOTHER
aws_secret_access_key = other-secret

[profile role]
role_arn = arn:aws:iam::123456789012:role/of-profile
source_profile = other
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def sent(wrong: WrongServer) -> list[Request]:
    """The requests that arrive."""
    found: list[Request] = []

    def watched(request: Request) -> Answer | None:
        found.append(request)
        return request.forward(request)

    wrong.at(lambda request: True, watched)
    return found


def _client(
    server: S3Server,
    bucket: str,
    home: Path,
    arguments: Mapping[str, SettingValue],
    variables: Mapping[str, str],
    *,
    source: SettingSource = SettingSource.OPTION,
    options: BackendOptions | None = None,
    opened: Opened | None = None,
) -> S3Client:
    """A client whose environment has only these variables and the endpoint of the server."""
    environment = {
        "HOME": os.fspath(home),
        "AWS_REGION": "eu-west-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": server.url,
        **variables,
    }
    whole: dict[str, SettingValue] = {"bucket": bucket, "key": KEY, "use_path_style": True, **arguments}
    return S3Client(place_of(whole, environment, source=source), connection_of(environment, opened, options))


def _access_key(request: Request) -> str:
    return request.headers["authorization"].partition("Credential=")[2].partition("/")[0]


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        ({}, {}, "AKIDDEFAULT"),
        ({}, {"AWS_PROFILE": "other"}, "AKIDOTHER"),
        ({"profile": "other"}, {}, "AKIDOTHER"),
        ({}, {"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "s"}, "AKIDENV"),
        # A profile that is written wins over keys in variables; one in a variable does not.
        ({"profile": "other"}, {"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "s"}, "AKIDOTHER"),
        ({}, {"AWS_PROFILE": "other", "AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "s"}, "AKIDENV"),
        (
            {"access_key": "AKIDARG", "secret_key": "s"},
            {"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "of-other-keys"},
            "AKIDARG",
        ),
    ],
)
def test_whose_keys_sign(
    wrong: WrongServer,
    sent: list[Request],
    bucket: str,
    home: Path,
    arguments: dict[str, SettingValue],
    variables: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What the process has in its own environment does not count.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDPROCESS")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_PROFILE", "of-the-process")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert _client(wrong.server, bucket, home, arguments, variables).read() is None
    (request,) = sent
    assert _access_key(request) == expected
    assert "x-amz-security-token" not in request.headers


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {
                "assume_role": {
                    "role_arn": ROLE,
                    "session_name": "me",
                    "external_id": "ext",
                    "duration": "1h",
                    "policy": " {} ",
                    "policy_arns": ["arn:aws:iam::aws:policy/A"],
                    "tags": {"a": "b"},
                    "transitive_tag_keys": ["a"],
                }
            },
            {
                "RoleSessionName": "me",
                "ExternalId": "ext",
                "DurationSeconds": "3600",
                "Policy": "{}",
                "PolicyArns.member.1.arn": "arn:aws:iam::aws:policy/A",
                "Tags.member.1.Key": "a",
                "Tags.member.1.Value": "b",
                "TransitiveTagKeys.member.1": "a",
            },
        ),
        (
            {"role_arn": ROLE, "session_name": "me", "external_id": "ext", "assume_role_duration_seconds": 900},
            {"RoleSessionName": "me", "ExternalId": "ext", "DurationSeconds": "900"},
        ),
    ],
)
def test_assumed_role(
    wrong: WrongServer,
    sent: list[Request],
    bucket: str,
    home: Path,
    arguments: dict[str, SettingValue],
    expected: dict[str, str],
) -> None:
    client = _client(wrong.server, bucket, home, arguments, {"AWS_PROFILE": "other"})
    assert client.read() is None
    assume, read = sent
    assert _access_key(assume) == "AKIDOTHER"
    form = {name: values[0] for name, values in parse_qs(assume.body.decode()).items()}
    assert form["Action"] == "AssumeRole"
    assert form["RoleArn"] == ROLE
    assert {name: form.get(name) for name in expected} == expected
    # Temporary keys, which STS invents.
    assert _access_key(read).startswith("ASIA")
    assert read.headers["x-amz-security-token"]


def test_role_of_a_profile(wrong: WrongServer, sent: list[Request], bucket: str, home: Path) -> None:
    assert _client(wrong.server, bucket, home, {"profile": "role"}, {}).read() is None
    assert _access_key(sent[0]) == "AKIDOTHER"
    assert "of-profile" in sent[0].body.decode()
    assert _access_key(sent[1]).startswith("ASIA")


@pytest.mark.parametrize("written", [True, False])
def test_web_identity(wrong: WrongServer, sent: list[Request], bucket: str, home: Path, written: bool) -> None:
    (home / "token").write_text("the-token")
    values: dict[str, SettingValue] = {"role_arn": ROLE, "web_identity_token_file": os.fspath(home / "token")}
    arguments: dict[str, SettingValue] = {"assume_role_with_web_identity": values} if written else {}
    variables = {} if written else {"AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": os.fspath(home / "token")}
    assert _client(wrong.server, bucket, home, arguments, variables).read() is None
    form = parse_qs(sent[0].body.decode())
    assert form["Action"] == ["AssumeRoleWithWebIdentity"]
    assert form["WebIdentityToken"] == ["the-token"]
    assert "authorization" not in sent[0].headers
    assert _access_key(sent[1]).startswith("ASIA")


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ({"allowed_account_ids": ["123456789012"]}, True),
        ({"allowed_account_ids": ["999999999999"]}, False),
        ({"forbidden_account_ids": ["123456789012"]}, False),
        ({"forbidden_account_ids": ["999999999999"]}, True),
    ],
)
def test_accounts(
    wrong: WrongServer, sent: list[Request], bucket: str, home: Path, arguments: dict[str, SettingValue], allowed: bool
) -> None:
    client = _client(wrong.server, bucket, home, arguments, {})
    if allowed:
        assert client.read() is None
        return
    with pytest.raises(StoreError, match="123456789012"):
        client.read()
    assert not any(request.method == "GET" for request in sent)


def test_no_credentials(wrong: WrongServer, sent: list[Request], bucket: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no AWS credentials were found"):
        _client(wrong.server, bucket, tmp_path, {}, {}).read()
    with pytest.raises(StoreError, match=r"profile \(nowhere\)"):
        _client(wrong.server, bucket, tmp_path, {"profile": "nowhere"}, {}).read()
    with pytest.raises(StoreError, match="access_key and secret_key must be set both"):
        _client(wrong.server, bucket, tmp_path, {"secret_key": "hunter2"}, {}).read()
    assert sent == []


def test_invalid_argument_of_a_role(wrong: WrongServer, bucket: str, home: Path) -> None:
    arguments: dict[str, SettingValue] = {"assume_role": {"role_arn": ROLE, "external_id": "x"}}
    with pytest.raises(StoreError, match=r"request for credentials: ExternalId$"):
        _client(wrong.server, bucket, home, arguments, {}).read()


def _program(home: Path) -> str:
    """A program that leaves a trace, and prints credentials."""
    code = (
        "import json, pathlib\n"
        f"pathlib.Path({os.fspath(home / 'ran')!r}).touch()\n"
        "print(json.dumps({'Version': 1, 'AccessKeyId': 'AKIDPROGRAM', 'SecretAccessKey': 's'}))\n"
    )
    (home / "program.py").write_text(code)
    return f"{sys.executable} {home / 'program.py'}"


def test_program_of_a_folder(wrong: WrongServer, sent: list[Request], bucket: str, home: Path) -> None:
    (home / "of-folder").write_text(
        f"[profile a]\nrole_arn = {ROLE}\nsource_profile = b\n[profile b]\ncredential_process = {_program(home)}\n"
    )
    arguments: dict[str, SettingValue] = {"shared_config_files": [os.fspath(home / "of-folder")], "profile": "a"}
    client = _client(wrong.server, bucket, home, arguments, {}, source=SettingSource.RECORD)
    with pytest.raises(StoreError, match="needs to run the program"):
        client.read()
    assert not (home / "ran").exists()
    assert sent == []
    allowed = BackendOptions(allow_external=True)
    assert (
        _client(wrong.server, bucket, home, arguments, {}, source=SettingSource.RECORD, options=allowed).read() is None
    )
    assert (home / "ran").exists()
    assert _access_key(sent[0]) == "AKIDPROGRAM"


def test_program_of_the_user(wrong: WrongServer, sent: list[Request], bucket: str, home: Path) -> None:
    (home / ".aws" / "config").write_text(f"[default]\ncredential_process = {_program(home)}\n")
    assert _client(wrong.server, bucket, home, {}, {}).read() is None
    assert _access_key(sent[0]) == "AKIDPROGRAM"


def test_output_of_a_program_is_not_shown(wrong: WrongServer, bucket: str, home: Path) -> None:
    program = f"{sys.executable} -c \"import sys; sys.exit('hunter2')\""
    (home / ".aws" / "config").write_text(f"[default]\ncredential_process = {program}\n")
    with pytest.raises(StoreError) as failed:
        _client(wrong.server, bucket, home, {}, {}).read()
    assert "hunter2" not in str(failed.value)
    assert failed.value.__cause__ is None


@pytest.mark.parametrize(
    "program",
    [
        f"{sys.executable} -c \"print('hunter2')\"",
        f"{sys.executable} -c \"print('[]')\"",
        f"{sys.executable} -c \"print('{{}}')\"",
        "/nowhere/hunter",
    ],
)
def test_programs_that_fail(wrong: WrongServer, bucket: str, home: Path, program: str) -> None:
    (home / ".aws" / "config").write_text(f"[default]\ncredential_process = {program}\n")
    client = _client(wrong.server, bucket, home, {}, {})
    with pytest.raises(StoreError) as failed:
        client.read()
    assert "hunter2" not in str(failed.value)
    assert failed.value.__cause__ is None
    client.close()


@pytest.mark.parametrize("source", [SettingSource.RECORD, SettingSource.BLOCK])
def test_host_that_only_the_folder_names(
    wrong: WrongServer, sent: list[Request], bucket: str, home: Path, source: SettingSource
) -> None:
    arguments: dict[str, SettingValue] = {"endpoints": {"s3": wrong.server.url, "sts": wrong.server.url}}
    asked: list[str] = []

    def opened(**options: Any) -> S3Client:
        return _client(wrong.server, bucket, home, arguments, {}, source=source, options=BackendOptions(**options))

    with pytest.raises(StoreError, match="your AWS credentials would be sent to"):
        opened().read()

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    with pytest.raises(StoreError, match="your AWS credentials would be sent to"):
        opened(agree=refuse).read()
    assert sent == []
    assert "main.tf:3" in asked[0]
    assert opened(allowed_hosts=("127.0.0.1",)).read() is None
    assert opened(agree=lambda question: True).read() is None


@pytest.mark.parametrize("source", [SettingSource.RECORD, SettingSource.BLOCK])
def test_empty_keys_are_not_those_of_the_folder(
    wrong: WrongServer, sent: list[Request], bucket: str, home: Path, source: SettingSource
) -> None:
    arguments: dict[str, SettingValue] = {
        "endpoints": {"s3": wrong.server.url, "sts": wrong.server.url},
        "access_key": "",
        "secret_key": "",
        "assume_role_with_web_identity": {"role_arn": ROLE, "web_identity_token_file": os.fspath(home / ".aws/config")},
    }
    with pytest.raises(StoreError, match="your AWS credentials would be sent to"):
        _client(wrong.server, bucket, home, arguments, {}, source=source).read()
    assert sent == []


@pytest.mark.parametrize("name", ["http_proxy", "https_proxy"])
def test_proxy_that_only_the_folder_names(bucket: str, moto: S3Server, home: Path, name: str) -> None:
    """With `insecure`, it could read all that is sent, and the temporary keys that STS answers with."""
    arguments: dict[str, SettingValue] = {name: "http://user:hunter2@proxy.evil.example:81", "insecure": True}
    client = _client(moto, bucket, home, arguments, {}, source=SettingSource.BLOCK)
    with pytest.raises(StoreError, match=r"would be sent to proxy\.evil\.example:81, which only main\.tf:3") as failed:
        client.read()
    assert "hunter2" not in str(failed.value)
    allowed = BackendOptions(allowed_hosts=("proxy.evil.example",))
    # Proxies are not used for hosts of this machine.
    client = _client(moto, bucket, home, arguments, {}, source=SettingSource.BLOCK, options=allowed)
    assert client.read() is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"shared_config_files": ["/dev/zero"]},
        {"shared_credentials_files": ["/dev/zero"]},
        {"custom_ca_bundle": "/dev/zero"},
        {"assume_role_with_web_identity": {"role_arn": ROLE, "web_identity_token_file": "/dev/zero"}},
    ],
)
def test_a_device_is_not_read(moto: S3Server, bucket: str, home: Path, arguments: dict[str, SettingValue]) -> None:
    """It has no end."""
    with pytest.raises(StoreError, match=r"main\.tf:3: /dev/zero: it is not a regular file"):
        _client(moto, bucket, home, arguments, {}, source=SettingSource.BLOCK).read()


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>captive</html>",
        b"<AssumeRoleResponse",
        (
            b"<AssumeRoleResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><AssumeRoleResult><Credentials>"
            b"<AccessKeyId>A</AccessKeyId><SecretAccessKey>hunter2</SecretAccessKey><SessionToken>hunter2</SessionToken>"
            b"<Expiration>2001-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
        ),
    ],
)
def test_odd_answers_to_requests_for_credentials(wrong: WrongServer, bucket: str, home: Path, answer: bytes) -> None:
    wrong.at(lambda request: b"AssumeRole" in request.body, lambda request: Answer(200, (), answer))
    client = _client(wrong.server, bucket, home, {"assume_role": {"role_arn": ROLE}}, {})
    with pytest.raises(StoreError) as failed:
        client.read()
    assert "hunter2" not in str(failed.value)


def test_credentials_of_the_folder_itself(wrong: WrongServer, bucket: str, home: Path) -> None:
    arguments: dict[str, SettingValue] = {
        "endpoints": {"s3": wrong.server.url},
        "access_key": "AKIDFOLDER",
        "secret_key": "s",
    }
    opened = Opened()
    client = _client(wrong.server, bucket, home, arguments, {}, source=SettingSource.RECORD, opened=opened)
    assert client.read() is None
    assert opened.notes == [f"connecting to {wrong.server.url.partition('://')[2]} …"]


def test_endpoint_in_the_files_of_the_user(wrong: WrongServer, sent: list[Request], bucket: str, home: Path) -> None:
    (home / ".aws" / "config").write_text(CONFIG.replace("[default]", f"[default]\nendpoint_url = {wrong.server.url}"))
    client = _client(wrong.server, bucket, home, {}, {"AWS_ENDPOINT_URL": ""})
    assert client.read() is None
    assert _access_key(sent[0]) == "AKIDDEFAULT"


def test_endpoint_in_the_files_of_a_folder(wrong: WrongServer, sent: list[Request], bucket: str, home: Path) -> None:
    """Files of a folder do not say where credentials go; the host that is left out here cannot be resolved."""
    config = home / "of-folder"
    config.write_text(CONFIG.replace("[default]", f"[default]\nendpoint_url = {wrong.server.url}"))
    arguments: dict[str, SettingValue] = {"shared_config_files": [os.fspath(config)], "max_retries": 0}
    opened = Opened()
    client = _client(
        wrong.server,
        bucket,
        home,
        arguments,
        {"AWS_ENDPOINT_URL": "", "HTTPS_PROXY": "http://127.0.0.1:9"},
        source=SettingSource.BLOCK,
        opened=opened,
    )
    with pytest.raises(StoreError):
        client.read()
    assert sent == []
    assert opened.notes == ["connecting to s3.eu-west-1.amazonaws.com …"]


@pytest.mark.parametrize("source", [SettingSource.BLOCK, SettingSource.RECORD, SettingSource.OPTION])
def test_a_folder_does_not_name_the_metadata_service(
    source: SettingSource, wrong: WrongServer, sent: list[Request], bucket: str, home: Path
) -> None:
    """That service would choose the account; the user may name one."""
    arguments: dict[str, SettingValue] = {"ec2_metadata_service_endpoint": "http://127.0.0.1:9"}
    client = _client(wrong.server, bucket, home, arguments, {}, source=source)
    if source is SettingSource.OPTION:
        assert client.read() is None
        return
    with pytest.raises(StoreError, match="and only this file names it; nothing was sent"):
        client.read()
    assert sent == []


def test_no_secret_in_what_is_reported(wrong: WrongServer, bucket: str, home: Path) -> None:
    opened = Opened()
    arguments: dict[str, SettingValue] = {
        "access_key": "AKIDFOLDER",
        "secret_key": "hunter2",
        "token": "hunter3",
        "use_lockfile": True,
    }
    client = _client(wrong.server, bucket, home, arguments, {}, opened=opened)
    client.write(b"{}", None, None)
    client.read()
    with pytest.raises(StoreError) as failed:
        _client(wrong.server, "tf-states-missing", home, arguments, {}, opened=opened).read()
    given = given_of(arguments)
    shown = (repr(client), repr(given), repr(keys_of(given, connection_of({}), "")()))
    text = "\n".join([*opened.notes, *opened.requests, str(failed.value), *shown])
    assert opened.requests
    assert "hunter" not in text


@pytest.mark.parametrize(("environment", "waits"), [({}, (10, 60)), ({"STATETOOL_TIMEOUT": "120"}, (120, 120))])
def test_timeouts_of_the_sdk(environment: dict[str, str], waits: tuple[int, int]) -> None:
    session = pytest.importorskip("statefmt.store.s3._session")
    config = session.EnvironmentSession(given_of({}), connection_of(environment)).create_client("sts").meta.config
    assert (config.connect_timeout, config.read_timeout) == waits
