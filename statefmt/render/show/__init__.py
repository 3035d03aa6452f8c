"""Resource instances and outputs in full."""
