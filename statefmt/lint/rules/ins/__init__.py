"""Rules about instance objects (INS)."""
