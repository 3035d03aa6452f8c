"""Hosts are named, and a folder decides neither where credentials go nor which programs run."""

from __future__ import annotations

from typing import Any, Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.store.remote.client import Connection
from statefmt.store.remote.hosts import approach, is_of_folder, require_external, user_credentials
from tests.tables import each_row

FOLDER: Final = "main.tf:4"
PASSWORD: Final = "TF_HTTP_PASSWORD"


class _Run:
    """A run with options; keeps what it said and asked."""

    def __init__(self, answer: bool | None = None, **options: Any) -> None:
        self.said: list[str] = []
        self._answer = answer
        agree = None if answer is None else self._agree
        self.connection = Connection({}, self.said.append, BackendOptions(agree=agree, **options))

    def _agree(self, question: str) -> bool:
        self.said.append(question)
        return bool(self._answer)

    def approach(self, host: str, named_by: str = FOLDER, credentials: str = PASSWORD) -> None:
        approach(self.connection, host, named_by=named_by, credentials=credentials)


@pytest.mark.parametrize(("named_by", "credentials"), [("", ""), (FOLDER, ""), ("", PASSWORD)])
def test_hosts_are_named_once(named_by: str, credentials: str) -> None:
    run = _Run()
    for host in ("state.example", "State.Example", "other.example:8443", "state.example", "[::1]:80"):
        run.approach(host, named_by, credentials)
    assert run.said == [
        "connecting to state.example …",
        "connecting to other.example:8443 …",
        "connecting to [::1]:80 …",
    ]


def test_without_an_answer_nothing_is_sent() -> None:
    run = _Run()
    with pytest.raises(StoreError) as raised:
        run.approach("state.example")
    assert raised.value.on_command_line == (
        "TF_HTTP_PASSWORD would be sent to state.example, which only main.tf:4 names; nothing was sent. If you trust "
        "this host, use --allow-host state.example, or STATETOOL_ALLOW_HOST=state.example for all commands"
    )
    assert run.said == []
    # It stays so.
    run.approach("state.example", credentials="")
    with pytest.raises(StoreError):
        run.approach("state.example")


def test_a_question() -> None:
    run = _Run(answer=True)
    run.approach("state.example")
    run.approach("state.example")
    assert run.said == ["Send TF_HTTP_PASSWORD to state.example, which only main.tf:4 names?"]
    refusing = _Run(answer=False)
    with pytest.raises(StoreError):
        refusing.approach("state.example")


@each_row(
    ("allowed", "host", "is_allowed"),
    [
        ("state.example", "state.example", True),
        ("STATE.example", "state.example", True),
        ("state.example", "state.example:8443", True),
        ("state.example:8443", "state.example:8443", True),
        ("state.example:8443", "state.example", False),
        ("state.example:8443", "state.example:9", False),
        ("example", "state.example", False),
        ("state.example", "evil-state.example", False),
        ("state.example", "state.example.evil", False),
        ("[::1]", "[::1]:8443", True),
        ("[::1]", "[::1]", True),
        ("[::1]", "[::2]", False),
    ],
)
def test_allowed_hosts(allowed: str, host: str, is_allowed: bool) -> None:
    run = _Run(allowed_hosts=("first.example", allowed))
    if is_allowed:
        run.approach(host)
        assert run.said == [f"connecting to {host} …"]
    else:
        with pytest.raises(StoreError):
            run.approach(host)


@pytest.mark.parametrize("host", ["", "a b", "a/b", "\x1b[2J", "st\u0430te.example", "a:b", "user@host", "a:123456"])
def test_hosts_that_could_mislead(host: str) -> None:
    run = _Run(answer=True, allowed_hosts=(host,))
    with pytest.raises(StoreError, match="is not the name of a host in ASCII") as raised:
        run.approach(host)
    assert "\x1b" not in str(raised.value)
    assert run.said == []


@pytest.mark.parametrize("source", SettingSource)
def test_what_is_of_the_folder(source: SettingSource) -> None:
    setting = BackendSetting("address", "x", source)
    of_files = (SettingSource.RECORD, SettingSource.BLOCK, SettingSource.FILE)
    assert is_of_folder(setting) is (source in of_files)
    assert not is_of_folder(None)


def test_credentials_of_the_user() -> None:
    settings = [
        BackendSetting("username", "me", SettingSource.BLOCK, FOLDER),
        BackendSetting("password", "x", SettingSource.ENVIRONMENT, PASSWORD),
        BackendSetting("access_key", "x", SettingSource.ENVIRONMENT, "AWS_ACCESS_KEY_ID"),
        BackendSetting("token", "", SettingSource.ENVIRONMENT, "AWS_SESSION_TOKEN"),
    ]
    assert user_credentials(settings, ("username", "password", "access_key", "token")) == (
        "TF_HTTP_PASSWORD and AWS_ACCESS_KEY_ID"
    )
    assert user_credentials(settings, ("username",)) == ""


def test_programs() -> None:
    require_external(_Run(allow_external=True).connection, "get-token", "config")
    with pytest.raises(StoreError) as raised:
        require_external(_Run(answer=True).connection, "get-token --now", "config")
    assert raised.value.on_command_line == (
        "config needs to run the program 'get-token --now'; nothing was run. If you trust this file, allow it with "
        "--allow-external"
    )
