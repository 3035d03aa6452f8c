"""`rebind`: which instances go to which provider instance, which have to come along, and what is refused."""

from __future__ import annotations

from random import Random

import pytest

from statefmt.analysis.diff import diff
from statefmt.edit.operations.rebind import rebind
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.errors import SurgeryError
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.bindings import bound, chosen, lines, provider_instance
from tests.tables import each_row

_A, _B, _C = StringKey("a"), StringKey("b"), StringKey("c")
_PAIR = ['t.a[0] @ acme/t.r["a"]', 't.a[1] @ acme/t.r["b"]']

# Instances, which of them, where to, instances afterwards.
REBOUND = {
    "one of two": (_PAIR, ["t.a[0]"], 'acme/t.r["c"]', ['t.a[0] @ acme/t.r["c"]', 't.a[1] @ acme/t.r["b"]']),
    "both": (_PAIR, ["t.a"], 'acme/t.r["c"]', ['t.a[0] @ acme/t.r["c"]', 't.a[1] @ acme/t.r["c"]']),
    "a resource to another configuration": (_PAIR, ["t.a"], "acme/t.w", ["t.a[0] @ acme/t.w", "t.a[1] @ acme/t.w"]),
    "to the default configuration": (_PAIR, ["t.a"], "acme/t", ["t.a[0] @ acme/t", "t.a[1] @ acme/t"]),
    "to an instance of another configuration": (
        ["t.a @ acme/t"], ["t.a"], 'acme/t.r["a"]',
        ['t.a @ acme/t.r["a"]'],
    ),
    "to one within its module": (["module.m.t.a @ acme/t"], ["module.m.t.a"], "module.m.acme/t", [
        "module.m.t.a @ module.m.acme/t"]),
    "deposed objects go along": (
        ['t.a @ acme/t.r["a"]', 't.a+ @ acme/t.r["a"]'], ["t.a"], 'acme/t.r["b"]',
        ['t.a @ acme/t.r["b"]', 't.a+ @ acme/t.r["b"]'],
    ),
    "a number as a key": (["t.a @ acme/t.r"], ["t.a"], "acme/t.r[0]", ["t.a @ acme/t.r[0]"]),
    "others stay": (["t.a @ acme/t", "t.b @ acme/t"], ["t.a"], "acme/t.w", ["t.a @ acme/t.w", "t.b @ acme/t"]),
    "where it is already": (["t.a @ acme/t.w"], ["t.a"], "acme/t.w", ["t.a @ acme/t.w"]),
}  # fmt: skip


@pytest.mark.parametrize("case", REBOUND)
def test_rebound(case: str) -> None:
    before, which, to, after = REBOUND[case]
    state = bound(*before)
    edit = rebind(state, chosen(state, *which), provider_instance(to))
    assert lines(edit.snapshot) == after
    already = f"the selected instances are bound to {provider_instance(to)} already"
    assert edit.notes == ((already,) if edit.snapshot is state else ())


# Instances, which of them, mapping of keys, to which configuration, instances afterwards.
Mapped = tuple[list[str], list[str], dict[InstanceKey, InstanceKey], str, list[str]]
MAPPED: dict[str, Mapped] = {
    "one key": (_PAIR, ["t.a"], {_A: _C}, "", ['t.a[0] @ acme/t.r["c"]', 't.a[1] @ acme/t.r["b"]']),
    "two that change places": (_PAIR, ["t.a"], {_A: _B, _B: _A}, "", [
        't.a[0] @ acme/t.r["b"]', 't.a[1] @ acme/t.r["a"]']),
    "only the chosen": (
        ['t.a @ acme/t.r["a"]', 't.b @ acme/t.r["a"]'], ["t.b"], {_A: _C}, "",
        ['t.a @ acme/t.r["a"]', 't.b @ acme/t.r["c"]'],
    ),
    "of several configurations": (
        ['t.a @ acme/t.r["a"]', 't.b @ acme/t.s["a"]'], ["t.a", "t.b"], {_A: _C}, "",
        ['t.a @ acme/t.r["c"]', 't.b @ acme/t.s["c"]'],
    ),
    "from no key": (["t.a @ acme/t.r"], ["t.a"], {NO_KEY: _A}, "", ['t.a @ acme/t.r["a"]']),
    "to no key": (['t.a @ acme/t.r["a"]'], ["t.a"], {_A: NO_KEY}, "", ["t.a @ acme/t.r"]),
    "to another configuration": (_PAIR, ["t.a"], {_A: _C, _B: _B}, "acme/t.s", [
        't.a[0] @ acme/t.s["c"]', 't.a[1] @ acme/t.s["b"]']),
    "each object by its own key": (
        ['t.a @ acme/t.r["a"]', 't.a+ @ acme/t.r["b"]'], ["t.a"], {_A: _C}, "",
        ['t.a @ acme/t.r["c"]', 't.a+ @ acme/t.r["b"]'],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MAPPED)
def test_mapped(case: str) -> None:
    before, which, mapping, to, after = MAPPED[case]
    state = bound(*before)
    edit = rebind(state, chosen(state, *which), provider_instance(to) if to else None, mapping=mapping)
    assert lines(edit.snapshot) == after


# Instances, which of them, where to, mapping of keys, what the refusal says.
Refused = tuple[list[str], list[str], str, dict[InstanceKey, InstanceKey] | None, str]
REFUSED: dict[str, Refused] = {
    "a part to another configuration": (
        _PAIR, ["t.a[0]"], "acme/t.w", None,
        ", and these were not selected:\n  t.a[1]\nSelect them as well, or use --whole-resource",
    ),
    "another provider": (
        ["t.a @ acme/t"], ["t.a"], "acme/u", None,
        "another provider; use `statetool replace-provider` to change the provider",
    ),
    "a key that nobody has": (
        _PAIR, ["t.a"], "", {_C: _A},
        'no selected instance is bound to a provider instance with the key ["c"]; there are:\n  the key ["a"]\n',
    ),
    "a number that is a text": (['t.a @ acme/t.r["0"]'], ["t.a"], "", {IntKey(0): _A}, 'the key [0]; there are:\n'),
    "a key and a mapping": (_PAIR, ["t.a"], 'acme/t.r["c"]', {_A: _C}, "give only the configuration"),
    "a key without an alias": (["t.a @ acme/t"], ["t.a"], "", {NO_KEY: _A}, "t.a: provider["),
    "keys left open": (
        _PAIR, ["t.a"], "acme/t.s", {_A: _A},
        't.a[1] is bound to provider["registry.opentofu.org/acme/t"].r["b"], but the mapping to instances of',
    ),
    "nowhere": (_PAIR, ["t.a"], "", None, "no provider instance given"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, which, to, mapping, message = REFUSED[case]
    state = bound(*before)
    with pytest.raises(SurgeryError) as caught:
        rebind(state, chosen(state, *which), provider_instance(to) if to else None, mapping=mapping)
    assert message in caught.value.on_command_line


def test_the_whole_resource_goes_along() -> None:
    state = bound(*_PAIR, "t.b @ acme/t")
    edit = rebind(state, chosen(state, "t.a[0]"), provider_instance("acme/t.w"), whole_resource=True)
    assert lines(edit.snapshot) == ["t.a[0] @ acme/t.w", "t.a[1] @ acme/t.w", "t.b @ acme/t"]


def test_the_whole_resource_goes_along_by_its_keys() -> None:
    state = bound(*_PAIR)
    edit = rebind(state, chosen(state, "t.a[0]"), mapping={_A: _C, _B: _A}, whole_resource=True)
    assert lines(edit.snapshot) == ['t.a[0] @ acme/t.r["c"]', 't.a[1] @ acme/t.r["a"]']


def test_a_module_that_is_elsewhere_is_noted() -> None:
    state = bound("t.a @ acme/t")
    (said,) = rebind(state, chosen(state, "t.a"), provider_instance("module.m.acme/t")).notes
    assert said.endswith("these are elsewhere:\n  t.a")


# Where the resource of two instances with keys goes, and how often the file says its provider then.
FORMS = {'acme/t.r["c"]': 2, "acme/t.r": 1, "acme/t": 1, "acme/t.w": 1}


@pytest.mark.parametrize("to", FORMS)
def test_written_at_the_resource_unless_there_is_a_key(to: str) -> None:
    state = bound(*_PAIR)
    after = rebind(state, chosen(state, "t.a"), provider_instance(to)).snapshot
    text = write(after, canonical=False)
    assert text.count(b'"provider":') == FORMS[to]
    assert lines(read(text).snapshot) == lines(after)


@each_row("seed", range(100))
def test_there_and_back_again(seed: int) -> None:
    """The same bytes; and on the way nothing but the provider of what was chosen differs."""
    random = Random(seed)
    text = canonical(realistic(seed))
    state = read(text).snapshot
    resource = random.choice(state.resources)
    found = chosen(state, str(resource.addr))
    # Those that are bound to one provider instance can go back together.
    key = random.choice([obj.provider_key for obj in resource.objects])
    assert resource.provider_config is not None
    if resource.provider_config.alias:
        found = [i for i in found if i.objects[0].provider_key == key]
        to, back = resource.provider_config.instance(StringKey("new")), resource.provider_config.instance(key)
    else:
        to, back = provider_instance('hashicorp/aws.w["new"]'), resource.provider_config.instance()
    there = rebind(state, found, to).snapshot
    changes = diff(state, there, exact=True)
    assert [change.addr for change in changes.instances] == [instance.addr for instance in found]
    assert {member.name for change in changes.instances for member in change.members} == {"provider"}
    again = read(write(there, canonical=False)).snapshot
    returned = rebind(again, chosen(again, *(str(instance.addr) for instance in found)), back).snapshot
    assert write(returned, canonical=False) == text
