"""Lists the members of a plan's JSON that may be printed, so that what a later release adds is hidden.

Source: `internal/command/jsonplan`, `jsonstate` and `jsonconfig` of OpenTofu 1.12 and Terraform 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from statefmt.pieces import Span
from statefmt.render.plan._json_spans import JSONSpans

# What a value may have: anything (None), the members of an object by name, `{"*": …}` for any names and `[…]` for the
# elements of an array; a string is the name of a form.
_Form: TypeAlias = "str | dict[str, _Form] | list[_Form] | None"


def _anything(*names: str) -> dict[str, _Form]:
    return dict.fromkeys(names)


_FORMS: Final[Mapping[str, dict[str, _Form]]] = {
    "plan": {
        **_anything("format_version", "terraform_version", "timestamp", "applyable", "complete", "errored", "checks"),
        "variables": {"*": _anything("value")},
        "planned_values": "values",
        "prior_state": {**_anything("format_version", "terraform_version", "checks"), "values": "values"},
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
    "expression": _anything("constant_value", "references"),
}  # fmt: skip


def unknown_members(spans: JSONSpans, plan: Span) -> Iterator[Span]:
    """Yield the values of the members that are not listed here."""
    waiting: list[tuple[Span, _Form]] = [(plan, "plan")]
    while waiting:
        span, named = waiting.pop()
        form = _FORMS[named] if isinstance(named, str) else named
        if isinstance(form, list):
            waiting += [(element, form[0]) for element in spans.elements(span)]
        elif isinstance(form, dict):
            any_name = form.get("*")
            for name, value in spans.all_members(span):
                if name in form:
                    waiting.append((value, form[name]))
                elif any_name is not None:
                    waiting.append((value, any_name))
                else:
                    yield value
