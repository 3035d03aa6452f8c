"""What an adversary does to states, to their folders and to running commands; `make adversary` does it at length.

Each part runs with a small sample in `make test`. The long profile is deselected by its marker, `adversary`.
"""
