"""The names that an expression can refer to in one module: variables, local values, paths, `each` and `count`."""

from __future__ import annotations

import msgspec

from statefmt.addrs import NO_KEY, InstanceKey
from statefmt.config.model import Configuration, Module
from statefmt.config.values import Part


class EachValue(msgspec.Struct, frozen=True):
    """What `each.key` and `each.value`, or `count.index` are in one instance."""

    key: InstanceKey
    value: Part | None = None  # None for `count`


class Scope:
    """The names as one module instance (or, statically, one module) sees them. Values are worked out once.

    `configuration`, `module` and `keys` (the instance keys of the calls on the way, None in a static scope of a module
    that is called with `count` or `for_each`) say where it is.
    """

    configuration: Configuration
    module: Module

    def child(self, call: str, each: EachValue | None = None) -> Scope:
        """The scope inside of the module that is called here by this name, in the instance of `each`.

        Without `each`, `each` and `count` are Unknown in the arguments of the call, as in OpenTofu's static
        evaluation. Raises KeyError for a module that is not in the configuration.
        """
        raise NotImplementedError

    def within(self, each: EachValue | None) -> Scope:
        """The same names, with `each` or `count` of one instance of a resource or a module call."""
        raise NotImplementedError

    def variable(self, name: str) -> Part:
        """The value of `var.name`; an Unknown with a problem if there is no such variable."""
        raise NotImplementedError

    def local(self, name: str) -> Part:
        """The value of `local.name`; an Unknown with a problem if there is none, or it needs itself."""
        raise NotImplementedError


def root_scope(configuration: Configuration) -> Scope:
    """The scope of the root module."""
    raise NotImplementedError


_ = (NO_KEY, InstanceKey)
