"""Rules about configurations alone (CFG)."""
