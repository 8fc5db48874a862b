"""A page in headless Chromium, by the WebDriver protocol; for tests of this folder."""
import json
import subprocess
import time
import urllib.request

# Each text's contrast with what is behind it; the least, and whose it is.
CONTRAST = """
const rgb = color => (color.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
  v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const color = rgb(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] > 0.99) return color;
  }
  return [255, 255, 255];
};
let least = [99, ""];
for (const element of document.body.querySelectorAll("*")) {
  const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (!own || element.disabled || !element.checkVisibility({ visibilityProperty: true })) continue;
  const a = light(rgb(getComputedStyle(element).color)), b = light(behind(element));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < least[0]) least = [ratio, element.className + ": " + element.textContent];
}
return least;
"""


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       text=True)
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.port = int(line.rsplit("port", 1)[1].strip(" .\n"))
                break
        self.base = ""
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage"]}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base = "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.base}{path}", data,
                                         {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def js(self, text, *args):
        return self.call("POST", "/execute/sync", {"script": text, "args": list(args)})

    def until(self, text, *args):
        """What a script gives, once it is something: a page may take a moment; else None."""
        for _ in range(100):
            value = self.js(text, *args)
            if value:
                return value
            time.sleep(0.05)
        return None

    def cdp(self, command, **params):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def resize(self, width, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def prefer(self, theme):
        """What the system's theme is to be."""
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": theme}])

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def point(self, selector, number=0):
        element = self.js("return document.querySelectorAll(arguments[0])[arguments[1]]", selector,
                          number)
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "p", "actions": [
            {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element}]}]})

    def frame(self, selector):
        """Into a frame; without a selector back out of it."""
        element = selector and self.js("return document.querySelector(arguments[0])", selector)
        self.call("POST", "/frame", {"id": element})

    def complaints(self):
        """What stands on the console, and which requests went elsewhere than to a file."""
        bad = [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    bad.append(f"the page asks for {url}")
        return bad

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
