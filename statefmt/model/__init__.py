"""Models the content of a state as immutable values: addresses, resources, findings, errors."""
