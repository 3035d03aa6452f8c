"""What a state says, as immutable values: addresses, resources, findings, errors."""
