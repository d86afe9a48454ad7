"""How Sphinx builds the site; `make docs` runs it, offline and with warnings as errors."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))
os.environ.setdefault("MPLBACKEND", "Agg")

import coterie

project = "Coterie"
author = "The Coterie developers"
copyright = author  # Sphinx names it so
release = coterie.__version__
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "commands",
    "mathml",
    "docstrings",
    "links",
    "methods",
]
exclude_patterns = ["_build", "_ext", "gallery/*.*", "requirements.*"]
templates_path = ["_templates"]
nitpicky = True
default_role = "name"

html_theme = "pydata_sphinx_theme"
html_title = "Coterie"
html_static_path = ["_static"]
html_css_files = ["coterie.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
        "text": "Coterie",
    },
    "header_links_before_dropdown": 8,
    "navigation_with_keys": True,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "read_your_result": []}
html_context = {"default_mode": "auto"}

myst_enable_extensions = ["colon_fence", "dollarmath", "html_image", "attrs_inline"]
myst_heading_anchors = 4

autodoc_typehints = "none"
autosummary_generate = True
autosummary_imported_members = True
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = ">>> |\\.\\.\\. "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 3600,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "image_srcset": ["2x"],
    "capture_repr": (),
}
