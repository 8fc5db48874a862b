# picture-page.sh - the page of `lanewise picture` in a browser: slider, buttons, keys and pointer
# show what they should, in both themes, from 320 to 1920 pixels wide; text has the contrast of WCAG
# AA, and the page asks no network for anything and leaves no error on the console.
# not under sanitizers: what runs is a browser; picture.sh makes the pages
set -eu
command -v python3 >/dev/null || { echo "python3 is not installed" && exit 77; }
command -v chromedriver >/dev/null || { echo "chromedriver is not installed" && exit 77; }
command -v chromium >/dev/null || { echo "chromium is not installed" && exit 77; }

cat >dot.c <<'C'
#include <lanewise/kernel.h>
KERNEL BLOCK(64) void dot(float *out, const float *a, const float *b)
{
    SHARED float part[64];
    int t = thread_idx.x;
    part[t] = a[t] * b[t];
    barrier();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        barrier();
        trace("part", part[t]);
    }
    if (t == 0)
        *out = part[0];
}
C
cat >shuffle.c <<'C'
#include <lanewise/kernel.h>
KERNEL void shuffle_sum(float *x)
{
    SHARED float last;
    float v = shuffle_up(x[thread_idx.x], 1);
    last = v;
    x[thread_idx.x] = block_sum(v) + last;
}
C
"$LANEWISE" picture dot.c 'f32[1]' 'f32[64]=iota' 'f32[64]=iota' -o dot.html
"$LANEWISE" picture shuffle.c -b 40 'f32[40]=iota' -o shuffle.html --check 2>/dev/null || [ $? = 1 ]

cat >look.py <<'P'
import os, sys
from browser import Browser, CONTRAST

LEFT, RIGHT, UP, DOWN, HOME, END = "\ue012", "\ue014", "\ue013", "\ue015", "\ue011", "\ue010"
bad = []

def same(what, is_, expected):
    if is_ != expected:
        bad.append(f"{what} is {is_}, expected {expected}")

def step(browser):
    return browser.js("return document.getElementById('caption').textContent").split(":")[0]

def cells(browser, count):
    return browser.js("return [...document.querySelectorAll('#block .cell')]"
                      ".slice(0, arguments[0]).map(c => c.firstChild.data)", count)

def walk(browser):
    """The dot product folds, by each way to go through the steps."""
    same("at first", step(browser), "Step 1 of 8")
    same("products", cells(browser, 4), ["0", "1", "4", "9"])
    browser.press(RIGHT)
    same("after the right arrow", step(browser), "Step 2 of 8")
    same("sums", cells(browser, 3), ["1024", "1090", "1160"])
    same("arrows", browser.js("return document.querySelectorAll('#block path.arrow').length"), 32)
    browser.press(RIGHT, RIGHT, LEFT)
    same("there and back", step(browser), "Step 3 of 8")
    browser.press(END)
    same("after End", step(browser), "Step 8 of 8")
    same("the sum", cells(browser, 1), ["85344"])
    same("forth", browser.js("return document.getElementById('forth').disabled"), True)
    browser.press(HOME)
    same("after Home", step(browser), "Step 1 of 8")
    browser.js("document.getElementById('forth').click()")
    same("after a click", step(browser), "Step 2 of 8")
    browser.js("const s = document.getElementById('slider'); s.value = 4;"
               "s.dispatchEvent(new Event('input'))")
    same("by the slider", step(browser), "Step 4 of 8")
    browser.js("document.getElementById('slider').focus()")
    browser.press(RIGHT)
    same("by a key on the slider", step(browser), "Step 5 of 8")

def point(browser):
    """A line lights its lanes, a lane its lines, cells and arrows; with the keyboard, too."""
    browser.press(HOME, RIGHT)
    browser.js("document.activeElement.blur()")
    browser.press(HOME, RIGHT)
    lit = "return [...document.querySelectorAll(arguments[0])].map(e => e.firstChild.textContent)"
    browser.point(".source li", 9)
    same("lanes of a line", len(browser.js(lit, ".lane.lit")), 32)
    browser.point(".lane", 3)
    same("lane", len(browser.js(lit, ".lane.lit")), 1)
    same("lines of a lane", browser.js(lit, ".source li.lit"), ["8", "9", "10", "11"])
    same("cells of a lane", len(browser.js(lit, "#block .cell.lit")), 2)
    browser.js("document.querySelector('.lane').focus()")
    browser.press(DOWN)
    same("the lane below", browser.js("return document.activeElement.title.split(':')[0]"),
         "thread 32")
    same("a step", step(browser), "Step 2 of 8")
    browser.press(RIGHT)
    same("the next", step(browser), "Step 3 of 8")

def themes(browser, name):
    for theme in "light", "dark":
        browser.prefer(theme)
        browser.open("about:blank")
        browser.open(f"file://{os.getcwd()}/{name}.html#2")
        same("theme", browser.js("return document.documentElement.dataset.theme"), theme)
        other = "dark" if theme == "light" else "light"
        browser.prefer(other)
        same(f"the theme follows the system to {other}", browser.until(
            "return document.documentElement.dataset.theme === arguments[0]", other), True)
        browser.prefer(theme)
        browser.until("return document.documentElement.dataset.theme === arguments[0]", theme)
        ratio, where = browser.js(CONTRAST)
        if ratio < 4.5:
            bad.append(f"{name}, {theme}: contrast {ratio:.2f} of {where!r}")
    browser.js("document.getElementById('theme').click()")
    same("after a click", browser.js("return document.documentElement.dataset.theme"), "light")

def widths(browser, name):
    for width in 320, 768, 1280, 1920:
        browser.resize(width)
        browser.open("about:blank")
        browser.open(f"file://{os.getcwd()}/{name}.html#2")
        wide = browser.js("return document.documentElement.scrollWidth")
        if wide > width:
            bad.append(f"{name}: {wide} pixels wide in a window of {width}")
    browser.cdp("Emulation.clearDeviceMetricsOverride")

browser = Browser()
try:
    browser.open(f"file://{os.getcwd()}/dot.html")
    walk(browser)
    point(browser)
    for name in "dot", "shuffle":
        themes(browser, name)
        widths(browser, name)
    browser.open(f"file://{os.getcwd()}/shuffle.html")
    same("findings", browser.js("return document.querySelectorAll('.findings li').length > 0"),
         True)
    same("shuffle arrows",
         browser.js("return document.querySelectorAll('#threads path.arrow').length"), 38)
    bad += browser.complaints()
finally:
    browser.close()
sys.exit("\n".join(bad) or None)
P
PYTHONPATH="$SOURCE/tests/cli" PYTHONDONTWRITEBYTECODE=1 python3 look.py
