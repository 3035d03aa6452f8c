"""Converts the `outputs` of a v4 document to output values, re-encoded by their types.

Source: OpenTofu `internal/states/statefile/version4.go`; go-cty `cty/json`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import UNSET, Raw, UnsetType

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions.v4 import OutputV4
from statefmt.model.codes import Code
from statefmt.model.cty.errors import CtyEncodeError, CtyTypeError, CtyValueError
from statefmt.model.cty.values import canonical_output
from statefmt.model.findings import Finding
from statefmt.model.outputs import OutputValue
from statefmt.text.pattern import pattern

_TYPE_IN_VALUE = pattern(r'invalid primitive type name ".*"', re.DOTALL)


def lift_outputs(outputs: Mapping[str, OutputV4 | None], findings: list[Finding]) -> tuple[OutputValue, ...]:
    """Return the outputs in file order; append problems to `findings`."""
    lifted = []
    for name, given in outputs.items():
        output = given or OutputV4()
        pointer = f"/outputs/{token(name)}"
        try:
            value, type_ = canonical_output(_text(output.value), _text(output.type))
        except CtyTypeError as error:
            findings.append(Code.INVALID_OUTPUT_TYPE.notice(
                "Invalid output value type in state",
                f'The type of output "{name}" is not valid: {error}.', f"output.{name}", f"{pointer}/type",
            ))  # fmt: skip
            continue
        except CtyEncodeError as error:
            findings.append(Code.INVALID_OUTPUT_VALUE.notice(
                "Failed to serialize output value in state",
                f'The value of output "{name}" cannot be written: {error}.', f"output.{name}", f"{pointer}/value",
            ))  # fmt: skip
            continue
        except CtyValueError as error:
            findings.append(Code.INVALID_OUTPUT_VALUE.notice(
                "Invalid output value saved in state",
                f'The value of output "{name}" does not fit its type: {_without_value(error)}.',
                f"output.{name}", f"{pointer}/value",
            ))  # fmt: skip
            continue
        lifted.append(
            OutputValue(
                name=name,
                value=value,
                type=type_,
                sensitive=output.sensitive or False,
                deprecated=output.deprecated or "",
                unknown=output.unknown,
            )
        )
    return tuple(lifted)


def _without_value(error: CtyValueError) -> str:
    """Return the error message without the part of the value that go-cty quotes in it."""
    return _TYPE_IN_VALUE.sub("invalid primitive type name", str(error))


def _text(raw: Raw | UnsetType) -> bytes | None:
    return None if raw is UNSET else bytes(raw)
