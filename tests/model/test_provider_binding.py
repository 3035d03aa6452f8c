"""The rules of the RFC "Static Evaluation of Provider Iteration" for state snapshots, one after the other."""

from __future__ import annotations

from typing import Final

import pytest

from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource, parse_config_provider_config
from statefmt.model.provider_binding import BlockProviders, Lifted, ObjectProvider, lift, lower, same_provider
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState
from tests.tables import each_row

AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
R: Final = f"{AWS}.r"
OTHER: Final = f"{AWS}.other"
MINE: Final = 'provider["example.com/acme/aws"]'
IN_MODULE: Final = f"module.net.{AWS}.r"
LEGACY: Final = 'provider["registry.opentofu.org/-/aws"]'
A, B, C = StringKey("a"), StringKey("b"), StringKey("c")
CONFLICT: Final = "Provider instance field conflict in state"
BOTH: Final = "Provider field conflict in state"
MISSING: Final = "Provider field missing state"

# The provider at the resource level, and (instance key, own provider) of each object.
Block = tuple[str, list[tuple[InstanceKey, str]]]


def _lift(*blocks: Block) -> Lifted:
    return lift(
        "aws_a.b",
        [
            BlockProviders(
                level,
                [
                    ObjectProvider(key, own, f"/resources/{number}/instances/{place}")
                    for place, (key, own) in enumerate(objects)
                ],
                f"/resources/{number}",
            )
            for number, (level, objects) in enumerate(blocks)
        ],
    )


def _bound(lifted: Lifted) -> list[str]:
    """The provider instance of each object, as text."""
    keys = [key for block in lifted.keys for key in block or ()]
    return [f"{lifted.config}{key}" for key in keys]


def _found(lifted: Lifted) -> list[tuple[str, str, str]]:
    return [(finding.code, finding.severity.value, finding.address) for finding in lifted.findings]


@each_row(
    ("block", "bound"),
    [
        pytest.param((R, [(NO_KEY, "")]), [R], id="the resource level reaches the one instance"),
        pytest.param((R, [(A, ""), (B, "")]), [R, R], id="the resource level reaches every instance"),
        pytest.param(("", [(NO_KEY, R)]), [R], id="the instance level alone"),
        pytest.param(("", [(A, R), (B, R)]), [R, R], id="the instance level without keys"),
        pytest.param(("", [(A, f'{R}["x"]'), (B, f'{R}["y"]')]), [f'{R}["x"]', f'{R}["y"]'], id="a key each"),
        pytest.param(("", [(A, f'{R}["x"]'), (B, R)]), [f'{R}["x"]', R], id="a key and none"),
        pytest.param(("", [(A, f"{R}[0]"), (B, f'{R}["0"]')]), [f"{R}[0]", f'{R}["0"]'], id="number and text differ"),
        pytest.param(("", [(A, f'{IN_MODULE}["x"]')]), [f'{IN_MODULE}["x"]'], id="a provider of a module"),
        pytest.param(("", [(A, f'{R}["$${{x}}"]')]), [f'{R}["$${{x}}"]'], id="a key that looks like a template"),
        pytest.param((AWS, []), [], id="no instances"),
        pytest.param(("", []), [], id="nothing at all"),
        pytest.param(("provider.aws", [(A, "")]), [LEGACY], id="the form before Terraform 0.13"),
        pytest.param(("provider.aws.r", [(A, "")]), [f"{LEGACY}.r"], id="that form with an alias"),
        pytest.param(("", [(A, 'provider["hashicorp/aws"].r'), (B, R)]), [R, R], id="short and long say the same"),
        pytest.param(("", [(A, 'provider["HashiCorp/AWS"].r'), (B, R)]), [R, R], id="letter case of a source"),
    ],
)
def test_bound_without_a_word(block: Block, bound: list[str]) -> None:
    lifted = _lift(block)
    assert _bound(lifted) == bound
    assert lifted.findings == ()


@pytest.mark.parametrize(
    ("block", "bound", "told"),
    [
        pytest.param((R, [(A, R)]), [R], [A], id="the same at both"),
        pytest.param((R, [(A, f'{R}["x"]')]), [f'{R}["x"]'], [A], id="the instance's key wins"),
        pytest.param((R, [(A, OTHER)]), [OTHER], [A], id="the instance's configuration wins"),
        pytest.param((AWS, [(A, OTHER), (B, OTHER)]), [OTHER, OTHER], [A, B], id="a warning for each instance"),
        pytest.param((R, [(A, ""), (B, f'{R}["x"]')]), [R, f'{R}["x"]'], [B], id="the others fall back"),
        pytest.param(("provider.aws", [(A, LEGACY)]), [LEGACY], [A], id="the old form at the resource"),
    ],
)
def test_both_levels_warn_and_the_instance_wins(block: Block, bound: list[str], told: list[InstanceKey]) -> None:
    lifted = _lift(block)
    assert _bound(lifted) == bound
    assert _found(lifted) == [("PRV001", "warning", f"aws_a.b{key}") for key in told]
    assert {finding.summary for finding in lifted.findings} == {BOTH}


def test_both_levels_names_both_addresses() -> None:
    (finding,) = _lift((R, [(A, f'{R}["x"]')])).findings
    assert R in finding.detail
    assert f'{R}["x"]' in finding.detail
    assert finding.pointer == "/resources/0/instances/0/provider"


@pytest.mark.parametrize(
    ("block", "first", "second"),
    [
        pytest.param(("", [(A, R), (B, OTHER)]), (A, R), (B, OTHER), id="another alias"),
        pytest.param(("", [(A, AWS), (B, R)]), (A, AWS), (B, R), id="alias and none"),
        pytest.param(("", [(A, MINE), (B, AWS)]), (A, MINE), (B, AWS), id="another provider"),
        pytest.param(("", [(A, R), (B, IN_MODULE)]), (A, R), (B, IN_MODULE), id="another module"),
        pytest.param(
            ("", [(A, f'{R}["x"]'), (B, f'{OTHER}["x"]')]),
            (A, f'{R}["x"]'),
            (B, f'{OTHER}["x"]'),
            id="the same key of another configuration",
        ),
        pytest.param(("", [(A, R), (B, R), (C, OTHER)]), (A, R), (C, OTHER), id="the third"),
        pytest.param((R, [(A, ""), (B, OTHER)]), (A, R), (B, OTHER), id="against what the resource level gave"),
        pytest.param((R, [(A, OTHER), (B, "")]), (A, OTHER), (B, R), id="the resource level against the first"),
        pytest.param(
            (R, [(A, ""), (B, f'{OTHER}["x"]')]),
            (A, R),
            (B, f'{OTHER}["x"]'),
            id="a keyed one against the resource level",
        ),
    ],
)
def test_mixed_configurations_are_refused(
    block: Block, first: tuple[InstanceKey, str], second: tuple[InstanceKey, str]
) -> None:
    errors = [finding for finding in _lift(block).findings if finding.severity.value == "error"]
    assert [(error.code, error.summary, error.address) for error in errors] == [("PRV003", CONFLICT, "aws_a.b")]
    for key, provider in (first, second):
        assert f"aws_a.b{key} has {provider}" in errors[0].detail


@pytest.mark.parametrize(
    ("block", "without"),
    [
        pytest.param(("", [(NO_KEY, "")]), [NO_KEY], id="the only one"),
        pytest.param(("", [(A, ""), (B, ""), (IntKey(0), "")]), [A, B, IntKey(0)], id="an error for each instance"),
        pytest.param(("", [(A, R), (B, ""), (C, R)]), [B], id="the others have their own"),
    ],
)
def test_neither_level_is_refused(block: Block, without: list[InstanceKey]) -> None:
    lifted = _lift(block)
    assert _found(lifted) == [("PRV002", "error", f"aws_a.b{key}") for key in without]
    assert {finding.summary for finding in lifted.findings} == {MISSING}


# (code, address, pointer) of each finding.
_UNREADABLE: Final = {
    "no address at the resource level": (("aws", [(A, "")]), [("PRV004", "aws_a.b", "/resources/0/provider")]),
    "a key at the resource level": ((f'{R}["x"]', [(A, "")]), [("PRV004", "aws_a.b", "/resources/0/provider")]),
    "no address on an instance": (
        ("", [(A, "aws")]),
        [("PRV004", 'aws_a.b["a"]', "/resources/0/instances/0/provider")],
    ),
    "the old form on an instance": (
        ("", [(A, "provider.aws")]),
        [("PRV004", 'aws_a.b["a"]', "/resources/0/instances/0/provider")],
    ),
    "a key without an alias": (
        ("", [(A, f'{AWS}["x"]')]),
        [("PRV004", 'aws_a.b["a"]', "/resources/0/instances/0/provider")],
    ),
    "a module key before the provider": (
        ("", [(A, f"module.net[0].{AWS}")]),
        [("PRV004", 'aws_a.b["a"]', "/resources/0/instances/0/provider")],
    ),
}


@pytest.mark.parametrize(("block", "found"), _UNREADABLE.values(), ids=_UNREADABLE)
def test_unreadable_addresses_are_refused(block: Block, found: list[tuple[str, str, str]]) -> None:
    findings = _lift(block).findings
    assert [(finding.code, finding.address, finding.pointer) for finding in findings] == found
    assert {finding.severity.value for finding in findings} == {"error"}


@pytest.mark.parametrize(
    ("blocks", "bound"),
    [
        pytest.param([(R, [(A, "")]), (R, [(B, "")])], [R, R], id="the same at the resource level"),
        pytest.param([(R, [(A, "")]), ("", [(B, f'{R}["y"]')])], [R, f'{R}["y"]'], id="one at each level"),
        pytest.param([("", [(A, f'{R}["x"]')]), (R, [(B, "")])], [f'{R}["x"]', R], id="the other way round"),
        pytest.param([(R, [(A, "")]), (R, [])], [R], id="an empty block that says the same"),
        pytest.param([(R, [(A, "")]), ("", [])], [R], id="an empty block that says nothing"),
        pytest.param([("", []), (R, [(A, "")])], [R], id="an empty block first"),
    ],
)
def test_several_blocks_of_one_configuration(blocks: list[Block], bound: list[str]) -> None:
    lifted = _lift(*blocks)
    assert _bound(lifted) == bound
    assert lifted.findings == ()


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param([(R, [(A, "")]), (OTHER, [(B, "")])], id="resource levels differ"),
        pytest.param([("", [(A, R)]), ("", [(B, OTHER)])], id="instances differ"),
        pytest.param([(R, [(A, "")]), ("", [(B, f'{OTHER}["y"]')])], id="resource level against instance"),
        pytest.param([("", [(A, f'{R}["x"]')]), ("", [(B, f'{OTHER}["x"]')])], id="keyed instances differ"),
        pytest.param([(R, [(A, "")]), (R, [(B, "")]), (OTHER, [(C, "")])], id="the third block"),
    ],
)
def test_several_blocks_of_different_configurations_are_refused(blocks: list[Block]) -> None:
    lifted = _lift(*blocks)
    assert _found(lifted) == [("PRV006", "error", "aws_a.b")]
    assert lifted.findings[0].summary == CONFLICT
    assert "in different blocks of the file" in lifted.findings[0].detail


def test_propagation_stays_within_a_block() -> None:
    """The resource level of one block is not that of another."""
    assert _found(_lift((R, [(A, "")]), ("", [(B, "")]))) == [("PRV002", "error", 'aws_a.b["b"]')]


def test_an_empty_last_block_counts_as_in_opentofu() -> None:
    lifted = _lift((R, [(A, "")]), (OTHER, []))
    assert _bound(lifted) == [OTHER]
    assert _found(lifted) == [("PRV006", "info", "aws_a.b")]


@pytest.mark.parametrize(
    ("objects", "bound", "told"),
    [
        pytest.param([(A, f'{R}["x"]'), (A, f'{R}["x"]')], [f'{R}["x"]', f'{R}["x"]'], [], id="the same key"),
        pytest.param([(A, f'{R}["x"]'), (A, f'{R}["y"]')], [f'{R}["x"]', f'{R}["y"]'], [A], id="another key"),
        pytest.param([(A, f'{R}["x"]'), (A, R)], [f'{R}["x"]', R], [A], id="a key and none"),
        pytest.param([(A, R), (A, f'{R}["x"]')], [R, f'{R}["x"]'], [A], id="none and a key"),
        pytest.param(
            [(A, f'{R}["x"]'), (A, f'{R}["y"]'), (A, f'{R}["z"]')],
            [f'{R}["x"]', f'{R}["y"]', f'{R}["z"]'],
            [A],
            id="one finding for an instance",
        ),
        pytest.param([(A, f'{R}["x"]'), (B, f'{R}["y"]')], [f'{R}["x"]', f'{R}["y"]'], [], id="of two instances"),
    ],
)
def test_objects_of_one_instance_keep_their_own_keys(
    objects: list[tuple[InstanceKey, str]], bound: list[str], told: list[InstanceKey]
) -> None:
    lifted = _lift(("", objects))
    assert _bound(lifted) == bound
    assert _found(lifted) == [("PRV005", "info", f"aws_a.b{key}") for key in told]


def _resource(config: str, *keys: InstanceKey) -> ResourceState:
    return ResourceState(
        addr=parse_abs_resource("aws_a.b"),
        provider_config=parse_config_provider_config(config),
        objects=tuple(ResourceInstanceObject(key=IntKey(number), provider_key=key) for number, key in enumerate(keys)),
    )


@pytest.mark.parametrize(
    ("resource", "level", "instances"),
    [
        pytest.param(_resource(R), R, [], id="no instances"),
        pytest.param(_resource(R, NO_KEY), R, [], id="no key"),
        pytest.param(_resource(R, NO_KEY, NO_KEY), R, [], id="no keys"),
        pytest.param(_resource(R, A), "", [f'{R}["a"]'], id="a key"),
        pytest.param(_resource(R, A, NO_KEY), "", [f'{R}["a"]', R], id="one key is enough"),
        pytest.param(_resource(R, NO_KEY, IntKey(1)), "", [R, f"{R}[1]"], id="a number"),
        pytest.param(_resource(IN_MODULE, B), "", [f'{IN_MODULE}["b"]'], id="in a module"),
        pytest.param(_resource(R, StringKey('"${x}')), "", [f'{R}["\\"$${{x}}"]'], id="a key that needs quoting"),
    ],
)
def test_lower_writes_the_form_that_is_needed(resource: ResourceState, level: str, instances: list[str]) -> None:
    lowered = lower(resource)
    assert lowered.resource_level == level
    assert [lowered.instance_level[obj.provider_key] for obj in resource.objects if not level] == instances
    assert not (level and lowered.instance_level)


def test_lower_of_a_resource_without_a_provider() -> None:
    lowered = lower(ResourceState(addr=parse_abs_resource("aws_a.b"), provider_config=None))
    assert (lowered.resource_level, dict(lowered.instance_level)) == ("", {})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(AWS, AWS, True, id="the same text"),
        pytest.param(AWS, 'provider["hashicorp/aws"]', True, id="default host left out"),
        pytest.param(LEGACY, "provider.aws", True, id="the form before Terraform 0.13"),
        pytest.param(
            'provider["registry.opentofu.org/-/my_cloud"]', "provider.my_cloud", True, id="a name only it takes"
        ),
        pytest.param(f'{R}["x"]', 'provider["hashicorp/aws"].r["x"]', True, id="with a key"),
        pytest.param(f'{R}["x"]', f'{R}["y"]', False, id="another key"),
        pytest.param(R, OTHER, False, id="another alias"),
        pytest.param("nonsense", "other nonsense", False, id="neither is an address"),
    ],
)
def test_same_provider(one: str, other: str, same: bool) -> None:
    assert same_provider(one, other) is same
    assert same_provider(other, one) is same
