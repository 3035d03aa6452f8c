"""Edits of states as people make them, drawn at random: what is moved or removed where, by which addresses."""

from __future__ import annotations

import re
from itertools import count
from typing import Final, NamedTuple

from hypothesis import strategies as st

from tests.compat.content import resource_address
from tests.compat.states import MODULES, NAMES, PROVIDERS, TYPES, Document, documents
from tests.property.hcl_text import hcl_quoted

_KEY: Final = re.compile(r'\[(?:"[^"]*"|\d+)\]')
_NEW_MODULES: Final = (*MODULES, "module.new", 'module.new["k"]', "module.net.module.sub.module.deep[1]")
_NEW_NAMES: Final = (*NAMES, "new", "new")
_NEW_KEYS: Final = (None, None, 0, 5, "a", "z")


class Case(NamedTuple):
    """A state, and the addresses (or the providers) that a command gets."""

    document: Document
    arguments: tuple[str, ...]


@st.composite
def editable(draw: st.DrawFn) -> Document:
    """A state of format 4 with an id of its own in every object; they may depend on any resource."""
    document = draw(documents(portable=True).filter(lambda document: document["resources"]))
    known = list(dict.fromkeys(without_keys(resource_address(resource)) for resource in document["resources"]))
    number = count()
    for resource in document["resources"]:
        for instance in resource["instances"]:
            instance.get("attributes", instance.get("attributes_flat"))["id"] = f"o{next(number)}"
            instance["dependencies"] = draw(st.lists(st.sampled_from(known), max_size=3, unique=True))
    return document


def without_keys(address: str) -> str:
    """An address as the configuration has it: `module.a["x"].t.n[0]` is of `module.a.t.n`."""
    return _KEY.sub("", address)


@st.composite
def moves(draw: st.DrawFn) -> Case:
    """One thing and where it is to go: an instance, a resource or a module, to what is there or to what is new."""
    document = draw(editable())
    resource = draw(st.sampled_from(document["resources"]))
    kind = draw(st.sampled_from(("instance", "instance", "resource", "module", "module")))
    # Now and then what cannot be.
    target_kind = draw(st.sampled_from((kind,) * 20 + ("resource", "instance", "module")))
    goal = {
        **resource,
        "name": draw(st.sampled_from(_NEW_NAMES)),
        "module": draw(st.sampled_from(_NEW_MODULES)),
        "type": draw(st.sampled_from((resource["type"],) * 20 + TYPES)),
        "mode": draw(st.sampled_from((resource["mode"],) * 20 + ("managed", "data"))),
    }
    alike = [one for one in document["resources"] if all(one[name] == resource[name] for name in ("mode", "type"))]
    if len(alike) > 1 and draw(st.booleans()):
        goal = draw(st.sampled_from(alike))
    target = _address(goal, target_kind, draw(st.sampled_from(_NEW_KEYS))) or "module.new"
    return Case(document, (draw(_source(resource, kind)), target))


@st.composite
def removals(draw: st.DrawFn) -> Case:
    """One or two addresses of instances, resources or modules, now and then of one that is not there."""
    document = draw(editable())
    chosen = draw(st.lists(st.sampled_from(document["resources"]), min_size=1, max_size=2))
    found = [draw(_source(one, draw(st.sampled_from(("instance", "resource", "module"))))) for one in chosen]
    odd = draw(st.lists(st.sampled_from(("random_id.none", "module.none", "random_id.none[0]")), max_size=1))
    return Case(document, (*found, *odd) if draw(st.integers(0, 9)) == 0 else tuple(found))


@st.composite
def replacements(draw: st.DrawFn) -> Case:
    """The source of a provider, mostly of one that is in the state, and one to be in its place."""
    document = draw(editable())
    sources = sorted({_source_of(resource["provider"]) for resource in document["resources"]})
    every = [_source_of(provider) for provider in PROVIDERS]
    old = draw(st.sampled_from(every) if draw(st.integers(0, 9)) == 0 else st.sampled_from(sources))
    return Case(document, (old, draw(st.sampled_from((*every, "tf.example.com/acme/other")))))


@st.composite
def single_instances(draw: st.DrawFn) -> Case:
    """The address of one instance, now and then of its whole resource."""
    document = draw(editable())
    for resource in document["resources"]:
        for instance in resource["instances"]:
            instance.update(draw(st.sampled_from(({}, {"status": "tainted"}, {"status": "tainted"}))))
    resource = draw(st.sampled_from(document["resources"]))
    return Case(document, (draw(_source(resource, draw(st.sampled_from(("instance",) * 9 + ("resource",))))),))


@st.composite
def _source(draw: st.DrawFn, resource: Document, kind: str) -> str:
    """The address of a part of what is there; of its module, it may be one further up, or one without its key."""
    instance = draw(st.sampled_from(resource["instances"]))
    module = resource.get("module", "")
    if kind == "module":
        steps = re.findall(rf"module\.[^.\[]+(?:{_KEY.pattern})?", module)
        module = ".".join(steps[: draw(st.integers(1, len(steps)))]) if steps else ""
        if draw(st.integers(0, 5)) == 0:
            module = _KEY.sub("", module)
    return _address({**resource, "module": module}, kind, instance.get("index_key")) or resource_address(resource)


def _address(resource: Document, kind: str, key: int | str | None) -> str:
    """The address of an instance, a resource or a module, "" for the root module."""
    if kind == "module":
        return str(resource.get("module", ""))
    suffix = "" if key is None or kind == "resource" else f"[{hcl_quoted(key) if isinstance(key, str) else key}]"
    return resource_address(resource) + suffix


def _source_of(provider: str) -> str:
    return provider.partition('["')[2].partition('"]')[0]
