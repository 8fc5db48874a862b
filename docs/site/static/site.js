/* site.js - the pictures in a page have its theme, which the reader may have chosen. */
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
