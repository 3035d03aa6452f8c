"""State files in several formats and layouts, written piece by piece until they have the size that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

import orjson

Resource: TypeAlias = dict[str, Any]
Resources: TypeAlias = Iterator[Resource]

LINEAGE: Final = "3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c"
_HEAD: Final = {"version": 4, "terraform_version": "1.12.0", "serial": 58, "lineage": LINEAGE}
_OUTPUTS: Final = {
    "address": {"value": "10.0.0.7", "type": "string"},
    "zones": {"value": ["a", "b"], "type": ["list", "string"]},
}


def indented(resources: Resources, size: int) -> Iterator[bytes]:
    """Canonical, as OpenTofu 1.12 and Terraform write local files."""
    return _version_4(resources, size, _indented)


def compact(resources: Resources, size: int) -> Iterator[bytes]:
    """Canonical, as OpenTofu 1.8 to 1.11 write, and later releases in remote backends."""
    return _version_4(resources, size, lambda tree: _as_go(orjson.dumps(tree)))


def sorted_by_jq(resources: Resources, size: int) -> Iterator[bytes]:
    """What `jq -S .` makes of a state: members in alphabetical order, and no HTML escapes."""
    sort = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return _version_4(resources, size, lambda tree: orjson.dumps(tree, option=sort))


def with_outputs(outputs: Iterator[tuple[str, object]], resources: Sequence[Resource], size: int) -> Iterator[bytes]:
    """Canonical as with `indented`, with outputs to the size, and some resources."""
    return _document({**_HEAD, "outputs": outputs, "resources": resources, "check_results": None}, size, _indented)


def format_3(resources: Resources, size: int) -> Iterator[bytes]:
    """As Terraform 0.11 wrote: modules without keys, and flat attributes."""
    head = {**_HEAD, "version": 3, "terraform_version": "0.11.14"}
    outputs = {"address": {"sensitive": False, "type": "string", "value": "10.0.0.7"}}
    documents = (
        {
            "path": ["root", *(module.removeprefix("module.").split(".module.") if module else ())],
            "outputs": {} if module else outputs,
            "resources": dict(sorted(entry for resource in members for entry in _entries(resource))),
            "depends_on": [],
        }
        for module, members in groupby(resources, lambda resource: str(resource.get("module", "")))
    )
    indent_4 = re.compile(rb"^ +", re.MULTILINE)
    return _document(
        {**head, "modules": documents}, size, lambda tree: indent_4.sub(lambda found: found[0] * 2, _indented(tree))
    )


def _entries(resource: Resource) -> Iterator[tuple[str, dict[str, Any]]]:
    """The instances of a resource of format 4, without deposed objects, as those of format 3."""
    for instance in resource["instances"]:
        key = f".{instance['index_key']}" if "index_key" in instance else ""
        within = f"{resource.get('module', '')}."
        mode = "data." if resource["mode"] == "data" else ""
        yield (
            f"{mode}{resource['type']}.{resource['name']}{key}",
            {
                "type": resource["type"],
                "depends_on": [name.removeprefix(within) for name in instance.get("dependencies", ())],
                "primary": {
                    "id": instance["attributes"]["id"],
                    "attributes": dict(sorted(_flat("", instance["attributes"]))),
                    "meta": {"schema_version": "1"},
                    "tainted": False,
                },
                "deposed": [],
                "provider": "provider.aws",
            },
        )


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The entries `tags.%`, `disks.#`, `disks.0.size` and so on that an attribute had."""
    if isinstance(value, dict | list):
        members = list(value.items() if isinstance(value, dict) else enumerate(value))
        # The elements of a list are blocks, which had no entry for their size.
        if name and not name[-1].isdigit():
            yield f"{name}.{'%' if isinstance(value, dict) else '#'}", str(len(members))
        for member, inner in members:
            yield from _flat(f"{name}.{member}".removeprefix("."), inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def _version_4(resources: Resources, size: int, text: Callable[[object], bytes]) -> Iterator[bytes]:
    return _document({**_HEAD, "outputs": _OUTPUTS, "resources": resources, "check_results": None}, size, text)


def _document(tree: dict[str, Any], size: int, text: Callable[[object], bytes]) -> Iterator[bytes]:
    """A JSON document of at least `size` bytes, piece by piece.

    One of its members is endless: an array, or the outputs with their names.
    """
    name, elements = next((name, value) for name, value in tree.items() if isinstance(value, Iterator))
    mark = "a place for all elements"
    place = {mark: mark} if name == "outputs" else [mark]
    before, *colon, after = text({**tree, name: place}).split(text(mark))
    # The line break and the spaces before each element; nothing in the compact layout.
    lead = before[len(before.rstrip()) :]
    yield before.removesuffix(lead)
    written = len(before)
    for number, element in enumerate(elements):
        parts = element if isinstance(element, tuple) else (element,)
        piece = (b"," if number else b"") + lead + b"".join(colon).join(map(text, parts)).replace(b"\n", lead)
        yield piece
        written += len(piece)
        if written >= size:
            break
    yield after + b"\n"


def _indented(tree: object) -> bytes:
    return _as_go(orjson.dumps(tree, option=orjson.OPT_INDENT_2))


def _as_go(text: bytes) -> bytes:
    """Go escapes three signs for the sake of HTML."""
    return text.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
