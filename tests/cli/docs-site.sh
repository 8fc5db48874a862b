# docs-site.sh - the documentation as a site (docs/site/build): every link of every page leads to a
# file and a heading. In a browser, from the disk: each page has a title and fits 320 pixels, search
# finds a word, texts have the contrast of WCAG AA in both themes, an embedded picture goes on with
# the arrow key and has the theme of the page around it. No page asks the network for anything.
#
# Not with tests/run -s K/N, as in `make test`: Sphinx and the browser take 90 s of a processor.
# not under sanitizers: what runs is Sphinx and a browser
set -eu

if [ "${TEST_EVERY:-1}" != 1 ]; then
    echo "a run with -s has no time for the whole site; make test-all has"
    exit 77
fi
if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "Python does not load a sanitizer's library"
    exit 77
fi
"$SOURCE/docs/site/build" --if-possible "$BUILD" || exit $?
site=$BUILD/docs

cat >links.py <<'P'
import os, re, sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.title, self.inside, self.is_head = set(), [], "", False, True
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.is_head = self.is_head and tag != "body"
        self.inside = self.is_head and tag == "title"
        self.ids.add(names.get("id"))
        self.links += [names[n] for n in ("href", "src") if n in names]

    def handle_data(self, data):
        self.title += data if self.inside else ""
        self.inside = False

os.chdir(sys.argv[1])
names = [os.path.normpath(os.path.join(folder, file)) for folder, _, files in os.walk(".")
         for file in files if file.endswith(".html")]
pages, bad, count = {name: Page(name) for name in names}, [], 0
for name, page in pages.items():
    if not page.title.strip():
        bad.append(f"{name} has no title")
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path)))
        path = path if parts.path else name
        count += 1
        if not os.path.exists(path):
            bad.append(f"{name}: no file for {link}")
        elif parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].ids:
            bad.append(f"{name}: no heading for {link}")
# The reference has each function that the public headers declare.
declared = 0
of_host = {id for n in ("lanewise", "device") for id in pages[f"reference/{n}.h.html"].ids}
for header in os.scandir(sys.argv[2]):
    if header.name.endswith(".h"):
        with open(header, encoding="utf-8") as file:
            text = file.read()
        ids = pages[f"reference/{header.name}.html"].ids | of_host
        for name in re.findall(r"^(?:LW_API|LW_CHECKED|LW__CALL)\b[^(]*?(lw_\w+)\(", text, re.M):
            declared += 1
            if f"c.{name}" not in ids:
                bad.append(f"the reference lacks {name} of {header.name}")
print(f"{declared} functions, {len(pages)} pages, {count} links")
assert len(pages) > 60 and count > 3000 and declared > 120
sys.exit("\n".join(bad) or None)
P
python3 links.py "$site" "$SOURCE/include/lanewise"

for program in chromedriver chromium; do
    command -v $program >/dev/null || { echo "$program is not installed" && exit 77; }
done
cat >look.py <<'P'
import glob, os, sys
from browser import Browser, CONTRAST

RIGHT = "\ue014"
site, bad = sys.argv[1], []
browser = Browser()

def same(what, is_, expected):
    if is_ != expected:
        bad.append(f"{what} is {is_!r}, expected {expected!r}")

def go(page):
    browser.open(f"file://{site}/{page}")

def fits(page, width):
    wide = browser.js("return document.documentElement.scrollWidth")
    if wide > width:
        bad.append(f"{page}: {wide} pixels wide in a window of {width}")

def widths():
    browser.resize(320)
    for path in sorted(glob.glob(f"{site}/**/*.html", recursive=True)):
        page = os.path.relpath(path, site)
        go(page)
        fits(page, 320)
    for width in 768, 1920:
        browser.resize(width)
        for page in "index.html", "docs/kernel-language.html", "reference/lanewise.h.html":
            go(page)
            fits(page, width)

def contrast():
    browser.resize(1440)
    for theme in "light", "dark":
        browser.prefer(theme)
        for page in ("index.html", "docs/kernel-language.html", "docs/picture.html",
                     "reference/lanewise.h.html", "reference/python.html",
                     "reference/lanewise.1.html", "search.html?q=shuffle"):
            go(page)
            ratio, where = browser.js(CONTRAST)
            if ratio < 4.5:
                bad.append(f"{page}, {theme}: contrast {ratio:.2f} of {where[:80]!r}")

def search():
    """As a reader does it: a word, Enter, the result that is wanted."""
    go("index.html")
    browser.js("document.querySelector('input[name=q]').focus()")
    browser.press(*"shuffle_up", "\ue007")
    link = ("return [...document.querySelectorAll('#search-results li a')].map(a => a.href)"
            ".find(href => href.includes(arguments[0]))")
    found = browser.until(link, "kernel.h.html")
    same("a result", bool(found), True)
    go("search.html?q=bank+conflicts")
    same("a page", bool(browser.until(link, "docs/picture.html")), True)
    excerpt = ("return [...document.querySelectorAll('#search-results li')].find(li => "
               "li.innerHTML.includes('docs/picture.html'))?.querySelector('.excerpt')?.innerText")
    same("an excerpt", "bank" in (browser.until(excerpt) or ""), True)
    go("search.html?q=nosuchwordanywhere")
    same("nothing", browser.until("return document.body.innerText.includes('did not match')"), True)

def picture():
    caption = "return document.getElementById('caption').textContent.split(':')[0]"
    theme = "return document.documentElement.dataset.theme === arguments[0]"
    browser.prefer("light")
    go("docs/picture.html")
    browser.js("document.querySelector('figure.picture').scrollIntoView()")
    browser.frame("figure.picture iframe")
    same("at first", browser.until(caption), "Step 1 of 5")
    browser.js("document.getElementById('forth').focus()")
    browser.press(RIGHT)
    same("after the right arrow", browser.until(caption), "Step 2 of 5")
    browser.frame(None)
    browser.js("document.body.dataset.theme = 'dark'")
    browser.frame("figure.picture iframe")
    same("the picture is dark", browser.until(theme, "dark"), True)
    browser.frame(None)

try:
    search()
    picture()
    contrast()
    widths()
    bad += browser.complaints()
finally:
    browser.close()
sys.exit("\n".join(bad) or None)
P
PYTHONPATH="$SOURCE/tests/cli" PYTHONDONTWRITEBYTECODE=1 python3 look.py "$site"
