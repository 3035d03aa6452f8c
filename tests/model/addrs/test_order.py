"""The two orders: of `list`, and of state files."""

from __future__ import annotations

import random

from statefmt.model.addrs import (
    NO_KEY,
    InstanceKey,
    IntKey,
    StringKey,
    instance_file_order,
    list_order,
    resource_file_order,
)
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance

LISTED = [
    "ephemeral.z.z",
    "data.z.z",
    "a.a",
    "a.a[2]",
    "a.a[10]",
    'a.a[""]',
    'a.a["10"]',
    'a.a["2"]',
    "a.b",
    "a.é",
    "aa.a",
    "module.b.a.a",
    "module.b[2].a.a",
    "module.b[10].a.a",
    'module.b["1"].a.a',
    "module.c.data.a.a",
    "module.c.a.a",
    "module.a.module.a.a.a",
]

IN_FILES = [
    "data.z.z",
    "ephemeral.z.z",
    "a.a",
    "a.b",
    "a.ﬀ",  # above the surrogates that would stand for the next one in UTF-16
    "a.𠀀",
    "aa.a",
    "module.a.module.a.a.a",
    "module.a.module.b.a.a",
    'module.b["1"].a.a',
    "module.b[10].a.a",
    "module.b[2].a.a",
    "module.c.data.a.a",
    "module.c.a.a",
]


def _shuffled(texts: list[str]) -> list[str]:
    return random.Random(1).sample(texts, len(texts))


def test_list_order() -> None:
    instances = [parse_abs_resource_instance(text) for text in _shuffled(LISTED)]
    assert [str(address) for address in sorted(instances, key=list_order)] == LISTED


def test_list_order_of_resources() -> None:
    texts = [text for text in LISTED if not text.endswith("]")]
    resources = [parse_abs_resource(text) for text in _shuffled(texts)]
    assert [str(address) for address in sorted(resources, key=list_order)] == texts


def test_file_order() -> None:
    resources = [parse_abs_resource(text) for text in _shuffled(IN_FILES)]
    assert [str(address) for address in sorted(resources, key=resource_file_order)] == IN_FILES


def test_file_order_of_instances() -> None:
    keys: list[InstanceKey] = [
        NO_KEY,
        IntKey(2),
        IntKey(10),
        StringKey(""),
        StringKey("10"),
        StringKey("2"),
        StringKey("é"),
    ]
    shuffled = random.Random(1).sample(keys, len(keys))
    assert sorted(shuffled, key=instance_file_order) == keys
