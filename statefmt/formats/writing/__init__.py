"""From a snapshot to bytes: canonical, or with the fewest changes."""
