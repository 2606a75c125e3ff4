"""The code of docs/interop.md; tests run it: example.py PORT,PORT..."""

import sys

from pottery import Redlock
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def sell_one():
    print("sold one")


ports = [int(port) for port in sys.argv[1].split(",")]
# [doc: pottery]
once = Retry(NoBackoff(), 0)  # otherwise a refused try waits seconds for a dead server
masters = {Redis(host="127.0.0.1", port=port, retry=once) for port in ports}
with Redlock(key="stock:1001", masters=masters, auto_release_time=10):
    sell_one()
# [end]
