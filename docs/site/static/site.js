/* site.js - the pictures in a page have its theme, which the reader may have chosen; results of a
 * search have an excerpt.
 */
"use strict";

addEventListener("DOMContentLoaded", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const frames = [...document.querySelectorAll("figure.picture iframe")];
  const tell = frame => {
    const chosen = document.body.dataset.theme;
    const theme = ["light", "dark"].includes(chosen) ? chosen : dark.matches ? "dark" : "light";
    frame.contentWindow.postMessage({ theme }, "*"); // it holds nothing secret
  };
  for (const frame of frames) frame.addEventListener("load", () => tell(frame));
  const all = () => frames.forEach(tell);
  new MutationObserver(all).observe(document.body, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", all);
});

/* The text around the first word of a search. */
function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const at = Math.min(...words.map(word => lower.indexOf(word)).filter(place => place >= 0));
  if (!isFinite(at)) return "";
  const from = Math.max(0, lower.lastIndexOf(" ", Math.max(0, at - 70)) + 1);
  const to = lower.indexOf(" ", Math.min(text.length, at + 150));
  return (from ? "… " : "") + text.slice(from, to < 0 ? text.length : to) + (to < 0 ? "" : " …");
}

addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results");
  const query = new URLSearchParams(location.search).get("q");
  if (!results || !query) return;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const root = new URL(".", location).href;
  const explain = item => {
    const link = item.querySelector("a[href]");
    if (!link || item.querySelector(".excerpt")) return;
    const name = link.href.slice(root.length).replace(/\.html.*$/, "");
    const excerpt = excerptOf(PAGE_TEXTS[decodeURIComponent(name)] ?? "", words); // of texts.js
    if (!excerpt) return;
    const box = document.createElement("p");
    box.className = "excerpt";
    box.textContent = excerpt;
    item.append(box);
  };
  new MutationObserver(() => results.querySelectorAll("li").forEach(explain))
    .observe(results, { childList: true, subtree: true });
});
