"""External method used by the vectors: XOR with the key (or with 0x5A), then a 4-byte marker in front."""

import base64
import json
import sys

print(json.dumps({"magic": "OpenTofu-External-Encryption-Method", "version": 1}), flush=True)
request = json.load(sys.stdin)
key = base64.b64decode(request["key"]) if request.get("key") else b"\x5a"
data = base64.b64decode(request["payload"])


def mix(mixed: bytes) -> bytes:
    return bytes(one ^ key[place % len(key)] for place, one in enumerate(mixed))


if sys.argv[1] == "encrypt":
    out = b"XOR1" + mix(data)
else:
    if data[:4] != b"XOR1":
        sys.exit("not mine")
    out = mix(data[4:])
print(json.dumps({"payload": base64.b64encode(out).decode()}))
