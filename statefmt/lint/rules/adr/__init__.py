"""Rules about addresses and identity (ADR)."""
