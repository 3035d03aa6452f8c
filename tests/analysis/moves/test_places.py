"""Objects are no pair if the provider block of the new one is for another account or region."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statefmt.analysis.moves import propose_moves
from statefmt.configuration import LoadOptions, VariableOption, load
from statefmt.configuration.provider_instances import ProviderReferences
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


_BY_REGION = """\
variable "regions" {
  type = map(string)
}

provider "aws" {
  alias    = "by_region"
  for_each = var.regions
  region   = each.value
}

resource "aws_sqs_queue" "jobs" {
  for_each = toset(["eu", "us"])
  provider = aws.by_region[each.key]
  name     = "jobs"
  ARGUMENTS
}
"""
# The JSON of its plan. The plan has the same JSON for `region = "${each.value}-1"`.
_PLANNED = {
    "provider_config": {
        "aws.by_region": {
            "name": "aws",
            "alias": "by_region",
            "expressions": {"region": {"references": ["each.value", "each"]}},
        }
    },
    "root_module": {
        "resources": [
            {
                "address": "aws_sqs_queue.jobs",
                "provider_config_key": "aws.by_region",
                "expressions": {"name": {"constant_value": "jobs"}},
                "for_each_expression": {"constant_value": ["eu", "us"]},
            }
        ]
    },
}
_COPIES = (_gone("jobs_a", "us-east-1"), _gone("jobs_b", "eu-west-1"), _new('jobs["eu"]'), _new('jobs["us"]'))


def _references(folder: Path, regions: str, arguments: str = "") -> dict[str, ProviderReferences]:
    (folder / "main.tf").write_text(_BY_REGION.replace("ARGUMENTS", arguments))
    given = VariableOption(name="regions", value=regions)
    return {"": ProviderReferences(load(folder, LoadOptions(variables=(given,))))}


def test_instances_of_a_provider_by_their_evaluated_arguments(tmp_path: Path) -> None:
    planned = {"": plan(*_COPIES, configuration=_PLANNED)}
    assert len(propose_moves(planned).ambiguous) == 1
    found = propose_moves(planned, references=_references(tmp_path, '{ eu = "eu-west-1", us = "us-east-1" }'))
    assert moves(found) == {
        "aws_sqs_queue.jobs_a": 'aws_sqs_queue.jobs["us"]',
        "aws_sqs_queue.jobs_b": 'aws_sqs_queue.jobs["eu"]',
    }
    # The keys say nothing: the arguments do.
    found = propose_moves(planned, references=_references(tmp_path, '{ eu = "us-east-1", us = "eu-west-1" }'))
    assert moves(found) == {
        "aws_sqs_queue.jobs_a": 'aws_sqs_queue.jobs["eu"]',
        "aws_sqs_queue.jobs_b": 'aws_sqs_queue.jobs["us"]',
    }
    found = propose_moves(planned, references=_references(tmp_path, '{ eu = "sa-east-1", us = "us-west-2" }'))
    assert not found.moves
    assert not found.ambiguous


@pytest.mark.parametrize(
    ("regions", "arguments"),
    [
        ('{ eu = "eu-west-1", us = "us-east-1" }', 'region = "eu-north-1"'),  # the block decides
        ('{ us = "us-east-1" }', ""),  # an instance is not declared
        ('{ eu = null, us = "us-east-1" }', ""),
    ],
)
def test_what_the_configuration_does_not_determine_excludes_no_pair(
    regions: str, arguments: str, tmp_path: Path
) -> None:
    planned = {
        "": plan(_gone("jobs_b", "us-east-1"), _gone("jobs_c", "us-east-1"), _new('jobs["eu"]'), configuration=_PLANNED)
    }
    found = propose_moves(planned, references=_references(tmp_path, regions, arguments))
    assert not found.moves
    assert len(found.ambiguous) == 1
