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

from statefmt.library.values._attributes import Attributes as Attributes
from statefmt.library.values._decode import AttributeValue as AttributeValue
from statefmt.library.values._encode import json_text as json_text
from statefmt.library.values._identity import ResourceIdentity as ResourceIdentity
from statefmt.library.values._number import ExactDecimal as ExactDecimal
from statefmt.library.values._object import ObjectValue as ObjectValue
from statefmt.library.values._output import Output as Output
from statefmt.library.values._sensitive import Sensitive as Sensitive
