"""redis-py's Lock behind the line protocol of interop/PROTOCOL.md."""

import sys

import redis
from redis.exceptions import LockError

import line_protocol


class Lock:
    def __init__(self, lock):
        self.lock = lock

    def try_acquire(self):
        return self.lock.acquire(blocking=False)

    def acquire(self, wait):
        return self.lock.acquire(blocking_timeout=wait)

    def reenter(self):
        return self.try_acquire()

    def renew(self):
        return self.owned(self.lock.reacquire)

    def release(self):
        return self.owned(self.lock.release)

    @staticmethod
    def owned(body):
        try:
            body()
            return True
        except LockError:
            return False


class Client:
    def __init__(self, port):
        self.server = redis.Redis(host="127.0.0.1", port=port)

    def hello(self):
        return f"redis-py {redis.__version__}"

    def new_lock(self, name, lease):
        # Without a timeout, its default, it never expires.
        return Lock(self.server.lock(name, timeout=lease or None))

    def new_counting_lock(self, name, lease):
        return Lock(self.server.lock(name, timeout=lease, sleep=0.001))

    def intrude(self, name):
        lock = self.server.lock(name, timeout=30.5)
        lock.local.token = b"somebody else"  # without a token redis-py does not ask the server
        return Lock(lock).release()

    def ask(self, name):
        return self.server.lock(name).locked()


line_protocol.run(Client(int(sys.argv[1])))
