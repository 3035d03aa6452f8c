"""`replace-provider`: what is bound to another provider or configuration, what stays, and what is refused."""

from __future__ import annotations

from random import Random

import pytest

from statefmt.analysis.diff import diff
from statefmt.analysis.selection import Criteria
from statefmt.edit.changes import Edit
from statefmt.edit.operations.rebind import replace_provider
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.errors import InvalidAddressError, SurgeryError
from statefmt.model.snapshot import Snapshot
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.bindings import bound, chosen, lines
from tests.edit.operations.build import snapshot_with
from tests.tables import each_row

_T = 'provider["acme/t"]'


def replaced(snapshot: Snapshot, old: str, new: str, *only: str, whole_resource: bool = False) -> Edit:
    """What `replace-provider OLD NEW SELECTOR…` makes of a snapshot."""
    found = chosen(snapshot, *only) if only else Criteria()
    return replace_provider(snapshot, found, old, new, whole_resource=whole_resource)


# Instances, from, to, which only, instances afterwards.
REPLACED = {
    "a provider": (["t.a @ acme/t"], "acme/t", "acme/u", [], ["t.a @ acme/u"]),
    "alias and keys stay": (['t.a @ acme/t.w["k"]'], "acme/t", "acme/u", [], ['t.a @ acme/u.w["k"]']),
    "the module of a configuration stays": (
        ["module.m.t.a @ module.m.acme/t"], "acme/t", "acme/u", [],
        ["module.m.t.a @ module.m.acme/u"],
    ),
    "deposed objects go along": (["t.a @ acme/t", "t.a+ @ acme/t"], "acme/t", "b/t", [], ["t.a @ b/t", "t.a+ @ b/t"]),
    "to another host": (
        ["t.a @ acme/t"], "acme/t", "registry.terraform.io/acme/t", [],
        ["t.a @ registry.terraform.io/acme/t"],
    ),
    "a name alone is HashiCorp's": (["t.a @ hashicorp/aws"], "aws", "acme/aws", [], ["t.a @ acme/aws"]),
    "in normal form": (["t.a @ acme/t"], "ACME/T", "acme/u", [], ["t.a @ acme/u"]),
    "other providers stay": (
        ["t.a @ acme/t", "t.b @ other/t"], "acme/t", "acme/u", [],
        ["t.a @ acme/u", "t.b @ other/t"],
    ),
    "only what is chosen": (
        ["t.a[0] @ acme/t", "t.a[1] @ acme/t", "t.b @ acme/t"], "acme/t", "acme/u", ["t.a"],
        ["t.a[0] @ acme/u", "t.a[1] @ acme/u", "t.b @ acme/t"],
    ),
    "of the chosen those that are bound to it": (
        ["t.a @ acme/t", "t.b @ other/t"], "acme/t", "acme/u", ["t.a", "t.b"],
        ["t.a @ acme/u", "t.b @ other/t"],
    ),
    "a configuration": (
        ["t.a @ acme/t", "t.b @ acme/t.w"], f"{_T}.w", f"module.m.{_T}.e", [],
        ["t.a @ acme/t", "t.b @ module.m.acme/t.e"],
    ),
    "the default configuration, and not its provider's others": (
        ["t.a @ acme/t", "t.b @ acme/t.w"], _T, f"{_T}.e", [],
        ["t.a @ acme/t.e", "t.b @ acme/t.w"],
    ),
    "a configuration with keys": (
        ['t.a[0] @ acme/t.w["k"]', 't.a[1] @ acme/t.w["l"]'], f"{_T}.w", f"{_T}.e", [],
        ['t.a[0] @ acme/t.e["k"]', 't.a[1] @ acme/t.e["l"]'],
    ),
    "a configuration of another provider": (["t.a @ acme/t.w"], f"{_T}.w", 'provider["b/u"]', [], ["t.a @ b/u"]),
    "what Terraform 0.13 left": (["t.a @ acme/t"], "acme/t", "-/t", [], ["t.a @ -/t"]),
}  # fmt: skip


@each_row("case", REPLACED)
def test_replaced(case: str) -> None:
    before, old, new, only, after = REPLACED[case]
    assert lines(replaced(bound(*before), old, new, *only).snapshot) == after


# Instances, from, to, which only, what the refusal says.
REFUSED = {
    "nothing bound to it": (
        ["t.a @ acme/t"], "acme/x", "acme/u", [],
        "no resource is bound to registry.opentofu.org/acme/x; they are bound to:\n  registry.opentofu.org/acme/t",
    ),
    "the other registry's": (
        ["t.a @ registry.terraform.io/acme/t"], "acme/t", "acme/u", [],
        "they are bound to:\n  registry.terraform.io/acme/t",
    ),
    "nothing chosen bound to it": (
        ["t.a @ acme/t", "t.b @ b/u"], "acme/t", "acme/u", ["t.b"],
        "none of the selected resources is bound to registry.opentofu.org/acme/t",
    ),
    "no such configuration": (
        ["t.a @ acme/t.w"], _T, f"{_T}.e", [],
        'they are bound to:\n  provider["registry.opentofu.org/acme/t"].w',
    ),
    "a resource in part": (
        ["t.a[0] @ acme/t", "t.a[1] @ acme/t"], "acme/t", "acme/u", ["t.a[0]"],
        "t.a: all instances of a resource share one provider configuration, and these were not selected:\n  t.a[1]",
    ),
    "keys that would be lost": (
        ['t.a @ acme/t.w["k"]'], f"{_T}.w", _T, [],
        "t.a: its instances are bound to instances of",
    ),
    "a provider by a configuration": (["t.a @ acme/t"], "acme/t", _T, [], "give two of the same kind"),
    "an instance of a configuration": (["t.a @ acme/t"], f'{_T}.w["k"]', _T, [], "is an instance of a provider"),
    "no source": (["t.a @ acme/t"], "a/b/c/d", "acme/u", [], "invalid provider 'a/b/c/d': "),
    "no configuration": (["t.a @ acme/t"], "acme/t", "provider[0]", [], "invalid provider 'provider[0]': "),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, old, new, only, message = REFUSED[case]
    with pytest.raises((SurgeryError, InvalidAddressError)) as caught:
        replaced(bound(*before), old, new, *only)
    assert message in str(caught.value)


def test_a_resource_without_instances() -> None:
    """It names a provider, too, and goes along with all the others, but cannot be chosen by its instances."""
    provider = 'provider["registry.opentofu.org/acme/t"]'
    state = snapshot_with([{"mode": "managed", "type": "t", "name": "a", "provider": provider, "instances": []}])
    after = write(replaced(state, "acme/t", "acme/u").snapshot, canonical=False)
    assert b'"provider[\\"registry.opentofu.org/acme/u\\"]"' in after


def test_the_whole_resource_goes_along() -> None:
    state = bound("t.a[0] @ acme/t", "t.a[1] @ acme/t", "t.b @ acme/t")
    after = replaced(state, "acme/t", "acme/u", "t.a[0]", whole_resource=True).snapshot
    assert lines(after) == ["t.a[0] @ acme/u", "t.a[1] @ acme/u", "t.b @ acme/t"]


@each_row("seed", range(50))
def test_there_and_back_again(seed: int) -> None:
    text = canonical(realistic(seed))
    state = read(text).snapshot
    resource = Random(seed).choice(state.resources)
    only = str(resource.addr)
    there = replaced(state, "aws", "example.com/acme/aws", only).snapshot
    changes = diff(state, there, exact=True)
    assert {str(change.addr) for change in changes.instances} == {str(i.addr) for i in chosen(state, only)}
    assert {(member.name, change.is_moved) for change in changes.instances for member in change.members} == {
        ("provider", False)
    }
    assert (changes.envelope, changes.outputs, changes.followed, changes.resources) == ((), (), (), ())
    back = replaced(read(write(there, canonical=False)).snapshot, "example.com/acme/aws", "aws", only).snapshot
    assert write(back, canonical=False) == text
