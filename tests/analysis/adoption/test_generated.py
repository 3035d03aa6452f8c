"""Generated migrations against what their generator knows: no wrong pair is taken, and nearly all are decided."""

from pathlib import Path

import pytest

from statefmt.analysis.adoption import adopt
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import read
from tests.analysis.adoption.case import state_of
from tests.analysis.adoption.generated import generate


def _counts(seed: int, folder: Path, *, with_old: bool) -> tuple[int, int, list[str]]:
    """The objects, the pairs, and the wrong ones."""
    made = generate(seed)
    for name, text in made.files.items():
        file = folder / str(seed) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    configurations = [ProviderReferences(load(folder / str(seed) / name)) for name in ("before", "after")]
    snapshot = read(state_of(made.state)).snapshot
    found = adopt(snapshot, configurations[1], configurations[0] if with_old else None)
    pairs = {str(pair.source.addr): str(pair.target.address) for pair in found.pairs}
    wrong = [f"{seed}: {one} -> {other}" for one, other in pairs.items() if made.right[one] != other]
    return len(made.right), len(pairs), wrong


def _check(seeds: range, folder: Path) -> None:
    objects = decided = 0
    wrong: list[str] = []
    for seed in seeds:
        total, pairs, mistakes = _counts(seed, folder, with_old=True)
        objects, decided, wrong = objects + total, decided + pairs, wrong + mistakes
    assert not wrong
    assert decided >= 0.97 * objects, f"{decided} of {objects}"


def test_a_sample(tmp_path: Path) -> None:
    _check(range(60), tmp_path)


@pytest.mark.slow
def test_all(tmp_path: Path) -> None:
    _check(range(2000), tmp_path)


def test_nothing_wrong_without_the_old_configuration(tmp_path: Path) -> None:
    assert not [one for seed in range(60) for one in _counts(seed, tmp_path, with_old=False)[2]]


def test_many_instances_are_not_all_compared(tmp_path: Path) -> None:
    """Where that would take long, a pair needs a name or a value, and nothing is said to have no place."""
    old, new, state = [], [], []
    regions = ("eu-west-1", "us-east-1")
    old += [f'provider "aws" {{\n  alias = "{place}"\n  region = "{place}"\n}}' for place in regions]
    new.append(
        'provider "aws" {\n  alias = "in"\n  for_each = toset(["eu-west-1", "us-east-1"])\n  region = each.key\n}'
    )
    for number in range(200):
        new.append(f'resource "aws_vpc" "v{number}" {{\n  provider = aws.in["eu-west-1"]\n}}')
        name = f"v{number}" if number % 2 else f"old{number}x"
        old.append(f'resource "aws_vpc" "{name}_eu" {{\n  provider = aws.eu-west-1\n}}')
        state.append(f'aws_vpc.{name}_eu aws.eu-west-1 {{"id": "vpc-{number}"}}')
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "main.tf").write_text("\n".join(old))
    (tmp_path / "new" / "main.tf").write_text("\n".join(new))
    references = [ProviderReferences(load(tmp_path / name)) for name in ("old", "new")]
    text = "\n".join(state).replace(" aws.eu-west-1 ", " aws.place ")
    snapshot = read(state_of(text).replace(b'aws\\"].place', b'aws\\"].eu-west-1')).snapshot
    found = adopt(snapshot, references[1], references[0])
    right = {f"aws_vpc.v{number}_eu": f"aws_vpc.v{number}" for number in range(1, 200, 2)}
    pairs = {str(pair.source.addr): str(pair.target.address) for pair in found.pairs}
    assert pairs.items() <= right.items()
    assert not found.left
    assert len(found.pairs) + len(found.choices) == 200


def test_many_copies_of_resources(tmp_path: Path) -> None:
    """Too many to compare all: names without their keys lead to the instances."""
    place = 'locals {\n  places = { eu = "eu-west-1", us = "us-east-1" }\n}\n'
    old = [f'provider "aws" {{\n  alias = "{key}"\n  region = "{key}-1"\n}}' for key in ("eu", "us")]
    new = [place, 'provider "aws" {\n  alias = "in"\n  for_each = local.places\n  region = "${each.key}-1"\n}']
    right = {}
    for number in range(120):
        block = "  for_each = local.places\n  provider = aws.in[each.key]\n"
        new.append(f'resource "aws_vpc" "net_{number}" {{\n{block}}}')
        for key in ("eu", "us"):
            old.append(f'resource "aws_vpc" "net_{number}_{key}" {{\n  provider = aws.{key}\n}}')
            right[f"aws_vpc.net_{number}_{key}"] = f'aws_vpc.net_{number}["{key}"]'
    for name, blocks in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.tf").write_text("\n".join(blocks))
    snapshot = read(state_of("\n".join(f"{one} aws.{one[-2:]}" for one in right))).snapshot
    new_references, old_references = (ProviderReferences(load(tmp_path / name)) for name in ("new", "old"))
    found = adopt(snapshot, new_references, old_references)
    assert {str(pair.source.addr): str(pair.target.address) for pair in found.pairs} == right
