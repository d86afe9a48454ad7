"""The samples of Grimal and Bisson: their sizes, their seeds, and what is left out."""

import io
import tarfile
from collections import Counter

import pytest

from coterie import InputError
from coterie_papers.collections import load_sample
from coterie_papers.collections.samples import SAMPLES


@pytest.fixture
def newsgroups(tmp_path, monkeypatch):
    """260 messages in each group of M2, 60 in rec.sport.hockey; one in two groups."""
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    sizes = {"talk.politics.mideast": 260, "talk.politics.misc": 260, "rec.sport.hockey": 60}
    with tarfile.open(tmp_path / "20news-19997.tar.xz", "w:xz", preset=0) as tape:
        for group, size in sizes.items():
            for number in range(size):
                name = "both" if number == 259 else f"{group}.{number}"
                head = f"Subject: headline\nMessage-ID: <{name}>"
                text = "of the" if number == 258 else f"{group} body{number}"
                data = f"{head}\n\n{text}".encode()
                member = tarfile.TarInfo(f"20news-19997/20_newsgroup/{group}/{number}")
                member.size = len(data)
                tape.addfile(member, io.BytesIO(data))


@pytest.mark.usefixtures("newsgroups")
def test_a_draw_is_balanced_and_always_the_same():
    corpus = load_sample("M2", draw=3)
    assert Counter(corpus.labels) == dict.fromkeys(SAMPLES["M2"].groups, 250)
    assert corpus.ids == load_sample("M2", draw=3).ids
    assert corpus.ids != load_sample("M2", draw=4).ids
    assert len(set(corpus.ids)) == 500


@pytest.mark.usefixtures("newsgroups")
def test_subject_lines_are_left_out_and_messages_of_two_groups_on_demand():
    drawn = [load_sample("M2", draw=draw) for draw in range(3)]
    assert not any("headline" in corpus.words for corpus in drawn)
    assert any(name.endswith("/259") for corpus in drawn for name in corpus.ids)
    for draw in range(3):
        corpus = load_sample("M2", draw=draw, copies=False)
        assert not any(name.endswith("/259") for name in corpus.ids)


@pytest.mark.usefixtures("newsgroups")
def test_messages_without_a_word_stay_in_and_are_counted():
    draws = [load_sample("M2", draw=draw) for draw in range(3)]
    without = [sum(name.endswith("/258") for name in corpus.ids) for corpus in draws]
    assert sum(without) > 0
    assert [corpus.notes.empty for corpus in draws] == without


@pytest.mark.usefixtures("newsgroups")
def test_what_cannot_be_drawn_is_named():
    with pytest.raises(InputError, match="^sample 'M3': not known; there are M2, M5"):
        load_sample("M3")
    for draw in (-1, 1.5, True):
        with pytest.raises(InputError, match=f"^draw={draw}: expected a whole number"):
            load_sample("M2", draw=draw)
    with pytest.raises(InputError, match=r"expected 200 messages of rec.sport.baseball, .* 0$"):
        load_sample("NG1")


@pytest.mark.corpus
def test_the_real_samples_have_the_sizes_of_table_1(collections):
    if not (collections / "20news-19997.tar.xz").is_file():
        pytest.skip("COTERIE_DATA has no 20news-19997.tar.xz")
    sizes = {"M2": 500, "M5": 500, "M10": 500, "NG1": 400, "NG2": 1000, "NG3": 1600}
    for name, size in sizes.items():
        corpus = load_sample(name)
        assert len(corpus) == size
        assert set(corpus.labels) == set(SAMPLES[name].groups)
        assert len(set(Counter(corpus.labels).values())) == 1
