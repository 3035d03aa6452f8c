"""Searches the values of attributes and outputs for text.

>>> from statefmt import open, search
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> found = search.search(snapshot, search.Matcher("i-0e11a22b33c44d55e"))
>>> [f"{match.address}: {match.path}" for match in found]
['aws_instance.web["eu-west-1"]: id']
"""

from statefmt._arguments import check_functions
from statefmt.analysis.search import Match, Matcher, NotSearched, TooDeepError, not_searched, search

__all__ = ["Match", "Matcher", "NotSearched", "TooDeepError", "not_searched", "search"]

check_functions(globals())
