"""Values of a state as Python values: decoded when first used, exact, and with sensitive parts masked.

| JSON | Python |
| --- | --- |
| null, true, false | `None`, `True`, `False` |
| string | `str`; half a surrogate pair, and each byte that is not UTF-8, is U+FFFD, as in Go |
| number that `int` writes back as it is (`1`, `-7`, 40 digits) | `int` |
| number that `float` writes back as it is (`1.5`, `1.0`, `-0.0`) | `float` |
| any other number (`1.50`, `1e3`, `-0`, 20 decimals) | `ExactDecimal`, a `Decimal` |
| array (list, set, tuple) | `tuple` |
| object (object, map) | `ObjectValue`, a `dict` that cannot be changed; the last of repeated members counts |
| any value that `statetool show` hides | `Sensitive` |

`str()` of a number is always its text in the state. Values of dynamic type, which a state stores with their type, come
without it, as in `statetool show`. The exact JSON text, with everything repeated and escaped, is `Attributes.raw`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, ClassVar, Final, NoReturn, Self, TypeAlias, TypeVar, overload

from statefmt.golang import JSONValue, Members, NumberText
from statefmt.model.errors import MissingPathError, SelectionError
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject
from statefmt.redaction.attribute_values import (
    Withheld,
    look_up,
    look_up_flat,
    member_value,
    withheld_identity,
    withheld_members,
    withheld_output,
    withheld_paths,
)
from statefmt.redaction.partial import HIDDEN, Partial, exact_text, parse_path, path_text
from statefmt.text import pattern

# Longer ones may be refused by int(), depending on how Python is started.
_MOST_DIGITS: Final = 640
# Enough for every text that repr() gives of a float.
_LONGEST_FLOAT: Final = 32
_WHOLE: Final = pattern(r"-?[0-9]+")


class _Immutable:
    """A value whose copies are the value itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object, /) -> Self:
        return self


class ExactDecimal(_Immutable, Decimal):
    """A Decimal that is written as in the state: `str(ExactDecimal("1e3"))` is `1e3`, `1.50` keeps its zero.

    Computing and comparing are Decimal's, and give a Decimal. A number whose exponent is out of Decimal's range
    counts as 0 or as infinite; its text is still exact.
    """

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str) -> ExactDecimal:
        try:
            number = super().__new__(cls, text)
            in_range = number.is_finite()
        except InvalidOperation:
            in_range = False
        if not in_range:
            number = super().__new__(cls, _limit(text))
        # Not the subclass of str that the parser gives.
        number._text = str(text)
        return number

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Decimal('{self._text}')"

    def __format__(self, spec: str, /, *context: Any) -> str:
        return super().__format__(spec, *context) if spec else self._text

    def __reduce__(self) -> tuple[type[ExactDecimal], tuple[str]]:
        return type(self), (self._text,)


def number(text: str) -> int | float | ExactDecimal:
    """Decode the text of a JSON number: an int or a float if Python writes that text for it, else an ExactDecimal."""
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= _MOST_DIGITS and text != "-0" else ExactDecimal(text)
    if len(text) <= _LONGEST_FLOAT and repr(value := float(text)) == text:
        return value
    return ExactDecimal(text)


def _limit(text: str) -> str:
    """Return the substitute for a number with an exponent out of range. Raises InvalidOperation for other text."""
    mantissa, _, exponent = text.lower().partition("e")
    sign = "-" if text.startswith("-") else ""
    is_zero = exponent.startswith("-") or not Decimal(mantissa)
    return f"{sign}{0 if is_zero else 'Infinity'}"


class ObjectValue(dict[str, Any]):
    """An object or a map of a state: an immutable dict. `dict(value)` and `.copy()` return a mutable dict."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the values of a state are read-only; copy() gives a dict that can be changed")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __copy__(self) -> ObjectValue:
        return self

    def __reduce__(self) -> tuple[type[ObjectValue], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)


# None, bool, int, float, ExactDecimal, str, tuple, ObjectValue or Sensitive. Any, so that type checkers accept
# attributes["tags"]["Owner"], as they do for what `json` returns.
AttributeValue: TypeAlias = Any


def decode(part: Partial, name: str) -> AttributeValue:
    """Decode a value. Raises SelectionError, with its `name`, if it is nested too deeply."""
    try:
        return _value(member_value(part), name)
    except (ValueError, RecursionError):
        raise SelectionError(f"{name} is nested too deeply to be decoded; its JSON text is in raw") from None


def withheld(part: Withheld, name: str) -> Sensitive:
    """Wrap a withheld value, which is decoded when it is revealed."""
    return Sensitive.of(lambda: decode(part.raw, name))


def _value(node: JSONValue, name: str) -> AttributeValue:
    if isinstance(node, str):
        if isinstance(node, NumberText):
            return number(node)
        return withheld(node, name) if isinstance(node, Withheld) else node
    if isinstance(node, list):
        return tuple([_value(item, name) for item in node])
    if isinstance(node, Members):
        return ObjectValue({key: _value(item, name) for key, item in node})
    return node


def json_text(value: object) -> bytes:
    """Write a value as compact JSON; numbers of a state keep their text.

    Takes None, bool, int, float, Decimal, str, lists, tuples and mappings with string keys. Raises TypeError for
    anything else, also for a Sensitive: call `reveal()` first. Raises ValueError for a number that is not finite and
    for values nested too deeply.

        >>> json_text({"size": 10, "ratio": Decimal("1.50")})
        b'{"size":10,"ratio":1.50}'
    """
    try:
        return exact_text(_node(value))
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _node(value: object) -> JSONValue:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, Decimal)):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [_node(item) for item in value]
    if isinstance(value, Mapping):
        return Members((_name(name), _node(item)) for name, item in value.items())
    if isinstance(value, Sensitive):
        raise TypeError("a sensitive value is not written as JSON; call .reveal() to get it")
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a name of type {type(name).__name__} cannot be written as JSON")
    return name


def _number(value: int | float | Decimal) -> NumberText:
    # Subclasses, such as those of IntEnum, may print otherwise.
    if isinstance(value, int):
        return NumberText(int.__repr__(value))
    if not isinstance(value, ExactDecimal) and not isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")
    return NumberText(float.__repr__(value) if isinstance(value, float) else value)


_HINT: Final = "the value is sensitive; call .reveal() to get it"


class Sensitive(_Immutable):
    """A sensitive value, which prints as `(sensitive value)`; `reveal()` returns it.

        >>> password = Sensitive("s3cr3t")
        >>> f"{password}"
        '(sensitive value)'
        >>> password.reveal()
        's3cr3t'

    It equals only a Sensitive with an equal value. Operations that would leak the value raise TypeError: hash, truth,
    length, parts, `pickle` and `json`. A copy is the object itself.

    It protects from showing a value by accident, not from a program that wants it.
    """

    __slots__ = ("_reveal",)
    _reveal: Callable[[], Any]

    def __init__(self, value: object) -> None:
        # A function, since tools that inspect objects print their attributes.
        object.__setattr__(self, "_reveal", lambda: value)

    @classmethod
    def of(cls, reveal: Callable[[], Any]) -> Sensitive:
        """Wrap the result of a function, for values that are expensive to decode."""
        made = cls(None)
        object.__setattr__(made, "_reveal", reveal)
        return made

    def reveal(self) -> Any:
        """Return the unmasked value.

        Each call decodes the value anew, so that no copy stays in memory. Raises SelectionError if it is nested too
        deeply.
        """
        return self._reveal()

    def __repr__(self) -> str:
        return str(HIDDEN)

    def __format__(self, spec: str, /) -> str:
        # A width is allowed for any value; other formats depend on the kind of the hidden value.
        try:
            text = format(str(self), spec)
        except ValueError:
            return str(self)
        return text if str(self) in text else str(self)

    def __eq__(self, other: object) -> bool:
        return bool(self.reveal() == other.reveal()) if isinstance(other, Sensitive) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # that of an integer is the integer

    def __bool__(self) -> NoReturn:
        raise TypeError(_HINT)

    def __getitem__(self, key: object, /) -> NoReturn:
        # This refuses iteration and `in`, too.
        raise TypeError(_HINT)

    def __getattr__(self, name: str, /) -> NoReturn:
        raise AttributeError(f"no attribute {name!r}: {_HINT}")

    def __setattr__(self, name: str, value: object, /) -> NoReturn:
        raise AttributeError("a sensitive value is read-only")

    def __delattr__(self, name: str, /) -> NoReturn:
        raise AttributeError("a sensitive value is read-only")

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError(_HINT)


# The default of a path that must exist.
REQUIRED: Final = object()


def value_at(value: AttributeValue, path: str, name: str = "") -> AttributeValue:
    """Return the part of a value at a path; messages call the value `name`.

    Raises MissingPathError with the nearest names if the path does not exist, and SelectionError if it is invalid or
    leads into a Sensitive.
    """
    steps = parse_path(path)
    for place, step in enumerate(steps):
        if isinstance(value, Sensitive):
            holder = path_text(steps[:place]) or name
            raise SelectionError(f"{path} is part of the sensitive value {holder}; call .reveal() on that")
        if isinstance(value, tuple) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        elif isinstance(value, Mapping) and str(step) in value:
            # A map key may be, or look like, the index of an element.
            value = value[str(step)]
        else:
            _refuse_missing(value, steps, place)
    return value


def _refuse_missing(value: AttributeValue, steps: Sequence[str | int], place: int) -> NoReturn:
    """Raise the MissingPathError of `show --attr` for a step that is missing in `value`."""
    node: JSONValue = None if value is None else ""
    if isinstance(value, tuple):
        node = [None] * len(value)
    elif isinstance(value, Mapping):
        node = Members((name, None) for name in value)
    for step in reversed(steps[:place]):
        node = Members([(str(step), node)])
    look_up(node, steps)
    raise AssertionError("the step exists")


_Default = TypeVar("_Default")


class _DecodedMembers(_Immutable, Mapping[str, AttributeValue]):
    """A read-only mapping, each of whose values is decoded on first use."""

    __slots__ = ("_members", "_object", "_type_name", "_values")
    _WHAT: ClassVar[str]

    def __init__(self, obj: ResourceInstanceObject, type_name: str) -> None:
        self._object = obj
        self._type_name = type_name
        # Filled on first use; two threads that do so at once compute the same.
        self._members: Mapping[str, Partial] | None = None
        self._values: dict[str, AttributeValue] = {}

    @abstractmethod
    def _read(self) -> Mapping[str, Partial]:
        """Return the undecoded members, with a Withheld for each part that `show` hides."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of all Sensitive values, in the order of the state, as `at()` takes them.

        These are the places that `statetool show` hides: where a mark of the state leads, the innermost part that
        holds it for certain, and what is a secret by its type, name or shape. A path into a set leads to the whole set.
        """
        try:
            return tuple(
                path_text(steps) for name, part in self._parts().items() for steps in withheld_paths(part, (name,))
            )
        except RecursionError:
            raise SelectionError(
                f"the {self._WHAT} are nested too deeply to be decoded; their text is in raw"
            ) from None

    @overload
    def at(self, path: str) -> AttributeValue: ...
    @overload
    def at(self, path: str, default: _Default) -> AttributeValue | _Default: ...

    def at(self, path: str, default: object = REQUIRED) -> object:
        """Return the value at a path: `tags.Owner`, `ingress[0].port`, `tags["a b"]`; of flat attributes also `tags.%`.

        If the path does not exist, returns `default`, or without one raises MissingPathError, a LookupError, with the
        nearest names. Raises SelectionError if the path is invalid or leads into a sensitive value: call `reveal()` on
        that value first.
        """
        try:
            return self._at(path)
        except MissingPathError:
            if default is REQUIRED:
                raise
            return default

    def _at(self, path: str) -> AttributeValue:
        return value_at(self, path)

    def __getitem__(self, name: str) -> AttributeValue:
        if name not in self._values:
            self._values[name] = decode(self._parts()[name], name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __len__(self) -> int:
        return len(self._parts())

    def __contains__(self, name: object) -> bool:
        return name in self._parts()

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            return f"{name}({dict(self)!r})"
        except (SelectionError, RecursionError):
            return f"<{name} nested too deeply to be shown: {', '.join(self)}>"

    def _parts(self) -> Mapping[str, Partial]:
        if self._members is None:
            self._members = self._read()
        return self._members

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError(f"{self._WHAT} may hold sensitive values and are not pickled; pickle what you need of them")


class Attributes(_DecodedMembers):
    """The attributes of one object, by name: a read-only mapping, each of whose values is decoded on first use.

        >>> attributes["tags"]["Owner"]
        'network'
        >>> attributes.at("ingress[0].port")
        443
        >>> attributes["password"]
        (sensitive value)
        >>> attributes["password"].reveal()
        's3cr3t'

    Values are as described in `statefmt.library.values`. Values that `statetool show` hides are Sensitive.

    States from before Terraform 0.12 have flat attributes: strings with names such as `tags.%` and `rule.0.port`
    (`is_flat`). They have no marks, so every possibly sensitive value is a Sensitive.

    Decoding a value raises SelectionError if it is nested too deeply; its text is in `raw`. Attributes cannot be
    pickled, as they hold sensitive values; a copy is the object itself.
    """

    __slots__ = ()
    _WHAT: ClassVar = "attributes"

    @property
    def raw(self) -> bytes:
        """The JSON text of all attributes exactly as in the state, with sensitive values.

        Flat attributes are written as an object of strings; without attributes it is `{}`.
        """
        if self._object.attributes is not None:
            return bytes(self._object.attributes)
        return exact_text(Members((self._object.attributes_flat or {}).items()))

    @property
    def is_flat(self) -> bool:
        """Whether these are the flat attributes of a state from before Terraform 0.12."""
        return self._object.attributes is None and self._object.attributes_flat is not None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of all Sensitive values, in the order of the state, as `at()` and `show --attr` take them.

        These are the places that `statetool show` hides: where a mark of the state leads, the innermost part that
        holds it for certain, and what is a secret by its type, name or shape. A path into a set leads to the whole set.
        """
        if self.is_flat:
            return tuple(name for name, part in self._parts().items() if isinstance(part, Withheld))
        return super().sensitive

    def _at(self, path: str) -> AttributeValue:
        return self._flat_at(path) if self.is_flat else super()._at(path)

    def _read(self) -> Mapping[str, Partial]:
        return withheld_members(self._object, self._type_name)

    def _flat_at(self, path: str) -> AttributeValue:
        if path in self:
            return self[path]
        with suppress(SelectionError):
            name = ".".join(map(str, parse_path(path)))
            if name in self:
                return self[name]
        return look_up_flat(Members((name, None) for name in self), path)


class ResourceIdentity(_DecodedMembers):
    """The identity of one object, by name: a read-only mapping, each of whose values is decoded on first use.

        >>> instance.identity["account_id"]
        '123456789012'

    The identity distinguishes the real objects of a provider. It is empty if the state has none. Values are as
    described in `statefmt.library.values`. An identity has no sensitive marks. Values that `statetool show` hides are
    Sensitive: parts that are sensitive as attributes, and members whose names suggest a secret.

    Decoding a value raises SelectionError if it is nested too deeply; its text is in `raw`. An identity cannot be
    pickled, as it may hold sensitive values; a copy is the object itself.
    """

    __slots__ = ()
    _WHAT: ClassVar = "members of an identity"

    @property
    def raw(self) -> bytes | None:
        """The JSON text of the identity exactly as in the state, with sensitive values; None if there is none."""
        return None if self._object.identity is None else bytes(self._object.identity)

    @property
    def schema_version(self) -> int | None:
        """The version of the schema of the identity; None if the state has none."""
        return self._object.identity_schema_version

    def _read(self) -> Mapping[str, Partial]:
        return withheld_identity(self._object, self._type_name)


class Output(_Immutable):
    """An output of the root module, whose value is decoded on first use.

    >>> Output(OutputValue(name="port", value=b"443", type=b'"number"')).value
    443
    """

    __slots__ = ("_output", "_value")

    def __init__(self, output: OutputValue) -> None:
        self._output = output
        self._value: tuple[AttributeValue] | None = None

    @property
    def name(self) -> str:
        """The name of the output."""
        return self._output.name

    @property
    def value(self) -> AttributeValue:
        """The value. It, or a part of it, is Sensitive if it is marked as sensitive or looks like a secret.

        Raises SelectionError if it is nested too deeply to decode.
        """
        if self._value is None:
            self._value = (decode(withheld_output(self._output), f"the output {self.name!r}"),)
        return self._value[0]

    @overload
    def at(self, path: str) -> AttributeValue: ...
    @overload
    def at(self, path: str, default: _Default) -> AttributeValue | _Default: ...

    def at(self, path: str, default: object = REQUIRED) -> object:
        """Return the part of the value at a path: `subnets[0].id`, `[0]`, `["a b"]`.

        If the path does not exist, returns `default`, or without one raises MissingPathError, a LookupError, with the
        nearest names. Raises SelectionError if the path is invalid or the output is sensitive: call `reveal()` on
        `value` then.
        """
        try:
            return value_at(self.value, path, f"of the output {self.name!r}")
        except MissingPathError:
            if default is REQUIRED:
                raise
            return default

    @property
    def raw(self) -> bytes:
        """The JSON text of the value in canonical form, sensitive or not."""
        return self._output.value

    @property
    def type(self) -> bytes:
        """The type as in the state: `"string"`, `["list","number"]`, …; it may name parts of a sensitive value."""
        return self._output.type

    @property
    def sensitive(self) -> bool:
        """Whether the state marks the output as sensitive."""
        return self._output.sensitive

    @property
    def deprecated(self) -> str:
        """The message of a deprecated output, or ""."""
        return self._output.deprecated

    def __repr__(self) -> str:
        try:
            return f"Output({self.name!r}, {self.value!r})"
        except (SelectionError, RecursionError):
            return f"<Output {self.name!r} nested too deeply to be shown>"

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError("an output may be sensitive and is not pickled; pickle what you need of it")
