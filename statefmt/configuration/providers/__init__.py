"""Provider configurations: references, instances, and passing them to modules."""
