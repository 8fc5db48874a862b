# picture-layout.sh - pictures of six kernels in a browser, each step of them, at 320, 1280 and 1920
# pixels: no text covers another one, none is cut or lies on the frame of its cell, nothing but the
# parts that scroll is wider than the window, and texts have the contrast of WCAG AA in both themes.
# These facts hold with any font and version of the browser; images of pages would not.
# not under sanitizers: what runs is a browser; picture.sh makes the pages
set -eu
for program in python3 chromedriver chromium; do
    command -v $program >/dev/null || { echo "$program is not installed" && exit 77; }
done

cat >fold.c <<'C'
#include <lanewise/kernel.h>
KERNEL BLOCK(8) void fold(float *out, const float *a, const float *b)
{
    SHARED float part[8];
    int t = thread_idx.x;
    part[t] = a[t] * b[t];
    barrier();
    for (int half = 4; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        barrier();
    }
    if (t == 0)
        *out = part[0];
}
C
cat >average.c <<'C'
#include <lanewise/kernel.h>
KERNEL void average(float *out, const float *x)
{
    float v = x[thread_idx.x];
    float left = shuffle_up(v, 1), right = shuffle_down(v, 1);
    trace("mean", (left + v + right) / 3);
    out[thread_idx.x] = (left + v + right) / 3;
}
C
cat >normalise.c <<'C'
#include <lanewise/kernel.h>
KERNEL void normalise(float *x, int n)
{
    float v = thread_idx.x < n ? x[thread_idx.x] : 0;
    float mean = block_sum(v) / n, away = thread_idx.x < n ? v - mean : 0;
    float variance = block_sum(away * away) / n;
    trace("away", away);
    if (thread_idx.x < n)
        x[thread_idx.x] = away * rsqrt(variance + 1e-5f);
}
C
cat >transpose.c <<'C'
#include <lanewise/kernel.h>
KERNEL void transpose(float *out, const float *in, int n)
{
    SHARED float tile[32][32];
    int x = block_idx.x * 32 + thread_idx.x, y = block_idx.y * 32;
    for (int j = thread_idx.y; j < 32; j += block_dim.y)
        tile[j][thread_idx.x] = in[(y + j) * n + x];
    barrier();
    x = block_idx.y * 32 + thread_idx.x;
    y = block_idx.x * 32;
    for (int j = thread_idx.y; j < 32; j += block_dim.y)
        out[(y + j) * n + x] = tile[thread_idx.x][j];
}
C
sed '/^    barrier();$/d' fold.c | sed 's/fold/race/; s/BLOCK(8)/BLOCK(64)/; s/part\[8\]/part[64]/
    s/half = 4/half = 32/' >race.c
cat >bank.c <<'C'
#include <lanewise/kernel.h>
KERNEL BLOCK(32) void bank(int *out)
{
    SHARED int a[256];
    int t = thread_idx.x;
    a[t * 8] = t;
    barrier();
    out[t] = a[(31 - t) * 8];
}
C
"$LANEWISE" picture fold.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o fold.html
"$LANEWISE" picture average.c -b 64 'f32[64]' 'f32[64]=iota' -o average.html
"$LANEWISE" picture normalise.c -b 64 'f32[50]=iota' 50 -o normalise.html
"$LANEWISE" picture transpose.c -g 2x2 -b 32x8 'f32[4096]' 'f32[4096]=iota' 64 --block 1 \
    -o transpose.html
status=0
"$LANEWISE" picture race.c 'f32[1]' 'f32[64]=iota' 'f32[64]=iota' --check -o race.html \
    2>/dev/null || status=$?
[ $status = 1 ]
"$LANEWISE" picture bank.c 'i32[32]' -o bank.html

cat >look.py <<'P'
import os, sys
from browser import Browser, CONTRAST

# What is wrong with the texts of a page, in sentences.
TEXTS = """
const bad = [], texts = [];
const cut = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
                         right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
const has = r => r.right - r.left > 1 && r.bottom - r.top > 1;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const cell = element.closest(".cell, .lane");
  for (const whole of range.getClientRects()) {
    let seen = cut(whole, whole);
    for (let at = element; at; at = at.parentElement)
      if (at !== cell && getComputedStyle(at).overflowX !== "visible" && at !== document.body
          && at !== document.documentElement) seen = cut(seen, at.getBoundingClientRect());
    if (!has(seen)) continue;
    if (cell) {
      const box = cell.getBoundingClientRect(), frame = cell.matches(".write") ? 2.5 : 1;
      if (whole.left < box.left + frame - 0.6 || whole.right > box.right - frame + 0.6 ||
          whole.top < box.top + frame - 0.6 || whole.bottom > box.bottom - frame + 0.6)
        bad.push(`'${cell.textContent}' does not fit its cell`);
    } else if (seen.left < -0.5 || seen.right > innerWidth + 0.5)
      bad.push(`'${node.data}' reaches beyond the window`);
    if (!element.closest(".controls")) texts.push({ ...seen, node }); // above what moves below them
  }
}
texts.sort((a, b) => a.top - b.top);
texts.forEach((a, i) => {
  for (let k = i + 1; k < texts.length && texts[k].top < a.bottom - 2; k++) {
    const b = texts[k], both = cut(a, b);
    if (a.node !== b.node && both.right - both.left > 1 && both.bottom - both.top > 2)
      bad.push(`'${a.node.data}' and '${b.node.data}' lie on each other`);
  }
});
return [texts.length, [...new Set(bad)]];
"""
FIRST_LINE = """
const first = document.querySelector(".source .ran");
if (!first) return true;
const line = first.getBoundingClientRect();
const box = document.querySelector(".left").getBoundingClientRect();
return line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
"""
STEPS = {"fold": 5, "average": 3, "normalise": 3, "transpose": 5, "race": 8, "bank": 2}
RIGHT = "\ue014"
bad, browser = [], Browser()

def say(name, number, what, text):
    bad.append(f"{name}, step {number}, {what}: {text}")

try:
    for name, steps in STEPS.items():
        for width in 320, 1280, 1920:
            browser.resize(width, 600)
            browser.open(f"file://{os.getcwd()}/{name}.html")
            for number in range(1, steps + 1):
                caption = browser.js("return document.getElementById('caption').textContent")
                if not caption.startswith(f"Step {number} of {steps}:"):
                    say(name, number, width, caption)
                count, wrong = browser.js(TEXTS)
                if count < 30:
                    say(name, number, width, f"{count} texts")
                for text in wrong[:5]:
                    say(name, number, width, text)
                if not browser.js(FIRST_LINE):
                    say(name, number, width, "the first line that ran is out of sight")
                wide = browser.js("return document.documentElement.scrollWidth")
                if wide > width:
                    say(name, number, width, f"{wide} pixels wide")
                for _ in range(2 if width == 1280 else 0): # both themes
                    ratio, text = browser.js(CONTRAST)
                    if ratio < 4.5:
                        say(name, number, "contrast", f"{ratio:.2f} of {text!r}")
                    browser.js("document.getElementById('theme').click()")
                browser.js("document.activeElement.blur()")
                browser.press(RIGHT)
    bad += browser.complaints()
finally:
    browser.close()
sys.exit("\n".join(bad) or None)
P
PYTHONPATH="$SOURCE/tests/cli" PYTHONDONTWRITEBYTECODE=1 python3 look.py
