"""White space as defined by Go's unicode.IsSpace."""

from __future__ import annotations

from typing import Final

_LINES: Final = "\t\n\v\f\r\x85\u2028\u2029"
_WIDE: Final = "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000"
SPACE: Final = f"{_LINES} \xa0\u1680\u202f\u205f{_WIDE}"
