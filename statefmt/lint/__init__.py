"""The rules of `statetool check`, and the engine that runs them."""
