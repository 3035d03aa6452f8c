"""Edits of states in S3 at servers that are wrong: nothing is lost, no lock is left, and the message says what is."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Result, Statetool, folder, statetool
from tests.cli.states import resource, state
from tests.servers.s3 import ACCESS_KEY, REGION, SECRET_KEY, S3Server, moto
from tests.servers.wrong_s3 import (
    Fault,
    Request,
    WrongServer,
    after_all,
    cut_after,
    cut_before,
    in_vain,
    lost,
    refused,
    too_late,
    without_conditions,
    wrong_server,
)

__all__ = ["folder", "moto", "statetool"]

KEY: Final = "app/terraform.tfstate"
LOCK: Final = f"{KEY}.tflock"
BEFORE: Final = state(resource("terraform_data", "a"))
_MOVE: Final = ("mv", "terraform_data.a", "terraform_data.b")


@pytest.fixture(autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories of the tests are nobody else's, and clients are less patient."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("STATETOOL_TIMEOUT", "1")
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def wrong(moto: S3Server) -> Iterator[WrongServer]:
    """A server that can be told to be wrong."""
    with wrong_server(moto) as server:
        yield server


class Bucket:
    """The state in a bucket, seen without what is wrong in between."""

    def __init__(self, moto: S3Server, name: str, table: str) -> None:
        self._client = moto.s3()
        self._dynamodb = moto.dynamodb()
        self.name = name
        self.table = table

    def content(self) -> bytes:
        return self._client.get_object(Bucket=self.name, Key=KEY)["Body"].read()

    def said(self) -> tuple[int, list[str]]:
        """The serial, and the names of the resources."""
        document = json.loads(self.content())
        return document["serial"], [one["name"] for one in document["resources"]]

    def locks(self) -> list[str]:
        """The keys of the locks that are there."""
        listed = self._client.list_objects_v2(Bucket=self.name, Prefix=LOCK).get("Contents", [])
        items = self._dynamodb.scan(TableName=self.table)["Items"] if self.table else []
        return [one["Key"] for one in listed] + [str(item["LockID"]["S"]) for item in items if "Info" in item]


@pytest.fixture(params=["lock-file", "dynamodb"])
def kind(request: pytest.FixtureRequest) -> str:
    """How the state is locked, in most tests in both ways."""
    found: str = request.param
    return found


@pytest.fixture
def bucket(moto: S3Server, wrong: WrongServer, folder: Path, kind: str) -> Bucket:
    """A bucket with a state, and in the current folder a root module that reaches it by the wrong server."""
    name = moto.new_bucket(versioned=True)
    table = moto.new_table() if kind != "lock-file" else ""
    moto.s3().put_object(Bucket=name, Key=KEY, Body=BEFORE, ContentType="application/json")
    config: dict[str, Any] = {
        "bucket": name, "key": KEY, "region": REGION, "use_path_style": True,
        "use_lockfile": kind != "dynamodb", "dynamodb_table": table or None, "max_retries": 3,
        "endpoints": {"s3": wrong.server.url, "dynamodb": wrong.server.url},
        "access_key": ACCESS_KEY, "secret_key": SECRET_KEY, "skip_metadata_api_check": True,
        "skip_credentials_validation": True, "skip_requesting_account_id": True,
    }  # fmt: skip
    record = {"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config, "hash": 1}}
    (folder / ".terraform").mkdir()
    (folder / ".terraform" / "terraform.tfstate").write_text(json.dumps(record))
    return Bucket(moto, name, table)


def _words(result: Result) -> str:
    assert SECRET_KEY not in result.err
    return " ".join(result.err.split())


def _locks(request: Request) -> bool:
    return request.writes_lock or _locks_item(request)


def _locks_item(request: Request) -> bool:
    return request.operation == "PutItem" and b'"Info"' in request.body


def _writes_digest(request: Request) -> bool:
    return request.operation == "PutItem" and b'"Digest"' in request.body


def _unlocks(request: Request) -> bool:
    return (request.method == "DELETE" and request.names_lock) or request.operation == "DeleteItem"


def _writes(request: Request) -> bool:
    return request.writes_state


STEPS: Final = {"lock": _locks, "write": _writes, "unlock": _unlocks}


@pytest.mark.parametrize("kind", ["lock-file"])
def test_a_condition_ignored(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """A lock file then locks nothing."""
    wrong.at(lambda request: request.writes_lock, without_conditions)
    done = statetool(*_MOVE)
    assert (done.status, done.out) == (2, b"")
    assert re.search(r"ignores the condition If-None-Match in this bucket, so a lock file locks nothing", _words(done))
    assert "dynamodb_table" in _words(done)
    assert (bucket.content(), bucket.locks()) == (BEFORE, [])
    assert statetool("list").status == 0


@pytest.mark.parametrize("kind", [pytest.param("lock-file", marks=pytest.mark.slow), "dynamodb"])
def test_a_write_that_is_lost(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """The server says that it has written."""
    wrong.at(_writes, lost, times=1)
    done = statetool(*_MOVE)
    assert done.status == 2
    assert "written" in _words(done)
    assert bucket.said() == (7, ["a"])
    assert bucket.locks() == []


@pytest.mark.parametrize(
    ("kind", "step", "fault"),
    [
        ("lock-file", "lock", cut_after),
        ("lock-file", "write", too_late),
        ("lock-file", "unlock", cut_after),
        ("dynamodb", "lock", cut_after),
        ("dynamodb", "write", cut_after),
        ("dynamodb", "unlock", cut_after),
    ],
)
def test_an_answer_lost_after_the_effect(
    step: str, fault: Fault, wrong: WrongServer, bucket: Bucket, statetool: Statetool
) -> None:
    """What became of the request is found out by reading."""
    wrong.at(STEPS[step], fault, times=1)
    done = statetool(*_MOVE)
    assert done.status == 0, done.err
    assert (bucket.said(), bucket.locks()) == ((8, ["b"]), [])


@pytest.mark.parametrize(
    ("kind", "step", "fault"),
    [
        ("lock-file", "lock", cut_before),
        pytest.param("lock-file", "write", in_vain, marks=pytest.mark.slow),
        ("lock-file", "unlock", cut_before),
        ("dynamodb", "lock", cut_before),
        ("dynamodb", "write", cut_before),
        ("dynamodb", "unlock", cut_before),
    ],
)
def test_an_answer_lost_without_effect(
    step: str, fault: Fault, wrong: WrongServer, bucket: Bucket, statetool: Statetool
) -> None:
    """The edit is made or refused, and no lock is left that the message does not name."""
    wrong.at(STEPS[step], fault, times=1)
    done = statetool(*_MOVE)
    wrong.settled()
    made = bucket.said() == (8, ["b"])
    assert made or bucket.content() == BEFORE
    assert done.status == 2 or made
    if done.status == 0 or step != "unlock":
        assert bucket.locks() == []
    elif bucket.locks():
        assert "unlock" in _words(done)
    # The next command goes on.
    wrong.heal()
    if bucket.locks():
        return
    assert statetool("mv", "terraform_data.b" if made else "terraform_data.a", "terraform_data.z").status == 0
    assert bucket.said()[1] == ["z"]


@pytest.mark.parametrize("kind", ["dynamodb"])
def test_a_write_after_all(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """The server writes what nobody waits for any more; the condition keeps it from overwriting anything newer."""
    wrong.at(_writes, after_all, times=1)
    statetool(*_MOVE)
    wrong.settled()
    assert bucket.said() in ((7, ["a"]), (8, ["b"]))
    assert bucket.locks() == []


@pytest.mark.parametrize(("kind", "step"), [("lock-file", "lock"), ("dynamodb", "lock"), ("dynamodb", "unlock")])
def test_a_lock_after_all(step: str, wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """The server does what nobody waits for any more: no lock stays that the message does not name."""
    wrong.at(STEPS[step], after_all, times=1)
    done = statetool(*_MOVE)
    wrong.settled()
    assert done.status == 2 or bucket.said() == (8, ["b"])
    assert not bucket.locks() or "statetool unlock" in _words(done)


@pytest.mark.parametrize("kind", ["both"])
@pytest.mark.parametrize("fault", [cut_before, cut_after])
def test_the_answer_about_the_second_lock_is_lost(
    fault: Fault, wrong: WrongServer, bucket: Bucket, statetool: Statetool
) -> None:
    wrong.at(_locks_item, fault, times=1)
    done = statetool(*_MOVE)
    assert done.status == 2 or bucket.said() == (8, ["b"])
    assert bucket.locks() == []


@pytest.mark.parametrize("kind", ["both"])
def test_the_second_lock_is_refused(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """The first one is given back."""
    wrong.at(_locks_item, refused(400, "ThrottlingException"))
    done = statetool(*_MOVE)
    assert (done.status, "ThrottlingException" in _words(done)) == (2, True)
    assert (bucket.content(), bucket.locks()) == (BEFORE, [])


@pytest.mark.parametrize("kind", ["dynamodb"])
def test_a_digest_that_arrives_late(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    wrong.at(_writes_digest, cut_after, times=1)
    wrong.at(_writes_digest, cut_before, times=1)
    assert statetool(*_MOVE).status == 0
    assert (bucket.said(), bucket.locks()) == ((8, ["b"]), [])
    assert statetool("list").text == "terraform_data.b\n"


@pytest.mark.parametrize("kind", ["dynamodb"])
def test_a_digest_that_is_refused(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    """The message has what makes the state readable again."""
    wrong.at(_writes_digest, refused(400, "AccessDeniedException"))
    done = statetool(*_MOVE)
    assert done.status == 2
    digest = hashlib.md5(bucket.content(), usedforsecurity=False).hexdigest()
    assert f"'{bucket.name}/{KEY}-md5' to {digest}" in _words(done)
    assert (bucket.said(), bucket.locks()) == ((8, ["b"]), [])


@pytest.mark.parametrize(("status", "code"), [(503, "SlowDown"), (429, "TooManyRequests")])
def test_a_storm_that_passes(status: int, code: str, wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    for step in STEPS.values():
        wrong.at(step, _throttled(status, code), times=2)
    done = statetool(*_MOVE)
    assert done.status == 0, done.err
    assert (bucket.said(), bucket.locks()) == ((8, ["b"]), [])


@pytest.mark.parametrize(("step", "status", "code"), [("lock", 429, "TooManyRequests"), ("write", 503, "SlowDown")])
def test_a_storm_that_stays(
    step: str, status: int, code: str, wrong: WrongServer, bucket: Bucket, statetool: Statetool
) -> None:
    """The message says what the server said, nothing is written, and no lock is left."""
    wrong.at(STEPS[step], _throttled(status, code))
    done = statetool(*_MOVE)
    assert done.status == 2
    assert re.search(r"SlowDown|TooManyRequests|ThrottlingException", _words(done)), done.err
    assert (bucket.content(), bucket.locks()) == (BEFORE, [])


@pytest.mark.parametrize("kind", ["lock-file"])
def test_a_storm_while_reading(wrong: WrongServer, bucket: Bucket, statetool: Statetool) -> None:
    wrong.at(lambda request: request.method == "GET", refused(503, "SlowDown"), times=2)
    assert statetool("list").text == "terraform_data.a\n"
    wrong.at(lambda request: request.method == "GET", refused(500, "InternalError"))
    done = statetool("list")
    assert done.status == 2
    assert "InternalError" in _words(done)


def _throttled(status: int, code: str) -> Fault:
    """Refused by either service in its own way."""
    slow, throttled = refused(status, code), refused(400, "ThrottlingException")
    answer: Callable[[Request], Any] = lambda request: (throttled if request.operation else slow)(request)  # noqa: E731
    return answer
