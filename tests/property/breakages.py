"""Valid states, broken in one to four places in the ways that `repair` mends."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from statefmt.testing._odd_states import ObjectText, TextTree, layouts, render
from statefmt.testing.strategies import PROVIDERS, Document, documents

_Break = Callable[[Document, Random], None]
_NOT_ADDRESSES: Final = ("", "a", "module.", "a.b[", "..", "a.b.c.d", 'module.x["', "a b.c", "\x1b[2J.x")


def _block(document: Document, random: Random) -> Document:
    found: Document = random.choice(document["resources"])
    return found


def _object(document: Document, random: Random) -> Document:
    found: Document = random.choice(_block(document, random)["instances"])
    return found


def _duplicate(document: Document, random: Random) -> None:
    instances = _block(document, random)["instances"]
    later = copy.deepcopy(random.choice(instances))
    later["schema_version"] = 99
    instances.insert(random.randint(0, len(instances)), later)


def _spread(document: Document, random: Random) -> None:
    """A second block of a resource, with another instance and often another configuration."""
    block = _block(document, random)
    later = {**block, "instances": [{"index_key": "later", "schema_version": 0, "attributes": {"id": "later"}}]}
    if "provider" in block:
        later["provider"] = random.choice(PROVIDERS)
    document["resources"].append(later)


def _mixed_providers(document: Document, random: Random) -> None:
    block = _block(document, random)
    block.pop("provider", None)
    for number, one in enumerate(block["instances"]):
        one["provider"] = PROVIDERS[number % len(PROVIDERS)]


def _both_levels(document: Document, random: Random) -> None:
    block = _block(document, random)
    block["provider"] = random.choice(PROVIDERS)
    random.choice(block["instances"])["provider"] = random.choice(PROVIDERS)


def _no_provider(document: Document, random: Random) -> None:
    block = _block(document, random)
    if "provider" in block:
        del block["provider"]
    else:
        random.choice(block["instances"]).pop("provider", None)


def _odd_provider(document: Document, random: Random) -> None:
    block = _block(document, random)
    part = block if random.random() < 0.5 else random.choice(block["instances"])
    part["provider"] = random.choice((*_NOT_ADDRESSES, "provider.aws", "aws", 'provider["x/y/z/w"]', 7, None))


def _member(place: Callable[[Document, Random], Document], name: str, *values: Any) -> _Break:
    def broken(document: Document, random: Random) -> None:
        place(document, random)[name] = random.choice(values)

    return broken


def _top(document: Document, random: Random) -> Document:
    return document


def _output(document: Document, random: Random) -> Document:
    found: Document = document["outputs"].setdefault(random.choice(("a", "zone")), {"value": "x", "type": "string"})
    return found


def _check(document: Document, random: Random) -> Document:
    document["check_results"] = [
        {"object_kind": "check", "config_addr": "check.a", "status": "pass", "objects": None},
        *(document["check_results"] or ()),
    ]
    return random.choice(document["check_results"])


def _null(document: Document, random: Random) -> None:
    """Null, or what is no object at all, in the place of one."""
    place = random.choice((document["resources"], _block(document, random)["instances"]))
    place.insert(random.randint(0, len(place)), random.choice((None, 1, "x", [], True)))


BREAKS: Final[tuple[_Break, ...]] = (
    _duplicate,
    _duplicate,
    _spread,
    _mixed_providers,
    _both_levels,
    _no_provider,
    _odd_provider,
    _null,
    _member(_top, "serial", "7", -1, 1.5, 1e3, True, 2**64, [], "seven"),
    _member(_top, "lineage", 5, False, {}, ["x"]),
    _member(_top, "terraform_version", "", " 1.5.7 ", "one", "1.x", 1.5, "v1"),
    _member(_top, "outputs", [], 7, "x"),
    _member(_top, "check_results", {}, "x", [[]]),
    _member(_block, "module", *_NOT_ADDRESSES[1:], 7),
    _member(_block, "mode", "", "Managed", "resource", 1, None),
    _member(_block, "type", 7, True),
    _member(_block, "instances", {}, "x", 0),
    _member(_object, "index_key", True, 1.5, {}, [], -1, 2**64),
    _member(_object, "status", "Tainted", "whole", 1, "planned"),
    _member(_object, "deposed", "x", "deadbeef0", "DEADBEEF!", 12345678),
    _member(_object, "schema_version", "1", -1, 1.5, 2**64),
    _member(_object, "attributes", [], "x", 1),
    _member(_object, "attributes_flat", {"id": 1}, [], {"id": "i-0a1"}),
    _member(_object, "sensitive_attributes", ["password"], [["password"]], {}, "x", [[{"type": "attr", "value": 1}]]),
    _member(_object, "private", "?", 7, "A==="),
    _member(_object, "dependencies", ["aws_vpc.main[0]", "x"], [1], "x", [*_NOT_ADDRESSES], {}),
    _member(_object, "create_before_destroy", "true", 1, "yes"),
    _member(_output, "type", "strnig", ["list"], 1, "number", None),
    _member(_output, "value", {"a": 1}, ["x"], None),
    _member(_output, "sensitive", "true", 1),
    _member(_check, "config_addr", *_NOT_ADDRESSES, 7),
    _member(_check, "object_kind", "", "module", 3),
    _member(_check, "status", "", "passed", 3),
)


@st.composite
def broken_states(draw: st.DrawFn) -> bytes:
    """Generate a state as text with white space at random; some are whole after all."""
    document = copy.deepcopy(draw(documents()))
    random = Random(draw(st.integers(0, 2**32)))
    for one in draw(st.lists(st.sampled_from(BREAKS), min_size=1, max_size=4)):
        # What one break destroyed, another finds no more.
        try:
            one(document, random)
        except (TypeError, KeyError, IndexError, AttributeError):
            continue
    return render(_tree(document), draw(layouts)).encode()


def _tree(value: Any) -> TextTree:
    if isinstance(value, dict):
        return ObjectText([(json.dumps(name)[1:-1], _tree(part)) for name, part in value.items()])
    if isinstance(value, list):
        return [_tree(part) for part in value]
    return json.dumps(value, ensure_ascii=False)
