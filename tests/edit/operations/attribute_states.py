"""States with attributes written out as text, to see which bytes an edit changes."""

from __future__ import annotations

from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.model.snapshot import Snapshot

_SENSITIVE = (
    b'[[{"type":"get_attr","value":"secret"}],'
    b'[{"type":"get_attr","value":"m"},{"type":"index","value":{"value":"pw","type":"string"}}]]'
)
_BEFORE, _AFTER = (
    (
        b'{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":"x","outputs":{},"resources":['
        b'{"mode":"managed","type":"t","name":"a","provider":"provider[\\"registry.opentofu.org/acme/t\\"]",'
        b'"instances":[{"schema_version":0,"attributes":'
    ),
    b',"sensitive_attributes":' + _SENSITIVE + b'}]}],"check_results":null}\n',
)


def with_text(attributes: str) -> Snapshot:
    """A state of one instance `t.a` with such attributes, of which `secret` and `m["pw"]` are sensitive."""
    return read(_BEFORE + attributes.encode() + _AFTER).snapshot


def text_of(snapshot: Snapshot) -> str:
    """The attributes in the file that is written; all the rest of it must be what it was."""
    text = write(snapshot, canonical=False)
    assert text.startswith(_BEFORE)
    assert text.endswith(_AFTER)
    return text[len(_BEFORE) : -len(_AFTER)].decode()
