"""Finding secrets in attributes and outputs."""
