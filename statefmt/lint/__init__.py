"""The rules of `statetool check`, and what runs them."""
