"""The page of `holdfast web` in a real browser: python3 page_test.py HOLDFAST [--screenshot FILE]

Each test has a Redis server, a `holdfast web` and locks that real `holdfast run` processes hold.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from web_driver import ENTER, ESCAPE, Browser

HOLDFAST = ""
SCREENSHOT = ""
SLOWEST = 30  # seconds until something that must happen counts as missing


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class PageFixture(unittest.TestCase):
    window = (1280, 800)

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(*cls.window)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="holdfast-page-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.browser.open, "about:blank")
        self.browser.console_errors()  # forgets those of the last test
        port = free_port()
        self.redis = self.start(["redis-server", "--port", str(port), "--bind", "127.0.0.1",
                                 "--save", "", "--dir", self.folder])
        self.url = f"redis://127.0.0.1:{port}"
        self.eventually(lambda: subprocess.run([HOLDFAST, "ping", "--url", self.url, "-c", "1"],
                                               capture_output=True, check=False).returncode == 0)

    def start(self, command, **options):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            os.kill(process.pid, signal.SIGCONT)
            process.terminate()
            try:
                process.wait(SLOWEST)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()
        process.stderr.close()

    def eventually(self, condition, message="it does not happen"):
        end = time.monotonic() + SLOWEST
        while not condition():
            self.assertLess(time.monotonic(), end, message)
            time.sleep(0.02)

    def serve(self, *options):
        """Starts the server and opens its page."""
        process = self.start([HOLDFAST, "web", "--url", self.url, "--connect-wait", "500ms",
                              "--listen", "0", "--refresh", "100ms", *options])
        url = process.stdout.readline().strip()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/\?token=")
        self.browser.open(url)
        return process, url

    def hold(self, name, note="", wait=True):
        process = self.start([HOLDFAST, "run", "--url", self.url, "--note", note or "test", name,
                              "--", "sh", "-c", "echo held; exec sleep 1000"])
        if wait:
            self.assertEqual(process.stdout.readline(), "held\n")
        return process

    def names(self):
        """The names in the table, in order."""
        return self.browser.run(
            "return [...document.querySelectorAll('#locks tr[data-name]')].map(r => r.dataset.name)")

    def cell(self, name, column):
        return self.browser.run(
            "return [...document.querySelectorAll('#locks tr[data-name]')]"
            ".find(r => r.dataset.name === arguments[0])?.cells[arguments[1]].innerText ?? ''",
            name, column)

    def banner(self):
        return self.browser.text("#banner")

    def shows(self, names):
        self.eventually(lambda: self.names() == names, f"the page does not show {names}")


class PageTest(PageFixture):
    def test_a_lock_appears_by_push_and_goes_when_it_is_broken(self):
        self.serve()
        self.eventually(lambda: "No lock is held" in self.browser.text("#empty"))
        self.assertNotIn("token", self.browser.run("return location.href"))
        self.browser.run("window.stays = true")
        holder = self.hold("nightly", "by Ann")
        self.shows(["nightly"])
        self.assertTrue(self.browser.run("return window.stays"), "the page was loaded again")
        self.assertEqual(self.cell("nightly", 7), "by Ann")
        self.assertRegex(self.cell("nightly", 2), r":\d+$")
        token = self.cell("nightly", 3)

        self.browser.click("#locks tr[data-name] td.changes button")
        facts = self.browser.text("#confirm")
        for fact in ("nightly", self.cell("nightly", 2), token, "by Ann", "sleep 1000"):
            self.assertIn(fact, facts)
        self.browser.click("#confirm-no")
        self.assertFalse(self.browser.run("return document.getElementById('confirm').open"))
        self.assertIsNone(holder.poll(), "the user has not confirmed")

        self.browser.click("#locks tr[data-name] td.changes button")
        self.browser.click("#confirm-yes")
        self.shows([])
        self.eventually(lambda: '"nightly" is broken' in self.browser.text("#result"))
        self.assertEqual(holder.wait(SLOWEST), 76)
        self.assertIn("broken", holder.stderr.read())
        self.eventually(lambda: "broken" in self.browser.text("#events .event-broken"))
        self.assertEqual(self.browser.console_errors(), [])

    def test_a_break_that_comes_late_spares_the_next_holder(self):
        self.serve()
        first = self.hold("job")
        self.shows(["job"])
        self.browser.click("#locks tr[data-name] td.changes button")
        self.end(first)
        second = self.hold("job", "second")
        self.browser.click("#confirm-yes")
        self.eventually(lambda: "that hold has ended" in self.browser.text("#result"))
        self.assertIsNone(second.poll())

    def test_details_show_the_waiters_in_order(self):
        self.serve()
        self.hold("job")
        for count, note in enumerate(["first", "second"]):
            self.hold("job", note, wait=False)
            self.eventually(lambda: self.cell("job", 6) == str(count + 1))
        self.browser.click("#locks td.name button")
        self.eventually(lambda: "(second)" in self.browser.text("#locks tr.details"))
        waiters = self.browser.text("#locks tr.details ol")
        self.assertLess(waiters.index("(first)"), waiters.index("(second)"))
        self.browser.click("#locks td.name button")
        self.eventually(lambda: self.browser.text("#locks tr.details") == "")

    def test_sorts_and_filters(self):
        self.serve()
        for name in ("b", "c", "a"):
            self.hold(name, "of " + name)
        self.hold("c", wait=False)
        self.shows(["c", "a", "b"])
        self.browser.click("th[data-sort=name] button")
        self.shows(["a", "b", "c"])
        self.assertEqual(self.browser.run(
            "return document.querySelector('th[data-sort=name]').ariaSort"), "ascending")
        self.browser.click("th[data-sort=age] button")
        self.shows(["b", "c", "a"])
        self.browser.type("#filter", "OF A")
        self.shows(["a"])
        self.browser.type("#filter", "bc")
        self.eventually(lambda: "No lock matches" in self.browser.text("#empty"))

    def test_names_and_notes_are_text(self):
        self.serve()
        markup = "<img src=x onerror='window.attacked = true'>"
        self.hold(markup, markup)
        self.shows([markup])
        self.browser.click("#locks td.name button")
        self.browser.click("#locks tr[data-name] td.changes button")
        self.assertIn(markup, self.browser.text("#confirm"))
        self.browser.click("#confirm-no")
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.assertIsNone(self.browser.run("return window.attacked"))
        self.assertEqual(self.browser.console_errors(), [])

    def test_shows_an_outage_and_recovers(self):
        self.serve()
        self.hold("job")
        self.shows(["job"])
        self.redis.send_signal(signal.SIGSTOP)
        self.eventually(lambda: "The engine cannot be used" in self.banner())
        self.assertEqual(self.names(), ["job"], "the last rows stay")
        self.redis.send_signal(signal.SIGCONT)
        self.eventually(lambda: self.banner() == "")

    def test_connects_again_to_a_server_that_was_restarted(self):
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write("0123456789abcdef\n")
        os.chmod(token, 0o600)
        process, url = self.serve("--token-file", token)
        self.hold("job")
        self.shows(["job"])
        self.end(process)
        self.eventually(lambda: "connection to holdfast web is lost" in self.banner())
        port = re.search(r":(\d+)/", url).group(1)
        self.start([HOLDFAST, "web", "--url", self.url, "--listen", port, "--token-file", token])
        self.eventually(lambda: self.banner() == "")
        self.shows(["job"])

    def test_works_with_the_keyboard(self):
        self.serve()
        holder = self.hold("job")
        self.shows(["job"])
        focus = "document.querySelector('#locks tr[data-name] td.changes button').focus()"
        self.browser.run(focus)
        time.sleep(0.5)  # several pushes: they must not take the focus away
        self.browser.press(ENTER)
        is_open = "return document.getElementById('confirm').open"
        self.assertTrue(self.browser.run(is_open))
        self.assertEqual(self.browser.run("return document.activeElement.id"), "confirm-no")
        self.browser.press(ESCAPE)
        self.assertFalse(self.browser.run(is_open))
        self.browser.run(focus)
        self.browser.press(ENTER)
        self.browser.press("\ue004")  # Tab
        self.assertEqual(self.browser.run("return document.activeElement.id"), "confirm-yes")
        self.browser.press(ENTER)
        self.assertEqual(holder.wait(SLOWEST), 76)

    def test_read_only_has_no_button(self):
        self.serve("--read-only")
        self.hold("job")
        self.shows(["job"])
        self.assertFalse(self.browser.run(
            "return document.querySelector('#locks td.changes button').checkVisibility()"))

    def test_has_a_light_and_a_dark_look(self):
        self.serve()
        seen = set()
        for scheme in ("light", "dark"):
            self.browser.prefer_colours(scheme)
            seen.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
        self.browser.prefer_colours("light")
        self.assertEqual(len(seen), 2)


class Picture(PageFixture):
    """Makes the picture of docs/web.md."""

    window = (1200, 790)

    def runTest(self):
        self.serve()
        for name, note in (("nightly", "cron"), ("deploy:shop", "Ann, build 4711"),
                           ("stock:17", "checkout")):
            self.hold(name, note)
        for note in ("Bob, build 4712", "Eve, build 4713"):
            self.hold("deploy:shop", note, wait=False)
            time.sleep(1)
        self.browser.click("#locks td.name button")
        holder = self.hold("stock:99", "checkout")
        time.sleep(12)
        holder.terminate()
        self.shows(["deploy:shop", "nightly", "stock:17"])
        self.browser.save_screenshot(SCREENSHOT)


if __name__ == "__main__":
    HOLDFAST = os.path.abspath(sys.argv[1])
    if "--screenshot" in sys.argv:
        SCREENSHOT = sys.argv[sys.argv.index("--screenshot") + 1]
    chosen = Picture if SCREENSHOT else PageTest
    unittest.main(argv=sys.argv[:1], defaultTest=chosen.__name__, verbosity=2)
