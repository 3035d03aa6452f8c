"""Buckets: every `*.tfstate` object below a prefix, and all workspaces of a folder's backend."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fleet.sources.conftest import Indexer
from tests.fleet.test_index import state
from tests.servers.s3 import ACCESS_KEY, SECRET_KEY, S3Server
from tests.servers.wrong_s3 import Answer, Request, wrong_server

pytest.importorskip("duckdb")
pytestmark = pytest.mark.xdist_group("moto")


def put(server: S3Server, bucket: str, **states: bytes) -> None:
    for name, content in states.items():
        server.s3().put_object(Bucket=bucket, Key=name.replace("__", "/") + ".tfstate", Body=content)


@pytest.fixture
def bucket(moto: S3Server, index: Indexer) -> str:
    index.environment |= moto.environment
    found = moto.new_bucket(versioned=False)
    put(moto, found, top=state(1, "a"), prod__net=state(2, "b", "c"), prod__eu__db=state(3), prod2=state(4))
    moto.s3().put_object(Bucket=found, Key="prod/", Body=b"")
    moto.s3().put_object(Bucket=found, Key="prod/net.tfstate.tflock", Body=b"{}")
    return found


def test_a_prefix_stands_for_the_states_below_it(moto: S3Server, bucket: str, index: Indexer) -> None:
    run = index(f"s3://{bucket}/prod/?use_path_style=true")
    assert (run.states, run.read, list(run.failed), list(run.missing)) == (2, 2, [], [])
    sizes = {"prod/net": len(state(2, "b", "c")), "prod/eu/db": len(state(3))}
    found = index.rows("SELECT uri, serial, size, workspace, source FROM states ORDER BY serial")
    assert found == [
        (f"s3://{bucket}/{key}.tfstate?region=eu-west-1", serial, sizes[key], "default", f"s3://{bucket}/prod/?use_path_style=true")
        for serial, key in ((2, "prod/net"), (3, "prod/eu/db"))
    ]  # fmt: skip
    etags = {one["Key"]: one["ETag"] for one in moto.s3().list_objects_v2(Bucket=bucket)["Contents"]}
    assert index.rows("SELECT version FROM states ORDER BY serial") == [
        (etags["prod/net.tfstate"],), (etags["prod/eu/db.tfstate"],)
    ]  # fmt: skip


@pytest.mark.parametrize("end", ["", "/"])
def test_what_has_its_version_is_not_read_again(moto: S3Server, bucket: str, index: Indexer, end: str) -> None:
    source = f"s3://{bucket}{end}?use_path_style=true"
    assert index(source).read == 4
    assert index(source).read == 0
    put(moto, bucket, top=state(9, "a"), new=state(1))
    moto.s3().delete_object(Bucket=bucket, Key="prod/net.tfstate")
    run = index(source)
    assert (run.states, run.read, run.removed) == (4, 2, 1)
    assert index.rows("SELECT serial, run_id FROM states ORDER BY ALL") == [(1, 3), (3, 1), (4, 1), (9, 3)]


def test_one_object_is_one_state(bucket: str, index: Indexer) -> None:
    assert index(f"s3://{bucket}/prod2.tfstate?use_path_style=true").states == 1
    assert index.rows("SELECT serial FROM states") == [(4,)]


def test_keys_may_be_hostile(moto: S3Server, bucket: str, index: Indexer) -> None:
    """Each is a state with its content or an error, and none hides another."""
    keys = [
        *("x/../prod/net.tfstate", "a\x01b\x1b[31m.tfstate", "\u202eevil +%41?#&.tfstate", "x//y.tfstate"),
        *("/z.tfstate", "<a>&amp;.tfstate"),
    ]
    for key in keys:
        moto.s3().put_object(Bucket=bucket, Key=key, Body=state(7))
    run = index(f"s3://{bucket}?use_path_style=true")
    assert (run.states, len(run.missing)) == (4 + len(keys), 0)
    assert all(uri.isprintable() for (uri,) in index.rows("SELECT uri FROM states"))
    errors = dict(run.failed)
    assert len(errors) == 2 and all("key must not" in error for error in errors.values())
    assert index.rows("SELECT count(*) FROM states WHERE serial = 7") == [(len(keys) - 2,)]


def test_more_objects_than_a_page(moto: S3Server, bucket: str, index: Indexer) -> None:
    client = moto.s3()
    for number in range(1100):
        client.put_object(Bucket=bucket, Key=f"many/{number}.txt", Body=b"")
    client.put_object(Bucket=bucket, Key="many/zzz.tfstate", Body=state(5))
    assert index(f"s3://{bucket}/many/?use_path_style=true").states == 1


def test_an_empty_prefix_keeps_its_states(moto: S3Server, bucket: str, index: Indexer) -> None:
    """Somebody may have misspelled it, or the listing may be of another account."""
    source = f"s3://{bucket}/prod/?use_path_style=true"
    index(source)
    for key in ("prod/net.tfstate", "prod/eu/db.tfstate"):
        moto.s3().delete_object(Bucket=bucket, Key=key)
    run = index(source)
    assert (len(run.missing), run.removed) == (1, 0)
    assert "no state (*.tfstate)" in run.missing[0]


def test_all_workspaces_of_a_folder(moto: S3Server, bucket: str, index: Indexer, tmp_path: Path) -> None:
    others = {"env:__blue__prod__net": state(20), "env:__red__prod__net": state(30), "env:__red__other": state(40)}
    put(moto, bucket, **others)
    folder = tmp_path / "root"
    (folder / ".terraform").mkdir(parents=True)
    config = {"bucket": bucket, "key": "prod/net.tfstate", "region": "eu-west-1", "use_path_style": True}
    record = {"version": 3, "backend": {"type": "s3", "config": config, "hash": 1}}
    (folder / ".terraform" / "terraform.tfstate").write_text(json.dumps(record))
    (folder / "local.tfstate").write_bytes(state(50))
    assert index(str(folder)).read == 4
    assert index.rows("SELECT workspace, serial FROM states ORDER BY serial") == [
        ("default", 2), ("blue", 20), ("red", 30), ("default", 50)
    ]  # fmt: skip
    assert index(str(folder)).read == 0
    # The same states as those below the bucket.
    assert index(f"s3://{bucket}?use_path_style=true").read == 4
    assert index.rows("SELECT count(*) FROM states") == [(8,)]


def test_a_bucket_that_is_missing_does_not_stop_the_others(bucket: str, index: Indexer, tmp_path: Path) -> None:
    (tmp_path / "a.tfstate").write_bytes(state(1))
    run = index("s3://no-such-bucket-here/?use_path_style=true", str(tmp_path))
    assert (run.states, len(run.missing)) == (1, 1)
    assert "no-such-bucket-here" in run.missing[0]


def test_a_role_is_assumed_once(moto: S3Server, bucket: str, index: Indexer, tmp_path: Path) -> None:
    """And not for each state: there may be thousands."""
    config = tmp_path / "config"
    config.write_text(
        "[profile reader]\nrole_arn = arn:aws:iam::123456789012:role/reader\nsource_profile = base\n"
        f"[profile base]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
    )
    with wrong_server(moto) as between:
        index.environment |= {"AWS_CONFIG_FILE": str(config), "AWS_PROFILE": "reader"}
        index.environment["AWS_ENDPOINT_URL"] = between.server.url
        del index.environment["AWS_ACCESS_KEY_ID"], index.environment["AWS_SECRET_ACCESS_KEY"]
        run = index(f"s3://{bucket}?use_path_style=true")
        assert (run.read, list(run.failed), list(run.missing)) == (4, [], [])
        assert between.count("GET", ".tfstate") == 4
        # To list them, and in the process that reads them.
        assert between.count("POST", "/") == 2


def test_a_listing_without_an_end_is_refused(moto: S3Server, bucket: str, index: Indexer) -> None:
    """A server that repeats its page; what it listed stays, and nothing is taken for deleted."""
    index(f"s3://{bucket}?use_path_style=true")
    token = "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>"

    def endless(request: Request) -> Answer:
        answer = request.forward(replace(request, target=re.sub("continuation-token=[^&]*&", "", request.target)))
        body = answer.body.replace(b"<IsTruncated>false</IsTruncated>", token.encode()).replace(
            b"<IsTruncated>False</IsTruncated>", token.encode()
        )
        headers = tuple(one for one in answer.headers if one[0].lower() != "content-length")
        return Answer(answer.status, headers, body)

    with wrong_server(moto) as between:
        between.at(lambda request: "list-type=2" in request.target, endless)
        index.environment["AWS_ENDPOINT_URL"] = between.server.url
        run = index(f"s3://{bucket}?use_path_style=true")
    assert run.missing[0].startswith(f"s3://{bucket}: ")
    assert "lists the same objects without an end" in run.missing[0]
    assert (run.states, run.read, run.removed) == (4, 0, 0)
