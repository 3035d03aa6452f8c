"""Resource instances in lists."""
