"""Sphinx's settings for the site; docs/site/build runs it."""

import json
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["LANEWISE_BUILD"])

project = "Lanewise"
author = "The Lanewise authors"
release = version = re.search(r"version: '(.*?)'", (ROOT / "meson.build").read_text()).group(1)
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
default_role = "code"
suppress_warnings = ["misc.highlighting_failure"]
myst_heading_anchors = 6
highlight_language = "text"
smartquotes = False

html_theme = "furo"
html_title = f"Lanewise {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = [str(BUILD / "docs-pictures")]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which one from the disk may not
html_theme_options = {"navigation_with_keys": False}


# ---- search --------------------------------------------------------------------------------------


def add_texts(app, pagename, templatename, context, doctree):
    """The search page alone loads the texts of all pages; site.js takes excerpts from them."""
    if pagename == "search":
        app.add_js_file("texts.js")


def write_texts(app, exception):
    if exception is None:
        texts = {name: re.sub(r"\s+", " ", app.env.get_doctree(name).astext())
                 for name in sorted(app.env.found_docs)}
        path = Path(app.outdir) / "_static" / "texts.js"
        path.write_text(f"const PAGE_TEXTS = {json.dumps(texts)};\n", encoding="utf-8")


def setup(app):
    app.connect("html-page-context", add_texts)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
