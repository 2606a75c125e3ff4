"""Shared by the drivers in Python: the line protocol of interop/PROTOCOL.md.

A client has `hello()`, `new_lock(name, lease)` with the lease in seconds and 0 for one that never
expires, `new_counting_lock(name, lease)`, which retries as often as it can, and `intrude(name)`;
`ask(name)` is optional. A lock is one owner's handle, for one thread at a time: `try_acquire()`,
`acquire(wait)`, `reenter()`, `renew()` and `release()` return whether they did it.
"""

import os
import queue
import sys
import threading

output = threading.Lock()


class Unsupported(Exception):
    """The library has no such function."""


def answer(number, text):
    with output:
        print(number, text, flush=True)


def told(number, body):
    try:
        answer(number, body())
    except Unsupported:
        answer(number, "unsupported")
    except Exception as problem:  # the tester reports it
        text = f"{type(problem).__name__}: {problem}"
        answer(number, "error " + " ".join(text[:300].split()))


class Hold:
    """One owner, with a thread that does one request after another."""

    def __init__(self, client):
        self.client = client
        self.lock = None
        self.requests = queue.Queue()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            number, command, arguments = self.requests.get()
            told(number, lambda: getattr(self, command)(*arguments))

    def acquire(self, name, lease, wait, *options):
        if "watchdog" in options or "fenced" in options:
            raise Unsupported
        self.lock = self.client.new_lock(name, int(lease) / 1000)
        wait = int(wait) / 1000
        took = self.lock.acquire(wait) if wait > 0 else self.lock.try_acquire()
        return "held" if took else "busy"

    def reenter(self):
        return "held" if self.lock.reenter() else "busy"

    def renew(self):
        return "renewed" if self.lock.renew() else "lost"

    def release(self):
        return "released" if self.lock.release() else "lost"


def increment(file):
    with open(file, encoding="ascii") as old:
        value = int(old.read())
    with open(file, "w", encoding="ascii") as new:
        new.write(str(value + 1))


def count(client, name, times, file):
    lock = client.new_counting_lock(name, 30.5)
    for _ in range(int(times)):
        if not lock.acquire(600):
            raise TimeoutError("not acquired")
        increment(file)
        if not lock.release():
            raise RuntimeError("lost while counting")
    return "done " + times


def intrude(client, name):
    return "released" if client.intrude(name) else "refused"


def ask(client, name):
    if not hasattr(client, "ask"):
        raise Unsupported
    return "held" if client.ask(name) else "free"


def run(client):
    """Reads requests until `quit` or the end of the input."""
    others = {"intrude": intrude, "ask": ask, "count": count}
    python = ".".join(map(str, sys.version_info[:3]))
    holds = {}
    for line in sys.stdin:
        number, command, *arguments = line.split()
        if command == "quit":
            break
        if command == "hello":
            answer(number, f"ok {client.hello()} python {python}")
        elif command in ("try", "acquire", "reenter", "renew", "release"):
            name, *rest = arguments
            if command == "try":
                command, rest = "acquire", [*rest[:2], "0", *rest[2:]]
            if name not in holds:
                holds[name] = Hold(client)
            holds[name].requests.put((number, command, rest))
        elif command in others:
            body = others[command]
            task = lambda n=number, b=body, a=arguments: told(n, lambda: b(client, *a))
            threading.Thread(target=task, daemon=True).start()
        else:
            answer(number, "unsupported")
    os._exit(0)  # releases nothing, as PROTOCOL.md requires
