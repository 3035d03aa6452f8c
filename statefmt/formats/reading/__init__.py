"""From bytes to a snapshot, with findings."""
