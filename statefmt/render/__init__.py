"""How things are shown: text for people, JSON for programs."""
