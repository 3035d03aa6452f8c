"""CFS004 says whether the object is in the account and region of its next provider instance, where that shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.check import check
from tests.analysis.adoption.case import state_of

_MAIN = """
provider "aws" {
  alias  = "old"
  region = "eu-west-1"
}
provider "aws" {
  alias  = "same"
  region = "eu-west-1"
}
provider "aws" {
  alias  = "other"
  region = "us-east-1"
}
resource "aws_sqs_queue" "jobs" {
  provider = aws.%s
}
"""
_ARN = '{"id": "1", "arn": "arn:aws:sqs:eu-west-1:111111111111:jobs"}'


@pytest.mark.parametrize(
    ("new", "bound", "attributes", "said", "offers"),
    [
        ("same", "aws.old", '{"id": "1"}', "Both have equal arguments.", True),
        ("same", "aws.gone", _ARN, "Both the object and the new instance are in region eu-west-1.", True),
        ("same", "aws.gone", '{"id": "1"}', "", True),
        ("other", "aws.old", '{"id": "1"}', "", True),
        ("other", "aws.old", _ARN, "That is wrong: the object is in region eu-west-1", False),
    ],
)
def test_the_sentence(new: str, bound: str, attributes: str, said: str, offers: bool, tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_MAIN % new)
    state = state_of(f"aws_sqs_queue.jobs {bound} {attributes}")
    (found,) = check(state, select=["CFS004"], configuration=ProviderReferences(load(tmp_path)))
    end = found.detail.partition(f'through provider["registry.opentofu.org/hashicorp/aws"].{new}.')[2]
    assert end.strip().startswith(said) and bool(end.strip()) == bool(said)
    assert bool(found.fix.commands) == offers
    assert ("If both use" in str(found.fix.advice[0])) == (offers and not said)
