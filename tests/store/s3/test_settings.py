"""Settings that statetool cannot honour are refused by name, before anything is sent, and without secrets."""

from __future__ import annotations

import base64

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.store.s3._session import seconds_of
from statefmt.store.s3._settings import aws_files, s3_settings
from tests.store.s3.connecting import given_of, place_of
from tests.tables import each_row


@each_row(
    ("arguments", "named"),
    [
        ({"region": ""}, "region"),
        ({"key": "/a"}, "key must not start"),
        ({"key": "a/"}, "key must not start"),
        ({"key": "a/../b"}, "key must not have"),
        ({"workspace_key_prefix": "/x"}, "workspace_key_prefix"),
        ({"bucket": "arn:aws:s3:eu-west-1:123456789012:accesspoint/a"}, "named by an ARN"),
        ({"bucket": "states--euw1-az1--x-s3"}, "directory buckets"),
        ({"bucket": "evil.example/x"}, "is not the name of a bucket"),
        ({"sse_customer_key": "hunter2"}, "sse_customer_key must be 32 bytes"),
        ({"sse_customer_key": "hunter2" + "=" * 37}, "sse_customer_key must be 32 bytes"),
        ({"kms_key_id": "k", "sse_customer_key": base64.b64encode(bytes(32)).decode()}, "kms_key_id and sse"),
        ({"endpoint": "http://a", "endpoints": {"s3": "http://b"}}, "endpoints.s3 and endpoint"),
        ({"role_arn": "r", "assume_role": {"role_arn": "r"}}, "assume_role.role_arn and role_arn"),
        ({"allowed_account_ids": ["1"], "forbidden_account_ids": ["2"]}, "allowed_account_ids and forb"),
        ({"retry_mode": "legacy"}, "retry_mode must be"),
        ({"state_tags": ["a"]}, "state_tags must be a map"),
        ({"max_retries": 1.5}, "max_retries must be a whole number"),
        ({"max_retries": float("inf")}, "max_retries must be a whole number"),
        ({"max_retries": 10**400}, "max_retries must be a whole number"),
    ],
)
def test_refused(arguments: dict[str, SettingValue], named: str) -> None:
    whole: dict[str, SettingValue] = {"bucket": "states", "key": "k", "region": "eu-west-1", **arguments}
    with pytest.raises(StoreError, match=named) as refused:
        s3_settings(place_of(whole, {}))
    assert "hunter2" not in str(refused.value)


def test_several_files() -> None:
    with pytest.raises(StoreError, match="several files in shared_config_files are not supported"):
        aws_files(given_of({"shared_config_files": ["a", "b"]}), {})


def test_files() -> None:
    files = aws_files(given_of({"shared_config_files": ["~/work"]}), {"HOME": "/home/ann", "AWS_CONFIG_FILE": "/c"})
    assert (files.config, files.credentials) == ("/home/ann/work", "/home/ann/.aws/credentials")
    assert files.named_by is not None
    own = aws_files(given_of({}), {"HOME": "/home/ann", "AWS_CONFIG_FILE": "/c"})
    assert (own.config, own.named_by) == ("/c", None)


@pytest.mark.parametrize(
    ("arguments", "workspace", "key"),
    [
        ({}, "default", "a/b.tfstate"),
        ({}, "x", "env:/x/a/b.tfstate"),
        ({"workspace_key_prefix": "teams/net"}, "x", "teams/net/x/a/b.tfstate"),
        ({"workspace_key_prefix": ""}, "x", "x/a/b.tfstate"),
        ({"key": "a//b.tfstate"}, "default", "a//b.tfstate"),
        # Go's path.Join cleans the path.
        ({"key": "a//b.tfstate"}, "x", "env:/x/a/b.tfstate"),
    ],
)
def test_key_of_a_workspace(arguments: dict[str, SettingValue], workspace: str, key: str) -> None:
    whole: dict[str, SettingValue] = {"bucket": "states", "key": "a/b.tfstate", "region": "eu-west-1", **arguments}
    assert s3_settings(place_of(whole, {}, workspace=workspace)).path == f"states/{key}"


@pytest.mark.parametrize(
    ("text", "seconds"), [("900", 900), ("1h", 3600), ("1h30m", 5400), ("15m0.5s", 900), ("1.5h", 5400)]
)
def test_durations(text: str, seconds: int) -> None:
    assert seconds_of(text, "main.tf:3") == seconds


@pytest.mark.parametrize("text", ["", "1d", "h", "1h 30m", "-1h"])
def test_durations_that_are_none(text: str) -> None:
    with pytest.raises(StoreError, match=r"main\.tf:3"):
        seconds_of(text, "main.tf:3")
