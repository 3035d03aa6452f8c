"""What arguments and attributes of the providers say about accounts and regions, by the documentation of each."""

from __future__ import annotations

import json

import pytest
from msgspec import Raw

from statefmt.analysis.providers.facts import object_facts, overridden, settings_facts
from statefmt.hcl.value import Value, text
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import STRING
from statefmt.model.snapshot import ResourceInstanceObject


@pytest.mark.parametrize(
    ("source", "type_name", "attributes", "expected"),
    [
        ("hashicorp/aws", "aws_sqs_queue", {"arn": "arn:aws:sqs:eu-west-1:111111111111:a"}, "eu-west-1 111111111111"),
        ("hashicorp/aws", "aws_s3_bucket", {"arn": "arn:aws:s3:::a"}, ""),
        ("hashicorp/aws", "aws_iam_role", {"arn": "arn:aws:iam::111111111111:role/a"}, "111111111111"),
        ("hashicorp/aws", "aws_iam_policy", {"arn": "arn:aws:iam::aws:policy/a"}, ""),
        ("hashicorp/aws", "aws_organizations_account", {"arn": "arn:aws:organizations::111111111111:account/o/1"}, ""),
        ("hashicorp/aws", "aws_vpc", {"region": "us-gov-west-1"}, "us-gov-west-1"),
        ("hashicorp/aws", "aws_cloudformation_stack_set_instance", {"region": "eu-west-1"}, ""),
        ("hashicorp/aws", "aws_sns_topic_subscription", {"arn": "arn:aws:sns:eu-west-1:111111111111:a:b"}, ""),
        ("hashicorp/google", "google_compute_address", {"project": "p", "region": "europe-west1"}, "p europe-west1"),
        ("hashicorp/google", "google_x", {"zone": "https://www.googleapis.com/compute/v1/projects/p/zones/z-b"}, "z-b"),
        ("hashicorp/google", "google_x", {"project": "123456"}, ""),
        ("hashicorp/azurerm", "azurerm_x", {"id": "/subscriptions/ABC/x", "resource_group_name": "g"}, "abc"),
        ("hashicorp/azurerm", "azurerm_role_assignment", {"id": "/subscriptions/ABC/x"}, ""),
        ("hashicorp/azurerm", "azurerm_resource_group", {"id": "/subscriptions/ABC/resourceGroups/g"}, "abc"),
        ("oracle/oci", "oci_core_vcn", {"id": "ocid1.vcn.oc1.phx.aaaa"}, "us-phoenix-1"),
        ("hashicorp/oci", "oci_core_vcn", {"id": "ocid1.vcn.oc1.eu-frankfurt-1.aaaa"}, "eu-frankfurt-1"),
        ("oracle/oci", "oci_identity_compartment", {"id": "ocid1.compartment.oc1..aaaa"}, ""),
        ("aliyun/alicloud", "alicloud_x", {"arn": "acs:log:cn-hangzhou:1000:project/a"}, "cn-hangzhou 1000"),
        ("acme/unknown", "acme_x", {"arn": "arn:aws:sqs:eu-west-1:111111111111:a", "region": "x"}, ""),
    ],
)
def test_objects(source: str, type_name: str, attributes: dict[str, str], expected: str) -> None:
    obj = ResourceInstanceObject(attributes=Raw(json.dumps(attributes).encode()))
    found = object_facts(parse_provider_source(source), type_name, obj)
    assert sorted(found.values()) == sorted(expected.split())


def test_what_is_sensitive_is_no_fact() -> None:
    aws = parse_provider_source("hashicorp/aws")
    marked = b'[[{"type":"get_attr","value":"region"}]]'
    obj = ResourceInstanceObject(attributes=Raw(b'{"region":"eu-west-1"}'), sensitive_attributes=marked)
    assert object_facts(aws, "aws_vpc", obj) == {}
    assert settings_facts(aws, {"region": Value(STRING, "eu-west-1", sensitive=True)}) == {}


def test_the_last_role_counts() -> None:
    """Each role is assumed with the one before it."""
    roles = {f"assume_role[{n}].role_arn": text(f"arn:aws:iam::{n}{'1' * 11}:role/r") for n in range(2)}
    assert list(settings_facts(parse_provider_source("hashicorp/aws"), roles).values()) == ["111111111111"]


def test_overrides() -> None:
    aws, azure = map(parse_provider_source, ("hashicorp/aws", "hashicorp/azurerm"))
    assert overridden(aws, ["name", "region"]) == {"region"}
    assert overridden(aws, ["name"]) == frozenset() == overridden(azure, None)
    # A block that is gone may have had any argument.
    assert overridden(aws, None) == {"region"}
