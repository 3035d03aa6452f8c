"""Requests go where those of the SDK go, and to the endpoints that are set."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.store.s3._settings import Endpoint, aws_endpoint, bucket_url, custom_endpoint
from tests.store.s3.connecting import given_of, place_of


@pytest.fixture(scope="module")
def sdk() -> Any:
    session = pytest.importorskip("botocore.session")
    return session.Session()


@pytest.mark.parametrize("service", ["s3", "dynamodb"])
@pytest.mark.parametrize(
    ("region", "fips", "dualstack"),
    [
        ("eu-west-1", False, False),
        ("us-east-1", False, False),
        ("us-east-1", True, False),
        ("us-east-1", True, True),
        ("ap-southeast-3", False, True),
        ("us-gov-west-1", False, False),
        ("cn-north-1", False, False),
        ("us-iso-east-1", False, False),
        ("us-isob-east-1", False, False),
        ("eusc-de-east-1", False, False),
    ],
)
def test_of_aws(sdk: Any, service: str, region: str, fips: bool, dualstack: bool) -> None:
    from botocore.awsrequest import AWSResponse
    from botocore.compat import HTTPHeaders
    from botocore.config import Config

    # As the SDK for Go does it, which OpenTofu and Terraform use.
    s3: Any = {"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"}
    config = Config(use_fips_endpoint=fips, use_dualstack_endpoint=dualstack, s3=s3)
    client = sdk.create_client(
        service, region_name=region, config=config, aws_access_key_id="a", aws_secret_access_key="b"
    )
    sent: list[str] = []

    def noted(request: Any, **_: Any) -> Any:
        sent.append(request.url)
        # An answer without content, so that nothing is sent.
        return AWSResponse(request.url, 200, HTTPHeaders(), _Empty(b"{}"))

    client.meta.events.register("before-send", noted)
    given = given_of({"region": region, "use_fips_endpoint": fips, "use_dualstack_endpoint": dualstack})
    endpoint = aws_endpoint(given, service, {})
    if service == "s3":
        client.get_object(Bucket="tf-states", Key="k")
        assert sent == [bucket_url(endpoint, "tf-states", path_style=False) + "/k"]
    else:
        client.list_tables()
        assert sent == [endpoint.url + "/"]


class _Empty(io.BytesIO):
    def stream(self) -> Iterator[bytes]:
        yield self.getvalue()


@pytest.mark.parametrize(
    ("url", "bucket", "path_style", "expected"),
    [
        ("https://s3.example", "states", False, "https://states.s3.example"),
        ("https://s3.example", "states", True, "https://s3.example/states"),
        # A certificate of *.s3.example is not for names with a further dot.
        ("https://s3.example", "my.states", False, "https://s3.example/my.states"),
        ("http://s3.example:81/x", "my.states", False, "http://my.states.s3.example:81/x"),
        ("http://127.0.0.1:81", "states", False, "http://127.0.0.1:81/states"),
        ("https://s3.example", "Old_States", False, "https://s3.example/Old_States"),
    ],
)
def test_url_of_a_bucket(url: str, bucket: str, path_style: bool, expected: str) -> None:
    assert bucket_url(Endpoint(url), bucket, path_style=path_style) == expected


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ({}, {}, None),
        ({"endpoints": {"s3": "http://a"}}, {"AWS_ENDPOINT_URL_S3": "http://b"}, "http://a"),
        # An argument by its older name wins over a variable by its newer one.
        ({"endpoint": "http://a/"}, {"AWS_ENDPOINT_URL_S3": "http://b"}, "http://a"),
        ({}, {"AWS_ENDPOINT_URL_S3": "http://b", "AWS_S3_ENDPOINT": "http://c"}, "http://b"),
        ({}, {"AWS_S3_ENDPOINT": "c.example"}, "https://c.example"),
        ({}, {"AWS_ENDPOINT_URL": "http://all"}, "http://all"),
    ],
)
def test_what_sets_an_endpoint(
    arguments: dict[str, SettingValue], environment: dict[str, str], expected: str | None
) -> None:
    found = custom_endpoint(given_of(arguments, environment), "s3", environment)
    assert (found and found.url) == expected


@pytest.mark.parametrize("region", ["eu-west-1.evil.example/", "nowhere", "../x-1"])
def test_region_that_is_none(region: str) -> None:
    with pytest.raises(StoreError, match="is not a region of AWS"):
        aws_endpoint(given_of({"region": region}), "s3", {})


def test_endpoint_with_a_password() -> None:
    with pytest.raises(StoreError) as refused:
        custom_endpoint(given_of({"endpoint": "https://user:hunter2@s3.example"}), "s3", {})
    assert "hunter2" not in str(refused.value)
    assert "main.tf:3" in str(refused.value)


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT", "AWS_ENDPOINT_URL"])
def test_buckets_at_other_endpoints_have_other_histories(variable: str) -> None:
    bucket: dict[str, SettingValue] = {"bucket": "b", "key": "k", "region": "eu-west-1"}
    identities = {place_of(bucket, {variable: url}).identity for url in ("http://one", "http://two")}
    assert len({*identities, place_of(bucket, {}).identity}) == 3
