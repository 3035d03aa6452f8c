"""Requests are signed as AWS documents it, and as its SDK signs them."""

from __future__ import annotations

import pytest

from statefmt.store.s3._service import AwsKeys, Signer, escaped_path, query_string

KEYS = AwsKeys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
NOW = "20130524T000000Z"


def _signature(headers: dict[str, str]) -> str:
    return headers["authorization"].rpartition("Signature=")[2]


@pytest.mark.parametrize(
    ("method", "path", "query", "headers", "body", "signature"),
    [
        (
            "GET",
            "/test.txt",
            {},
            {"range": "bytes=0-9"},
            b"",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            "PUT",
            "/test%24file.text",
            {},
            {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
            b"Welcome to Amazon S3.",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
        ("GET", "/", {"lifecycle": ""}, {}, b"", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            "GET",
            "/",
            {"max-keys": "2", "prefix": "J"},
            {},
            b"",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
)
def test_examples_of_the_documentation(
    method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes, signature: str
) -> None:
    """Source: "Signature Calculations for the Authorization Header" in the API reference of S3."""
    signer = Signer(KEYS, "s3", "us-east-1")
    signed = signer.signed_at(NOW, method, "examplebucket.s3.amazonaws.com", path, query, headers, body)
    assert _signature(signed) == signature


@pytest.mark.parametrize("service", ["s3", "dynamodb"])
@pytest.mark.parametrize("token", ["", "a+token/="])
@pytest.mark.parametrize("path", ["a/b.tfstate", "env:/s t/ä'(1)!*~$&=.tfstate", "a%20b//c"])
def test_as_the_sdk_signs(service: str, token: str, path: str) -> None:
    auth = pytest.importorskip("botocore.auth")
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    keys = KEYS._replace(token=token)
    escaped = "/" + escaped_path(path) if service == "s3" else "/"
    query = {"prefix": "a b/ü", "versions": ""} if service == "s3" else {}
    headers = {"content-type": "application/json", "x-amz-meta-a": "two  words"}
    signed = Signer(keys, service, "eu-west-1").signed_at(NOW, "PUT", "h.example:81", escaped, query, headers, b"{}")
    url = f"http://h.example:81{escaped}" + (f"?{query_string(query)}" if query else "")
    request = AWSRequest("PUT", url, headers=headers, data=b"{}")
    request.context["timestamp"] = NOW
    kind = auth.S3SigV4Auth if service == "s3" else auth.SigV4Auth
    signer = kind(Credentials(keys.access_key, keys.secret_key, keys.token or None), service, "eu-west-1")
    # As its add_auth() does, at a time of its own.
    signer._modify_request_before_signing(request)
    expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    assert _signature(signed) == expected
    assert signed.get("x-amz-security-token", "") == token
