"""The six samples of 20 Newsgroups of Grimal and Bisson (2011), Table 1."""

import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coterie.corpus import Corpus, TextOptions
from coterie.errors import InputError
from coterie_papers.collections.files import NEWSGROUPS, locate
from coterie_papers.collections.newsgroups import Message, newsgroup_messages
from coterie_papers.collections.recipes import sample_by_class

GRIMAL = TextOptions(language="en", stop_words="long", min_df=1, digits="one")
"""All words but stop words; some of them are selected later, see `coterie.selection`."""


class Sample(NamedTuple):
    """Groups, and how many messages are drawn from each."""

    groups: tuple[str, ...]
    per_group: int


SAMPLES = {
    "M2": Sample(("talk.politics.mideast", "talk.politics.misc"), 250),
    "M5": Sample(
        (
            "comp.graphics",
            "rec.motorcycles",
            "rec.sport.baseball",
            "sci.space",
            "talk.politics.mideast",
        ),
        100,
    ),
    "M10": Sample(
        (
            "alt.atheism",
            "comp.sys.mac.hardware",
            "misc.forsale",
            "rec.autos",
            "rec.sport.hockey",
            "sci.crypt",
            "sci.electronics",
            "sci.med",
            "sci.space",
            "talk.politics.guns",
        ),
        50,
    ),
    "NG1": Sample(("rec.sport.baseball", "rec.sport.hockey"), 200),
    "NG2": Sample(
        (
            "comp.os.ms-windows.misc",
            "comp.windows.x",
            "rec.motorcycles",
            "sci.crypt",
            "sci.space",
        ),
        200,
    ),
    "NG3": Sample(
        (
            "comp.os.ms-windows.misc",
            "comp.windows.x",
            "misc.forsale",
            "rec.motorcycles",
            "sci.crypt",
            "sci.space",
            "talk.politics.mideast",
            "talk.religion.misc",
        ),
        200,
    ),
}


def load_sample(
    name: str, draw: int = 0, options: TextOptions = GRIMAL, *, copies: bool = True
) -> Corpus:
    """Draw a sample of 20 Newsgroups, labelled by group; the same draw is always the same.

    Messages have neither headers nor subject lines. As many are drawn from each group, all
    with the same chance: 500 together in M2, M5 and M10; 400, 1,000 and 1,600 in NG1, NG2 and
    NG3. The paper says nothing of messages that stand in several groups, nor of repeats: they
    may be drawn, unless `copies=False`. Messages without any word stay in and are counted in
    the notes.
    """
    if name not in SAMPLES:
        raise InputError(f"sample {name!r}: not known; there are {', '.join(SAMPLES)}")
    if isinstance(draw, bool) or not isinstance(draw, int) or draw < 0:
        raise InputError(f"draw={draw!r}: expected a whole number of at least 0")
    groups, per_group = SAMPLES[name]
    messages = [m for m in _messages(locate(NEWSGROUPS), copies) if m.group in groups]
    for group in groups:
        n_messages = sum(message.group == group for message in messages)
        if n_messages < per_group:
            raise InputError(
                f"sample {name!r}: expected {per_group} messages of {group}, the collection "
                f"has {n_messages}"
            )
    seed = zlib.crc32(f"{name} {draw}".encode())
    drawn = sample_by_class(messages, [m.group for m in messages], per_group, seed)
    return Corpus.from_texts(
        [message.body for message in drawn],
        ids=[message.name for message in drawn],
        titles=[message.subject for message in drawn],
        labels=[message.group for message in drawn],
        options=options,
    )


@cache
def _messages(archive: Path, copies: bool) -> tuple[Message, ...]:  # noqa: ARG001
    """All messages by name, read once from each archive."""
    return tuple(sorted(newsgroup_messages(copies=copies)))
