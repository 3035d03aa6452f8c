"""Rules about a state compared with the schemas of its providers."""
