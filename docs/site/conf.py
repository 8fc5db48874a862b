"""Sphinx's settings for the site; docs/site/build runs it."""

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
html_show_search_summary = False  # a page from the disk may not fetch others
html_theme_options = {"navigation_with_keys": False}
