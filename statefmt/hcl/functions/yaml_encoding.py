"""Encodes YAML as `yamlencode` does: strings in quotes, or as blocks if they have several lines, and no flow style.

Source: go-cty-yaml `encode.go`. Its emitter is a port of libyaml's, which PyYAML uses, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from statefmt.hcl.functions.shapes import names_of
from statefmt.hcl.value import Part, Value
from statefmt.hcl.values.construct import children, text
from statefmt.hcl.values.conversion import convert
from statefmt.model.cty import STRING, MapType, Number, ObjectType

if TYPE_CHECKING:
    from yaml import Event

_WIDTH: Final = 80
_END: Final = "...\n"


def encode_yaml(part: Part) -> str:
    """Encode a wholly known value."""
    import yaml

    dumper = getattr(yaml, "CDumper", yaml.Dumper)
    start = [yaml.StreamStartEvent(), yaml.DocumentStartEvent(explicit=False)]
    end = [yaml.DocumentEndEvent(explicit=False), yaml.StreamEndEvent()]
    events = [*start, *_events(part), *end]
    found = str(yaml.emit(events, Dumper=dumper, allow_unicode=True, width=_WIDTH))
    if found.endswith(f"\n{_END}"):
        found = found.removesuffix(_END)
    # Older releases of libyaml end a document with `...` if it is a single plain scalar.
    alone = isinstance(part, Value) and (part.data is None or isinstance(part.data, (bool, Number)))
    return found + _END if alone else found


def _events(part: Part) -> Iterator[Event]:
    import yaml

    assert isinstance(part, Value)
    if part.data is None:
        yield _plain("null")
    elif isinstance(part.type, (MapType, ObjectType)):
        yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=False)
        for name, item in names_of(part).items():
            yield from _events(text(name))
            yield from _events(item)
        yield yaml.MappingEndEvent()
    elif isinstance(part.data, tuple):
        yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=False)
        for item in children(part):
            yield from _events(item)
        yield yaml.SequenceEndEvent()
    elif isinstance(part.data, str):
        yield yaml.ScalarEvent(None, None, (True, True), part.data, style="|" if "\n" in part.data else '"')
    else:
        written = convert(part, STRING)
        assert isinstance(written, Value)
        yield _plain(str(written.data))


def _plain(value: str) -> Event:
    import yaml

    return yaml.ScalarEvent(None, None, (True, True), value)
