"""Vectors of texts, by a model made here of random numbers: nothing is downloaded."""

from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import coterie

WORDS = [
    "[UNK]",
    "bread",
    "butter",
    "flour",
    "oven",
    "salt",
    "moon",
    "orbit",
    "star",
    "comet",
    "planet",
]
tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
tokenizer.pre_tokenizer = Whitespace()
SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)]).save("tiny")

texts = [
    "bread butter flour oven",
    "butter oven bread salt",
    "moon orbit star",
    "star moon comet",
]
result = coterie.cluster(texts * 5, n_clusters=2, embeddings="./tiny")
assert len(set(result.labels.tolist())) == 2
assert result.model.vector_views_
