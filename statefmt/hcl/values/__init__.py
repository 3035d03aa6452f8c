"""Values of expressions: known, unknown, sensitive; making, converting and combining them."""
