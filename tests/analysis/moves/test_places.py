"""Objects are no pair if the provider block of the new one is for another account or region."""

from __future__ import annotations

from typing import Any

from statefmt.analysis.moves import propose_moves
from tests.analysis.moves.build import gone, moves, new, plan

_ARN = "arn:aws:sqs:{}:111111111111:jobs"


def _configuration(*resources: dict[str, Any]) -> dict[str, Any]:
    """A configuration with two providers, and resources that use them."""
    region = {name: {"region": {"constant_value": name}} for name in ("eu-west-1", "us-east-1")}
    providers = {
        "aws.eu": {"name": "aws", "alias": "eu", "expressions": region["eu-west-1"]},
        "aws.us": {"name": "aws", "alias": "us", "expressions": region["us-east-1"]},
    }
    return {"provider_config": providers, "root_module": {"resources": list(resources)}}


def _block(name: str, provider: str, **expressions: object) -> dict[str, Any]:
    return {"address": f"aws_sqs_queue.{name}", "provider_config_key": provider, "expressions": expressions}


def _gone(name: str, region: str) -> dict[str, Any]:
    return gone(f"aws_sqs_queue.{name}", {"name": "jobs", "arn": _ARN.format(region)})


def _new(name: str) -> dict[str, Any]:
    return new(f"aws_sqs_queue.{name}", {"name": "jobs"}, {"arn": True})


def test_equal_objects_of_two_regions() -> None:
    """Without the regions, each may be either."""
    changes = (_gone("a", "us-east-1"), _gone("b", "eu-west-1"), _new("x"), _new("y"))
    blocks = (_block("x", "aws.eu"), _block("y", "aws.us"))
    found = propose_moves({"": plan(*changes, configuration=_configuration(*blocks))})
    assert moves(found) == {"aws_sqs_queue.a": "aws_sqs_queue.y", "aws_sqs_queue.b": "aws_sqs_queue.x"}
    assert not found.ambiguous
    without = {**_configuration(*blocks), "provider_config": {}}
    found = propose_moves({"": plan(*changes, configuration=without)})
    assert not found.moves
    assert len(found.ambiguous) == 1


def test_another_region_is_no_pair() -> None:
    changes = (_gone("a", "us-east-1"), _new("x"))
    assert not propose_moves({"": plan(*changes, configuration=_configuration(_block("x", "aws.eu")))}).moves
    assert propose_moves({"": plan(*changes, configuration=_configuration(_block("x", "aws.us")))}).moves


def test_a_region_of_the_resource() -> None:
    """The block decides then."""
    block = _block("x", "aws.eu", region={"constant_value": "us-east-1"})
    changes = (_gone("a", "us-east-1"), _new("x"))
    assert propose_moves({"": plan(*changes, configuration=_configuration(block))}).moves
