"""Where an index finds its states: folders, git, and real servers."""
