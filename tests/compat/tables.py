"""The long tables of expressions: one a line, with ⏎ for a newline within, and what they refer to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.compat.expressions import CONFIGURATION, FILES, VALUES

_NEWLINE: Final = "\u23ce"


def _table(name: str) -> tuple[str, ...]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n")
    return tuple(line.replace(_NEWLINE, "\n") for line in lines if line)


# Both real programs give them a value, and the same one.
GIVEN: Final = _table("values.txt")
# Both real programs refuse them, in a way that `can` catches.
REFUSED: Final = _table("refused.txt")

MORE_CONFIGURATION: Final = f"""{CONFIGURATION}
variable "unset" {{}}
variable "secret" {{
  type      = map(string)
  default   = {{ k = "v" }}
  sensitive = true
}}
variable "big" {{
  type    = number
  default = 123456789012345678901234567890.5
}}
variable "anyv" {{
  type    = any
  default = {{ a = [1, "x"] }}
}}
variable "tup" {{
  type    = tuple([string, number])
  default = [1, "2"]
}}
variable "nulls" {{
  type    = list(string)
  default = null
}}
variable "objs" {{
  type = list(object({{
    n = string
    o = optional(list(object({{ p = optional(number, 7), q = optional(string) }})), [{{}}])
  }}))
  default = [{{ n = "a" }}, {{ n = "b", o = [{{ p = 1 }}, {{ q = "z" }}] }}, {{ n = "c", o = [] }}]
}}
"""
MORE_VALUES: Final = f"{VALUES}unset = null\n"
MORE_FILES: Final = {
    **FILES,
    "t.tftpl": "%{ for k, v in m ~}\n${k}=${v}\n%{ endfor ~}\nend ${x}\n",
    "w.tftpl": "${v}",
    "f.tftpl": "${upper(v)}${path.module}",
    "bad.tftpl": "a ${v",
    "heredoc.tftpl": 'a\\n "${v}" EOT\nEOT\n <<T\n',
    "crlf.tftpl": "a\r\n  ${v}\r\n",
    "esc.tftpl": '$${v} %%{ $ % ${"q\\""}',
    "empty.tftpl": "",
    "strip.tftpl": "<ul>\n  %{~ for x in xs ~}\n  <li>${x}</li>\n  %{~ endfor ~}\n</ul>\n",
}
