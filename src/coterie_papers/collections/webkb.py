"""WebKB as Pessiot et al. use it: pages of the four largest classes, tags removed."""

from coterie.corpus import Corpus, TextOptions
from coterie.corpus.markup import visible_text
from coterie_papers.collections.files import WEBKB, locate, members
from coterie_papers.collections.recipes import PESSIOT

FOUR_CLASSES = ("course", "faculty", "project", "student")


def load_webkb(
    classes: tuple[str, ...] = FOUR_CLASSES, options: TextOptions = PESSIOT
) -> Corpus:
    """Load the pages of some classes; each page's HTTP header is left out."""
    texts, ids, labels, titles = [], [], [], []
    for path, content in members(locate(WEBKB)):
        *_, label, university, page = ("", "", *path.split("/"))
        if label in classes:
            _, _, source = content.decode("latin-1").replace("\r\n", "\n").partition("\n\n")
            text, title = visible_text(source)
            texts.append(text)
            ids.append(f"{label}/{university}/{page}")
            labels.append(label)
            titles.append(title or f"{university}/{page}")
    return Corpus.from_texts(texts, ids=ids, labels=labels, titles=titles, options=options)
