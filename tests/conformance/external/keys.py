"""External key provider used by the vectors: a fixed key, and metadata that must come back."""

import json
import sys

print(json.dumps({"magic": "OpenTofu-External-Key-Provider", "version": 1}), flush=True)
request = json.load(sys.stdin)
key = sys.argv[1] if len(sys.argv) > 1 else "c3RhdGV0b29sLWV4dGVybmFsLWtleS0wMTIzNDU2Nzg="
keys = {"encryption_key": key}
meta = {"external_data": {"key_id": "k1", "n": 7}}
if request is not None:
    if request["external_data"].get("key_id") != "k1":
        sys.exit("unknown key_id")
    keys["decryption_key"] = key
print(json.dumps({"keys": keys, "meta": meta}))
