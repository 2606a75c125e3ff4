"""pottery's Redlock behind the line protocol of interop/PROTOCOL.md."""

import logging
import sys
import threading
from importlib.metadata import version

import pottery.redlock
from pottery import ExtendUnlockedLock, Redlock, ReleaseUnlockedLock
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import line_protocol


class TrackedExecutor(pottery.redlock.BailOutExecutor):
    """Remembers the requests that this thread did not wait for.

    pottery answers at the majority, and its release can overtake its own acquire on a slow server,
    where the key stays until its lease ends. docs/interop.md warns of it; here a release first waits
    for the acquire, so that what is left on the servers is Holdfast's.
    """

    last = threading.local()

    def __exit__(self, *problem):
        self.last.executor = self
        return super().__exit__(*problem)

    @classmethod
    def wait(cls):
        if hasattr(cls.last, "executor"):
            cls.last.executor.shutdown(wait=True)


pottery.redlock.BailOutExecutor = TrackedExecutor


class Lock:
    def __init__(self, make):
        self.make = make
        self.lock = make()

    def try_acquire(self):
        return self.lock.acquire(blocking=False)

    def acquire(self, wait):
        # An object of its own for each: a thread of the former release reads the object's value
        # when it starts, which may be after the next acquire has changed it.
        self.lock = self.make()
        return self.lock.acquire(timeout=wait)

    def reenter(self):
        # Of another object: after a refusal an object does not know its former value any more.
        return self.make().acquire(blocking=False)

    def renew(self):
        try:
            self.lock.extend()
            return True
        except ExtendUnlockedLock:
            return False

    def release(self):
        TrackedExecutor.wait()
        try:
            self.lock.release()
            return True
        except ReleaseUnlockedLock:
            return False


class EagerRedlock(Redlock):
    _RETRY_DELAY = 0.01


class Client:
    def __init__(self, ports):
        # By default redis-py retries for seconds, and a try that was refused by one server waits
        # for those that are dead.
        self.masters = [
            Redis(host="127.0.0.1", port=port, retry=Retry(NoBackoff(), 0)) for port in ports
        ]

    def hello(self):
        return f"pottery {version('pottery')} redis-py {version('redis')}"

    def new_lock(self, name, lease, kind=Redlock):
        if lease == 0:
            raise line_protocol.Unsupported
        # It raises QuorumIsImpossible if too few servers answer; by default it is only refused.
        return Lock(
            lambda: kind(
                key=name,
                masters=self.masters,
                auto_release_time=lease,
                num_extensions=sys.maxsize,
                raise_on_redis_errors=True,
            )
        )

    def new_counting_lock(self, name, lease):
        # Of several servers eager contenders only take single votes from each other.
        return self.new_lock(name, lease, EagerRedlock if len(self.masters) == 1 else Redlock)

    def intrude(self, name):
        lock = self.new_lock(name, 30.5)
        lock.lock._uuid = "somebody else"
        return lock.release()


logging.disable()  # it logs each failure of a server with a stack trace
line_protocol.run(Client([int(port) for port in sys.argv[1].split(",")]))
