"""Values of expressions: construction, conversion and operators."""
