"""The main text of web pages beside all of it: WebKB as it is, and in the frames of sites.

    python benchmarks/web_pages.py [--every 1] [--seeds 3]

Reads the pages of four classes of WebKB from the folder in COTERIE_DATA (`--every 3`: every
third), and clusters them in four clusters from all visible text, from the main text as
`coterie cluster` reads it, and from what Resiliparse and trafilatura extract, where they are
installed (a page of which they extract nothing is read whole). Average precision and NMI of the
default against the classes are printed, and the share of the text that is left.

These pages of 1997 have few menus. So they are also put into frames, as sites have them today:
a page gets the header, menu and footer of one of five sites, in one of five ways of marking
them up. The table then says too how many of the ten first words of the clusters are words of
menus. Labels are compared alone, so fits are not calibrated.
"""

import argparse
import os
import warnings
import zlib

os.environ.setdefault("COTERIE_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from coterie import AutoClustering, Corpus, TextOptions
from coterie.corpus.markup import main_text, visible_text
from coterie.evaluation import micro_precision, nmi
from coterie_papers.collections.files import WEBKB, locate, members
from coterie_papers.collections.webkb import FOUR_CLASSES

N_WORDS = 10
MENUS = [
    "Admissions|Apply now|Visit campus|Tuition fees|Housing|Scholarships|Athletics|Alumni",
    "Donate|Volunteer|Newsletter|Careers|Press room|Privacy policy|Cookies|Accessibility",
    "Add to basket|Checkout|Wish list|Gift cards|Returns|Shipping rates|Track order|Stores",
    "Weather|Traffic|Horoscope|Crosswords|Obituaries|Classifieds|Subscribe today|Letters",
    "Forum rules|Log in|Register|Moderators|Unread posts|Member list|Calendar|Mark all read",
]
FRAMES = [
    "<body><header><nav>{menu}</nav></header><main>{page}</main><footer>{foot}</footer>",
    "<body><div><ul>{items}</ul></div><div class=content>{page}</div><div>{menu}</div>",
    "<body><table><tr><td>{menu}</td></tr></table>{page}<div role=contentinfo>{foot}</div>",
    "<body><div><div>{menu}</div></div>{page}<ul>{items}</ul>",
    "<body><aside>{menu}</aside><div role=main>{page}</div><footer>{menu}{foot}</footer>",
]


def pages(every):
    """Sources and classes of pages, without the header that each was sent with."""
    found = []
    for path, content in members(locate(WEBKB)):
        label = path.split("/")[-3]
        if label in FOUR_CLASSES:
            _, _, source = content.decode("latin-1").replace("\r\n", "\n").partition("\n\n")
            found.append((source, label))
    return found[::every]


def framed(page, number):
    """A page with the menus of a site around what is its own."""
    site = zlib.crc32(str(number).encode()) % len(MENUS)
    links = [f"<a href=/{at}>{name}</a>" for at, name in enumerate(MENUS[site].split("|"))]
    parts = {
        "menu": "\n".join(links),
        "items": "".join(f"<li>{link}" for link in links),
        "foot": f"Copyright. {links[-1]} {links[-2]}",
        "page": page,
    }
    return FRAMES[site].format(**parts)


def by_resiliparse():
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page, main_content=True)


def by_trafilatura():
    import trafilatura

    return lambda page: trafilatura.extract(page) or ""


def extractors():
    yield "all visible text", lambda page: visible_text(page)[0]
    yield "main text", lambda page: main_text(page)[0]
    for name, make in (("Resiliparse", by_resiliparse), ("trafilatura", by_trafilatura)):
        try:
            yield name, make()
        except ImportError:
            print(f"({name} is not installed)")


def menu_words(corpus, model):
    """How many of the first words of clusters are words of menus, and of how many."""
    menus = {
        word.lower() for menu in MENUS for item in menu.split("|") for word in item.split()
    }
    overall = np.asarray(corpus.counts.sum(axis=0)).ravel() / corpus.counts.sum()
    words = np.maximum(model.components_, 1e-12)
    lift = words * np.log(words / np.maximum(overall, 1e-12))
    first = [corpus.words[at] for row in lift for at in np.argsort(-row)[:N_WORDS]]
    return f"{sum(word in menus for word in first)} of {len(first)}"


def row(name, extract, sources, labels, seeds):
    whole = [visible_text(source)[0] for source in sources]
    texts = [extract(source) for source in sources]
    nothing = sum(not text.strip() for text in texts)
    texts = [
        text if text.strip() else all_of_it
        for text, all_of_it in zip(texts, whole, strict=True)
    ]
    share = sum(map(len, texts)) / sum(map(len, whole))
    corpus = Corpus.from_texts(texts, options=TextOptions(language="en"))
    scores = []
    for seed in range(seeds):
        model = AutoClustering(len(FOUR_CLASSES), random_state=seed, calibrated=False)
        found = model.fit(corpus.counts).labels_
        scores.append((micro_precision(labels, found), nmi(labels, found)))
    (ap, info), (ap_by, info_by) = np.mean(scores, axis=0), np.std(scores, axis=0)
    menus = menu_words(corpus, model)
    print(f"| {name} | {share:.0%} | {nothing} | {ap:.3f} ± {ap_by:.3f} "
          f"| {info:.3f} ± {info_by:.3f} | {menus} |", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    sources, labels = zip(*pages(chosen.every), strict=True)
    in_frames = [framed(source, number) for number, source in enumerate(sources)]
    for what, group in (("as they are", sources), ("in frames of sites", in_frames)):
        print(f"\n{len(group):,} pages {what}\n")
        print("| text | left | pages without text | AP | NMI | words of menus |")
        print("|---|---|---|---|---|---|")
        for name, extract in extractors():
            row(name, extract, group, labels, chosen.seeds)


if __name__ == "__main__":
    main()
