"""Functions that hash strings and files. Source: OpenTofu `internal/lang/funcs/crypto.go`."""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import Callable
from typing import Final

from statefmt.hcl.functions.file_reading import read_bytes
from statefmt.hcl.functions.registry import FunctionError, FunctionSurroundings, Parameter, function
from statefmt.hcl.functions.shapes import text_of
from statefmt.hcl.value import Part
from statefmt.hcl.values.construct import text
from statefmt.model.cty import STRING

_NAMESPACES: Final = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}
_UUID: Final = re.compile("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def _hexadecimal(algorithm: str) -> Callable[[bytes], str]:
    return lambda content: hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()


def _base64(algorithm: str) -> Callable[[bytes], str]:
    return lambda content: base64.b64encode(hashlib.new(algorithm, content).digest()).decode()


def _define(name: str, digest: Callable[[bytes], str]) -> None:
    @function(Parameter("str", STRING), returns=STRING, name=name)
    def of_text(value: Part) -> Part:
        return text(digest(text_of(value).encode()))

    # base64sha256 and filebase64sha256, md5 and filemd5
    @function(Parameter("path", STRING), returns=STRING, name=f"file{name}", surroundings=True)
    def of_file(surroundings: FunctionSurroundings, path: Part) -> Part:
        return text(digest(read_bytes(surroundings, text_of(path))))


for _algorithm in ("md5", "sha1", "sha256", "sha512"):
    _define(_algorithm, _hexadecimal(_algorithm))
for _algorithm in ("sha256", "sha512"):
    _define(f"base64{_algorithm}", _base64(_algorithm))


@function(Parameter("namespace", STRING), Parameter("name", STRING), returns=STRING)
def uuidv5(namespace: Part, name: Part) -> Part:
    given = text_of(namespace)
    known = _NAMESPACES.get(given)
    if known is None and not _UUID.fullmatch(given):
        raise FunctionError(f"uuidv5() doesn't support namespace {given!r}")
    space = known or uuid.UUID(given)
    return text(str(uuid.uuid5(space, text_of(name))))
