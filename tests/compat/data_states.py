"""States with nothing but `terraform_data` in them, whose values the real programs show without any plugin."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tests.compat.states import Document, documents

# Values with their types, as `terraform_data` keeps them, and the paths to parts of them that may be sensitive.
_VALUES: Final[tuple[tuple[Any, Any, tuple[Any, ...]], ...]] = (
    ("string", "text", ()),
    ("string", "<a> & \u2028 é", ()),
    ("number", 1.0, ()),
    ("number", 1e3, ()),
    ("number", 1e22, ()),
    ("number", 0.1, ()),
    ("number", -(2**63), ()),
    ("number", 123456789012345678901234567890, ()),
    ("bool", False, ()),
    (["object", {"p": "string", "n": "number"}], {"n": 1.0, "p": "s3cret"}, (("p",), ("n",))),
    (["object", {"o": ["object", {"p": "string"}]}], {"o": {"p": "s3cret"}}, (("o",), ("o", "p"))),
    (["tuple", ["string", ["object", {"p": "bool"}]]], ["x", {"p": True}], ((0,), (1, "p"))),
    (["list", "string"], ["b", "a"], ((1,),)),
    (["map", "number"], {"z": 100.0, "a": -3}, (({"index": "z"},),)),
    (["set", "string"], ["a", "b"], ()),
    (["list", ["object", {"p": "string"}]], [{"p": "s3cret"}, {"p": None}], ((0, "p"),)),
    (["object", {}], {}, ()),
    (["tuple", []], [], ()),
)
_MEMBERS: Final = ("input", "output", "triggers_replace")


def _step(step: str | int | dict[str, str]) -> Document:
    if isinstance(step, int):
        return {"type": "index", "value": {"value": step, "type": "number"}}
    if isinstance(step, dict):
        return {"type": "index", "value": {"value": step["index"], "type": "string"}}
    return {"type": "get_attr", "value": step}


@st.composite
def data_documents(draw: st.DrawFn) -> Document:
    """A state of format 4 with managed resources of the type `terraform_data` only."""
    document = draw(documents(portable=True))
    resources = []
    for number, resource in enumerate(document["resources"]):
        head = {**resource, "mode": "managed", "type": "terraform_data", "name": f"r{number}"}
        instances = [draw(_instance(instance)) for instance in resource["instances"]]
        resources.append({**head, "provider": 'provider["terraform.io/builtin/terraform"]', "instances": instances})
    return {**document, "resources": resources}


@st.composite
def _instance(draw: st.DrawFn, instance: Document) -> Document:
    attributes: Document = {"id": "b1b2"}
    sensitive = []
    for member in _MEMBERS:
        chosen = draw(st.none() | st.sampled_from(_VALUES))
        attributes[member] = chosen and {"value": chosen[1], "type": chosen[0]}
        paths = ((), *chosen[2]) if chosen else ((),)
        marked = draw(st.lists(st.sampled_from(paths), max_size=1))
        sensitive += [[_step(member), *map(_step, path)] for path in marked]
    kept = {name: value for name, value in instance.items() if name != "attributes_flat"}
    return {**kept, "schema_version": 0, "attributes": attributes, "sensitive_attributes": sensitive}
