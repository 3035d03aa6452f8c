"""The configuration language: syntax, expressions and functions, without knowledge of OpenTofu's blocks."""
