"""Knows the members of a plan's JSON, and finds those that no known release writes.

Source: `internal/command/jsonplan`, `jsonstate`, `jsonchecks` and `jsonconfig` of OpenTofu 1.8 to 1.12 and main, and
of Terraform 1.9 to 1.16.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import token
from statefmt.lifecycle.plan import ShownPlan

# The content of a value: anything (None), the members of an object by name, `{"*": …}` for any names and
# `[…]` for the elements of an array; a string is the name of a form.
_Form: TypeAlias = "str | dict[str, _Form] | list[_Form] | None"


def _anything(*names: str) -> dict[str, _Form]:
    return dict.fromkeys(names)


_FORMS: Final[Mapping[str, dict[str, _Form] | list[_Form]]] = {
    "plan": {
        **_anything("format_version", "terraform_version", "timestamp", "applyable", "complete", "errored"),
        "checks": "checks",
        "variables": {"*": _anything("value")},
        "planned_values": "values",
        "prior_state": {**_anything("format_version", "terraform_version"), "checks": "checks", "values": "values"},
        "resource_drift": ["resource change"],
        "resource_changes": ["resource change"],
        "deferred_changes": [{"reason": None, "resource_change": "resource change"}],
        "output_changes": {"*": "change"},
        "action_invocations": ["action"],
        "deferred_action_invocations": [{"reason": None, "action_invocation": "action"}],
        "relevant_attributes": [_anything("resource", "attribute")],
        "configuration": {
            "provider_config": {
                "*": _anything("name", "full_name", "alias", "version_constraint", "module_address", "expressions")
            },
            "root_module": "configured module",
        },
    },
    "resource change": {
        **_anything("address", "previous_address", "module_address", "mode", "type", "name", "index", "index_unknown"),
        **_anything("provider_name", "deposed", "action_reason"),
        # As in the JSON of a plan file, and in that of plan-show.
        **_anything("provider_config", "provider_instance", "provider_instance_reason"),
        "change": "change",
    },
    "change": {
        **_anything("actions", "before", "after", "after_unknown", "before_sensitive", "after_sensitive"),
        **_anything("replace_paths", "generated_config", "before_identity", "after_identity"),
        "importing": _anything("id", "unknown", "identity"),
    },
    "action": {
        **_anything("address", "type", "name", "config_values", "config_sensitive", "config_unknown", "provider_name"),
        "lifecycle_action_trigger": {
            **_anything("triggering_resource_address", "action_trigger_event", "action_trigger_block_index"),
            **_anything("actions_list_index", "on_failure"),
        },
        "invoke_action_trigger": _anything("calling_resource_address"),
    },
    "values": {"outputs": {"*": _anything("sensitive", "deprecated", "value", "type")}, "root_module": "module"},
    "module": {
        "address": None,
        "resources": [
            {
                **_anything("address", "mode", "type", "name", "index", "provider_name", "schema_version", "values"),
                **_anything("sensitive_values", "depends_on", "tainted", "deposed_key"),
                **_anything("identity", "identity_schema_version"),
            }
        ],
        "child_modules": ["module"],
    },
    "configured module": {
        "outputs": {
            "*": {
                **_anything("sensitive", "ephemeral", "deprecated", "depends_on", "description"),
                "expression": "expression",
            }
        },
        "resources": ["configured resource"],
        "actions": [
            {
                **_anything("address", "type", "name", "provider_config_key"),
                "count_expression": "expression",
                "for_each_expression": "expression",
            }
        ],
        "module_calls": {
            "*": {
                **_anything("source", "expressions", "version_constraint", "depends_on"),
                "count_expression": "expression",
                "for_each_expression": "expression",
                "module": "configured module",
            }
        },
        "variables": {
            "*": _anything("type", "default", "description", "required", "sensitive", "ephemeral", "deprecated")
        },
    },
    "configured resource": {
        **_anything("address", "mode", "type", "name", "provider_config_key", "expressions", "schema_version"),
        **_anything("depends_on"),
        "provisioners": [_anything("type", "expressions")],
        "count_expression": "expression",
        "for_each_expression": "expression",
    },
    "checks": [
        {
            "address": "checked object",
            "status": None,
            "instances": [
                {"address": "checked object", "status": None, "problems": [_anything("message")]},
            ],
        }
    ],
    "checked object": _anything("kind", "to_display", "mode", "type", "name", "module", "instance_key"),
    "expression": _anything("constant_value", "references"),
}  # fmt: skip


_T = TypeVar("_T")
_OBJECT: Final = ord("{")
_ARRAY: Final = ord("[")
# A member with one of these values plans nothing.
_NOTHING: Final = frozenset({b"null", b"false", b'""', b"0", b"[]", b"{}"})


class PlanDocument(Protocol[_T]):
    """A view of the JSON of a plan. Only objects have members, only arrays have elements."""

    def all_members(self, value: _T, /) -> Iterable[tuple[str, _T]]:
        """Return the names and values of an object."""
        ...

    def elements(self, value: _T, /) -> Iterable[_T]:
        """Return the elements of an array."""
        ...


class UnlistedMember(NamedTuple, Generic[_T]):
    """A member that no known release writes. `kind` is equal for the same member of objects of the same form."""

    kind: tuple[int, str]
    pointer: str
    value: _T


def unknown_members(document: PlanDocument[_T], plan: _T) -> Iterator[UnlistedMember[_T]]:
    """Yield the unknown members of a plan at any depth, except those inside of values and expressions."""
    waiting: deque[tuple[_T, _Form, tuple[str, ...]]] = deque([(plan, "plan", ())])
    while waiting:
        value, named, path = waiting.popleft()
        form = _FORMS[named] if isinstance(named, str) else named
        if isinstance(form, list):
            waiting.extend((each, form[0], (*path, str(place))) for place, each in enumerate(document.elements(value)))
        elif form is not None:
            for name, part in document.all_members(value):
                if name in form or "*" in form:
                    below = form.get(name, form.get("*"))
                    if below is not None:
                        waiting.append((part, below, (*path, name)))
                else:
                    pointer = "".join(f"/{token(step)}" for step in (*path, name))
                    yield UnlistedMember((id(form), name), pointer, part)


class _RawDocument:
    """A plan in JSON, decoded one level at a time: fast, and of repeated members only the last one counts."""

    def all_members(self, value: Raw) -> Iterable[tuple[str, Raw]]:
        return msgspec.json.decode(value, type=dict[str, Raw]).items() if memoryview(value)[0] == _OBJECT else ()

    def elements(self, value: Raw) -> Iterable[Raw]:
        return msgspec.json.decode(value, type=list[Raw]) if memoryview(value)[0] == _ARRAY else ()


def unknown_pointers(plan: ShownPlan) -> tuple[str, ...]:
    """Return the JSON pointer of the first unknown member of each kind that is neither null, false nor empty.

    A newer release may plan changes in such a member.
    """
    found: dict[tuple[int, str], str] = {}
    for member in unknown_members(_RawDocument(), Raw(plan.source.lstrip())):
        if bytes(member.value) not in _NOTHING:
            found.setdefault(member.kind, member.pointer)
    return tuple(found.values())
