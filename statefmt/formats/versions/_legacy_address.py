"""Parses resource addresses of formats 1 to 3: `aws_instance.web`, `aws_instance.web.0`, `data.aws_ami.os.1`.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65); Go's `strconv.ParseInt`.
"""

from __future__ import annotations

from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, Resource, ResourceInstance, ResourceMode
from statefmt.text.pattern import pattern

# Numbers as Go reads them with base 0: a prefix gives the base, and underscores may separate digits.
_NUMBER = pattern(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>(?:_?[0-9a-fA-F])+)|0[bB](?P<bin>(?:_?[01])+)|0[oO]?(?P<oct>(?:_?[0-7])+)"
    r"|(?P<dec>0|[1-9](?:_?[0-9])*))"
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_INT64 = range(-(2**63), 2**63)


def parse_legacy_address(text: str) -> ResourceInstance:
    """Parse the address of an instance. Raises ValueError with the reason if it is invalid."""
    parts = text.split(".")
    mode = ResourceMode.MANAGED
    if len(parts) > 2 and parts[0] == "data":
        mode = ResourceMode.DATA
        parts = parts[1:]
    if not 2 <= len(parts) <= 3:
        raise ValueError(f"invalid internal resource address format: {text}")
    key: InstanceKey = NO_KEY
    if len(parts) == 3:
        number = _number(parts[2])
        if number is None:
            raise ValueError(f'error parsing resource address "{text}": "{parts[2]}" is not a whole number')
        key = IntKey(number)
    return ResourceInstance(Resource(mode, parts[0], parts[1]), key)


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 80 or match.lastgroup is None:
        return None
    base = match.lastgroup
    value = int(match["sign"] + match[base].replace("_", ""), _BASES[base])
    return value if value in _INT64 else None
