"""Searches the values of attributes and outputs for text.

>>> from statefmt import open, search
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> found = search.search(snapshot, search.Matcher("i-0e11a22b33c44d55e"))
>>> [f"{match.address}: {match.path}" for match in found]
['aws_instance.web["eu-west-1"]: id']
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.search import (
        Match as Match,
        Matcher as Matcher,
        NotSearched as NotSearched,
        TooDeepError as TooDeepError,
        not_searched as not_searched,
        search as search,
    )
