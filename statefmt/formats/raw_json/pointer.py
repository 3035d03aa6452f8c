"""JSON pointers (RFC 6901)."""


def token(name: str) -> str:
    """A member's name as one token of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")
