"""A browser that a test drives: Chromium without a window, by the W3C's WebDriver protocol."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, ESCAPE = "\ue007", "\ue00c"


class Browser:
    """Starts chromedriver and a session; close() ends all their processes."""

    def __init__(self, width=1280, height=800):
        for program in ("chromedriver", "chromium"):
            if not shutil.which(program):
                raise RuntimeError(f"{program} is not installed; run: ./dev test --label browser")
        self.folder = tempfile.mkdtemp(prefix="holdfast-browser-")
        self.log = os.path.join(self.folder, "driver.log")
        with open(self.log, "wb") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdin=subprocess.DEVNULL,
                                           stdout=log, stderr=log, start_new_session=True)
        self.session = ""
        try:
            self.base = f"http://127.0.0.1:{self._port()}/session"
            self.session = self._open(width, height)
        except BaseException:
            self.close()
            raise

    def _port(self):
        for _ in range(600):
            with open(self.log, encoding="utf-8") as log:
                found = re.search(r"started successfully on port (\d+)", log.read())
            if found:
                return found.group(1)
            if self.driver.poll() is not None:
                break
            time.sleep(0.05)
        with open(self.log, encoding="utf-8") as log:
            raise RuntimeError("chromedriver does not start: " + log.read())

    def _open(self, width, height):
        options = {
            "binary": shutil.which("chromium"),
            # Root cannot use the sandbox; the page is our own.
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--no-first-run", "--disable-background-networking",
                     f"--user-data-dir={self.folder}/profile", f"--window-size={width},{height}"],
        }
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"}}
        return self.call("POST", "", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]

    def close(self):
        if self.session:
            try:
                self.call("DELETE", "")
            except OSError:
                pass
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        url = self.base + ("/" + self.session if self.session else "") + path
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(url, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as problem:
            raise RuntimeError(f"{method} {path}: {problem.read().decode()}") from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def text(self, selector):
        """What a user sees of the element; empty if there is none."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def press(self, key):
        """On the element that has the focus."""
        keys = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions",
                  {"actions": [{"type": "key", "id": "keyboard", "actions": keys}]})

    def prefer_colours(self, scheme):
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def console_errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def save_screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
