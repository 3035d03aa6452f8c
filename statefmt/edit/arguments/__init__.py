"""What operations are told: destinations, key maps, assignments, providers."""
