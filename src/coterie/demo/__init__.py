"""The built-in corpus: docstrings of packages on this machine, in known classes."""

from coterie.demo.corpus import DemoDocument, demo_documents, load_demo

__all__ = ["DemoDocument", "demo_documents", "load_demo"]
