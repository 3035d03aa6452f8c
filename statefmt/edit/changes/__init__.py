"""Changes that several operations share."""
