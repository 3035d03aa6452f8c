"""Canonical text is made in pieces, and is the same as if it were made in one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace

from statefmt.formats import Layout, Style
from statefmt.formats.reading import read
from statefmt.formats.writing import Tree, TreeBuilder, canonical, canonical_pieces, encode_tree, made_canonical
from statefmt.golang import compact, escape_html, indent
from statefmt.model.addrs import IntKey, StringKey, resource_file_order
from statefmt.model.addrs.parsing import parse_config_resource
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot, UnknownMember
from tests.analysis.diff.realistic import realistic
from tests.instructions import instructions
from tests.tables import each_row

STYLES = [Style(Layout.INDENT), Style(Layout.INDENT, 2), Style(Layout.COMPACT)]
SAMPLES = sorted(Path(__file__).parents[3].joinpath("samples").glob("v*.tfstate"))


def in_one_piece(snapshot: Snapshot, style: Style, *, keep_unknown: bool) -> bytes:
    """The canonical text, from one tree of the whole state."""
    trees = TreeBuilder(keep_unknown=keep_unknown)
    resources = sorted(snapshot.resources, key=lambda resource: resource_file_order(resource.addr))
    tree: Mapping[str, Tree] = {
        **trees.document(snapshot),
        "outputs": {output.name: trees.output(output) for output in sorted(snapshot.outputs, key=lambda o: o.name)},
        "resources": [trees.resource(resource) for resource in resources],
    }
    text = escape_html(encode_tree(tree))
    return (indent(text) if style.layout is Layout.INDENT else compact(text)) + b"\n" * style.newlines


def large(objects: int, outputs: int) -> Snapshot:
    """A state with a resource and outputs of which there are many, and members that nothing knows."""
    document = {
        "version": 4,
        "new": [{}, []],
        "terraform_version": "1.9.4",
        "serial": 7,
        "lineage": "0b2f",
        "outputs": {f"output {number}": {"value": "<&é\u2028>", "type": "string"} for number in range(outputs)},
        "resources": [],
        "later": 1.0,
        "check_results": None,
    }
    snapshot = read(json.dumps(document).encode()).snapshot
    resource = realistic(2).resources[0]
    some = resource.objects[0]
    many = [replace(some, key=IntKey(-number), origin=None) for number in range(objects)]
    unknown = (UnknownMember("new", Raw(b'{"a" : [ ]}'), "instances"),)
    one = replace(resource, objects=tuple(many), unknown=unknown, origin=())
    others = replace(realistic(3), resources=(*realistic(3).resources[:2], one, *realistic(3).resources[2:]))
    return replace(snapshot, resources=others.resources, source=None)


SNAPSHOTS = {
    "nothing": Snapshot(),
    **{f"realistic {seed}": realistic(seed) for seed in range(4)},
    **{f"{objects} objects": large(objects, objects) for objects in (0, 1, 15, 16, 17, 32, 33, 100)},
    **{path.name: read(path.read_bytes()).snapshot for path in SAMPLES},
}


@each_row("style", STYLES, ids=str)
@each_row("keep_unknown", [True, False])
@each_row("name", SNAPSHOTS)
def test_in_pieces_as_in_one(name: str, style: Style, keep_unknown: bool) -> None:
    snapshot = SNAPSHOTS[name]
    text = canonical(snapshot, style, keep_unknown=keep_unknown)
    assert text == in_one_piece(snapshot, style, keep_unknown=keep_unknown)


def test_pieces_are_small() -> None:
    objects = tuple(ResourceInstanceObject(key=StringKey(str(key)), attributes=Raw(b"{}")) for key in range(2000))
    resource = replace(realistic(0).resources[0], objects=objects)
    snapshot = replace(realistic(0), resources=(resource,))
    pieces = list(canonical_pieces(snapshot, STYLES[0], keep_unknown=True))
    assert max(map(len, pieces)) < 10_000 < len(b"".join(pieces))


def test_pieces_of_large_attributes_have_few_objects() -> None:
    resource = realistic(0).resources[0]
    some = replace(resource.objects[0], attributes=Raw(b'{"a":"%b"}' % (b"x" * 100_000)))
    snapshot = Snapshot(resources=(replace(resource, objects=(some,)),) * 32)
    pieces = list(canonical_pieces(snapshot, STYLES[0], keep_unknown=True))
    assert max(map(len, pieces)) < 300_000 < len(b"".join(pieces))


def test_each_dependency_is_printed_once() -> None:
    names = [f"aws_vpc.a{number}" for number in range(1000)]
    first = realistic(0).resources[0]

    def dense(step: int) -> Snapshot:
        """20 resources with 1000 dependencies each, in another order for each step."""
        addresses = [parse_config_resource(name) for name in names]
        lists = [tuple(addresses[place:] + addresses[:place:step]) for place in range(20)]
        objects = [replace(first.objects[0], dependencies=some) for some in lists]
        return Snapshot(resources=tuple([replace(first, objects=(one,)) for one in objects]))

    snapshots = iter([dense(1), dense(-1)])
    # Of Python's own instructions, less than one for each dependency.
    assert instructions(lambda: canonical(next(snapshots))) < 20 * 1000


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_what_is_canonical_up_to_a_byte(style: Style) -> None:
    snapshot = large(20, 20)
    text = canonical(snapshot, style, keep_unknown=True)
    assert made_canonical(text, snapshot, style, keep_unknown=True) is text
    others = [text[:place] for place in range(0, len(text), 97)] + [text + b"\n", text[:-1] + b" "]
    others += [text[:place] + b" " + text[place:] for place in range(0, len(text), 97)]
    assert {made_canonical(other, snapshot, style, keep_unknown=True) for other in others} == {text}
