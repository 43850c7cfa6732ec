"""What mkdocs does with the navigation of mkdocs.yml: patterns become the pages there are, pages that are not there are left out.

A page without a place in the navigation ends the build: it has to be put somewhere.
"""

from pathlib import Path

from mkdocs.exceptions import PluginError


def kept(items, pages, seen):
    """The navigation of pages that are there; `seen` collects their names."""
    made = []
    for item in items:
        title, value = next(iter(item.items())) if isinstance(item, dict) else (None, item)
        if isinstance(value, list):
            inner = kept(value, pages, seen)
            made += [{title: inner}] if inner else []
            continue
        names = sorted(page.name for page in pages.glob(value))
        seen.update(names)
        made += [{title: name} if title else name for name in names]
    return made


def on_config(config):
    """Called by mkdocs before it looks for pages."""
    pages, seen = Path(config.docs_dir), set()
    config.nav = kept(config.nav, pages, seen)
    if left := sorted({page.name for page in pages.glob("*.md")} - seen):
        raise PluginError(f"mkdocs.yml: no place in the navigation for {', '.join(left)}")
    return config
