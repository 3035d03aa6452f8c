"""The rules of `statetool check`: one small file each, whose docstring is its documentation page."""
