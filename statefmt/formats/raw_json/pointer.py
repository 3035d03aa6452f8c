"""Escapes names for JSON pointers (RFC 6901)."""


def token(name: str) -> str:
    """Return a member's name as a token of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")
