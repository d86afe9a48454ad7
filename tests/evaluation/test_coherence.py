"""Coherence and diversity of words: by plain loops, by gensim, and by figures it gave."""

from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

from coterie.corpus import Corpus, TextOptions, sequences_of
from coterie.errors import InputError
from coterie.evaluation import c_v_coherence, npmi_coherence, word_diversity

TEXTS = [
    "The kettle sings and the tea is hot; a second cup of tea follows the first.",
    "Green tea wants cooler water than black tea, and a kettle that is watched.",
    "Rain fell on the harbour all night and the ship stayed at the quay.",
    "A ship without wind waits in the harbour, a ship with wind leaves it at once.",
    "She drank her tea on the quay while rain hid the ship from the harbour.",
    "Wind and rain.",
    "",
    "Water for the ship, water for the kettle, and at last water in the boots of all hands.",
]
TOPICS = [["tea", "kettle", "cup", "water"], ["ship", "harbour", "wind", "quay", "rain"]]
MIXED = [["tea", "harbour", "boots"], ["rain", "black"]]

# by gensim 4.4.0, CoherenceModel(...).get_coherence_per_topic()
BY_GENSIM = {
    ("c_npmi", None): [-0.032729058, 0.112160918, -0.886490723, -0.864707690],
    ("c_npmi", 4): [-0.311678425, -0.339126895, -0.841783491, -0.800602483],
    ("c_v", None): [0.663812225, 0.681225133, 0.240978081, 0.058523409],
    ("c_v", 4): [0.235512593, 0.270728297, 0.254055953, 0.110066505],
}
OURS = {"c_npmi": npmi_coherence, "c_v": c_v_coherence}
CASES = pytest.mark.parametrize(("measure", "window"), list(BY_GENSIM))


def tokens():
    return [text.lower().replace(";", "").replace(",", "").replace(".", "").split()
            for text in TEXTS]  # fmt: skip


def ours(measure, window, topics, texts, **settings):
    settings |= {} if window is None else {"window": window}
    return OURS[measure](topics, texts, **settings)


def probabilities(texts, window, repeats):
    """Share of windows with a word or a pair, by loops over windows."""
    windows = []
    for text in texts:
        inside = set()
        for start in range(max(len(text) - window + 1, 1)):
            seen = text[start : start + window]
            if repeats or start == 0:
                inside = set(seen)
            else:
                inside = (inside - {text[start - 1]}) | {seen[-1]}
            windows.append(inside)
    return lambda *words: sum(all(w in each for w in words) for each in windows) / len(windows)


def by_loops(measure, window, topics, texts, repeats):
    p = probabilities(texts, window or {"c_npmi": 10, "c_v": 110}[measure], repeats)

    def npmi(v, w):
        return log((p(v, w) + 1e-12) / (p(v) * p(w))) / -log(p(v, w) + 1e-12)

    scores = []
    for topic in topics:
        if measure == "c_npmi":
            scores.append(np.mean([npmi(v, w) for v in topic for w in topic if v != w]))
            continue
        vectors = [[npmi(v, w) for w in topic] for v in topic]
        whole = [sum(each) for each in zip(*vectors, strict=True)]
        cosines = [
            np.dot(v, whole) / np.sqrt(np.dot(v, v) * np.dot(whole, whole)) for v in vectors
        ]
        scores.append(np.mean(cosines))
    return scores


@CASES
@pytest.mark.parametrize("repeats", [False, True])
def test_coherence_by_loops(measure, window, repeats):
    topics = TOPICS + MIXED
    expected = by_loops(measure, window, topics, tokens(), repeats)
    computed = ours(measure, window, topics, tokens(), repeats=repeats)
    assert_allclose(computed, expected, rtol=1e-12)


@CASES
def test_coherence_as_gensim_gave_it(measure, window):
    computed = ours(measure, window, TOPICS + MIXED, tokens())
    assert_allclose(computed, BY_GENSIM[measure, window], atol=1e-6, rtol=0)


@CASES
def test_coherence_equals_gensim_on_random_texts(measure, window):
    pytest.importorskip("gensim")
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(60)])
    shares = rng.dirichlet(np.full(60, 0.1), size=5)
    lengths = rng.choice([0, 1, 9, 10, 11, 40, 109, 110, 111, 300], size=80)
    texts = [words[rng.choice(60, n, p=shares[rng.integers(5)])].tolist() for n in lengths]
    frequent = {word for text in texts for word in text}
    topics = [[words[each] for each in np.argsort(-row)[:8]] for row in shares]
    topics = [[word for word in topic if word in frequent] for topic in topics]
    theirs = CoherenceModel(
        topics=topics, texts=texts, dictionary=Dictionary(texts), coherence=measure,
        window_size=window, processes=1,
    ).get_coherence_per_topic()  # fmt: skip
    assert_allclose(ours(measure, window, topics, texts), theirs, atol=1e-6, rtol=0)


def test_a_word_that_stands_twice_stays_only_where_repeats_count():
    texts = [["tea", "tea", "cup", "rum"]]
    together = npmi_coherence([["tea", "cup"]], texts, window=3, repeats=True)
    gone = npmi_coherence([["tea", "cup"]], texts, window=3)
    assert_allclose(together, [-1])  # in both windows of two
    assert gone[0] == pytest.approx(0, abs=1e-9)  # in one of two, as if by chance


def test_a_corpus_gives_its_counted_words_in_order():
    options = TextOptions(language="en", stop_words=("the", "a", "and", "of"), min_length=1)
    corpus = Corpus.from_texts(TEXTS, options=options)
    counted = [[w for w in text if w not in options.stop_words] for text in tokens()]
    for measure in OURS.values():
        expected = measure(TOPICS, counted)
        assert_allclose(measure(TOPICS, corpus), expected, rtol=1e-12)
        assert_allclose(measure(TOPICS, sequences_of(corpus)), expected, rtol=1e-12)


def test_rare_words_keep_their_place_in_a_window():
    options = TextOptions(language="en", stop_words="none", min_df=2)
    corpus = Corpus.from_texts(["tea one two cup", "tea", "cup", "tea", "cup"], options=options)
    apart = npmi_coherence([["tea", "cup"]], corpus, window=3)
    assert apart[0] < -0.9


def test_without_an_order_of_words_each_document_is_a_window():
    whole = npmi_coherence(TOPICS, tokens(), window=1000)
    words = sorted({word for text in tokens() for word in text})
    counts = [[text.count(word) for word in words] for text in tokens()]
    corpus = Corpus.from_counts(counts, words)
    assert_allclose(npmi_coherence(TOPICS, corpus), whole, rtol=1e-12)
    pairs = Corpus.from_texts(TEXTS, options=TextOptions(language="en", ngrams=2))
    assert sequences_of(pairs) is None
    assert np.isfinite(c_v_coherence([["green tea", "black tea"]], pairs)).all()


def test_diversity_is_the_share_of_distinct_words():
    assert word_diversity([["tea", "cup"], ["tea", "rum"], ["rum", "tea"]]) == 3 / 6
    with pytest.raises(InputError, match="topics: expected words, got none"):
        word_diversity([[]])


@pytest.mark.parametrize(
    ("topics", "settings", "complaint"),
    [
        ([], {}, "topics: expected lists of words, got none"),
        ([["tea"]], {}, "topic 0 is .* expected at least two different words"),
        ([["tea", "cup"], ["tea", "tea"]], {}, "topic 1 is .* at least two different words"),
        ([["tea", "gin"]], {}, "the word 'gin' is in none of the texts"),
        ([["tea", "cup"]], {"window": 0}, "window: expected at least one token, got 0"),
    ],
)
def test_topics_that_cannot_be_judged(topics, settings, complaint):
    with pytest.raises(InputError, match=complaint):
        npmi_coherence(topics, tokens(), **settings)
