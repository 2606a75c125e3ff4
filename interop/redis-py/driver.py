"""redis-py's Lock behind the line protocol of interop/PROTOCOL.md."""

import os
import queue
import sys
import threading

import redis
from redis.exceptions import LockError

output = threading.Lock()


def answer(number, text):
    with output:
        print(number, text, flush=True)


def told(number, body):
    try:
        answer(number, body())
    except Exception as problem:  # the tester reports it
        answer(number, "error " + " ".join(repr(problem).split()))


class Hold:
    """One owner, with a thread that does one request after another."""

    def __init__(self, server):
        self.server = server
        self.lock = None
        self.requests = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            number, command, arguments = self.requests.get()
            told(number, lambda: getattr(self, command)(*arguments))

    def acquire(self, name, lease, wait, *options):
        if "watchdog" in options or "fenced" in options:
            return "unsupported"
        # Without a timeout, its default, it never expires.
        self.lock = self.server.lock(name, timeout=int(lease) / 1000 or None)
        blocking = int(wait) > 0
        took = self.lock.acquire(
            blocking=blocking, blocking_timeout=int(wait) / 1000 if blocking else None
        )
        return "held" if took else "busy"

    def reenter(self):
        return "held" if self.lock.acquire(blocking=False) else "busy"

    def renew(self):
        try:
            self.lock.reacquire()
            return "renewed"
        except LockError:
            return "lost"

    def release(self):
        try:
            self.lock.release()
            return "released"
        except LockError:
            return "lost"


def intrude(server, name):
    lock = server.lock(name, timeout=30.5)
    lock.local.token = b"somebody else"  # without a token redis-py does not ask the server
    try:
        lock.release()
        return "released"
    except LockError:
        return "refused"


def ask(server, name):
    return "held" if server.lock(name).locked() else "free"


def increment(file):
    with open(file, encoding="ascii") as old:
        value = int(old.read())
    with open(file, "w", encoding="ascii") as new:
        new.write(str(value + 1))


def count(server, name, times, file):
    lock = server.lock(name, timeout=30.5, sleep=0.001)
    for _ in range(int(times)):
        with lock:
            increment(file)
    return "done " + times


def main():
    server = redis.Redis(host="127.0.0.1", port=int(sys.argv[1]))
    others = {"intrude": intrude, "ask": ask, "count": count}
    holds = {}
    for line in sys.stdin:
        number, command, *arguments = line.split()
        if command == "quit":
            break
        if command == "hello":
            python = ".".join(map(str, sys.version_info[:3]))
            answer(number, f"ok redis-py {redis.__version__} python {python}")
        elif command in ("try", "acquire", "reenter", "renew", "release"):
            name, *rest = arguments
            if command == "try":
                command, rest = "acquire", [*rest[:2], "0", *rest[2:]]
            if name not in holds:
                holds[name] = Hold(server)
            holds[name].requests.put((number, command, rest))
        elif command in others:
            body = others[command]
            run = lambda n=number, b=body, a=arguments: told(n, lambda: b(server, *a))
            threading.Thread(target=run, daemon=True).start()
        else:
            answer(number, "unsupported")
    os._exit(0)  # releases nothing, as PROTOCOL.md requires


main()
