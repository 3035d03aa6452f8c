"""Functions that convert types and marks. Source: OpenTofu `internal/lang/funcs/conversion.go`, `sensitive.go`."""

from __future__ import annotations

from statefmt.golang import quote
from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.value import Part, Value
from statefmt.hcl.values.construct import marked, truth, unmarked
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, ListType, MapType, SetType, Type
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.unify import can_convert

_ANY = Parameter("v", null=True, parts=True, marks=True, unknown=True)


def _define(name: str, wanted: Type) -> None:
    @function(_ANY, returns=wanted, name=name)
    def run(value: Part) -> Part:
        try:
            return convert(value, wanted)
        except ConversionError as error:
            if isinstance(value, Value) and isinstance(value.data, str) and wanted in (BOOL, NUMBER):
                only = (
                    'only the strings "true" or "false" are allowed'
                    if wanted == BOOL
                    else "given string must be a decimal representation of a number"
                )
                raise FunctionError(f"cannot convert {quote(value.data)} to {type_name(wanted)}; {only}", 0) from None
            if can_convert(value.type, wanted):
                raise FunctionError(
                    f"cannot convert {type_name(value.type)} to {type_name(wanted, wanted=True)}: {error}", 0
                ) from None
            raise FunctionError(
                f"cannot convert {type_name(value.type)} to {type_name(wanted, wanted=True)}", 0
            ) from None


_define("tostring", STRING)
_define("tonumber", NUMBER)
_define("tobool", BOOL)
_define("tolist", ListType(DYNAMIC))
_define("toset", SetType(DYNAMIC))
_define("tomap", MapType(DYNAMIC))


@function(_ANY, own_marks=True)
def sensitive(value: Part) -> Part:
    return marked(value, True)


@function(_ANY, own_marks=True)
def nonsensitive(value: Part) -> Part:
    return unmarked(value)


@function(_ANY, returns=BOOL, own_marks=True)
def issensitive(value: Part) -> Part:
    return truth(value.sensitive)


@function(_ANY, own_marks=True)
def ephemeralasnull(value: Part) -> Part:
    # Values of ephemeral variables are Unknown, so no known value is ephemeral.
    return value
