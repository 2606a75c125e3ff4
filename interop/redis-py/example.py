"""The code of docs/interop.md; tests run it: example.py PORT"""

import sys

import redis


def sell_one():
    print("sold one")


port = int(sys.argv[1])
# [doc: redis-py]
server = redis.Redis(host="127.0.0.1", port=port)
# Always set a timeout: without one the lock of a dead holder never expires.
with server.lock("stock:1001", timeout=10):
    sell_one()
# [end]
