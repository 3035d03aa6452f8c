"""Rules about check results (CHK)."""
