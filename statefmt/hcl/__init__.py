"""The configuration language: syntax, expressions, functions. It knows no OpenTofu blocks."""
