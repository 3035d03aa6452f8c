"""Rules about losses in other releases (REL)."""
