"""A small collection and its clustering."""

import pandas

import coterie

SPACE = ["moon orbit star rocket", "orbit star rocket moon", "rocket moon launch orbit"]
SPORT = ["goal team ball cup", "team ball cup goal", "ball cup match team"]
FOOD = ["flour bread oven yeast", "bread oven yeast flour", "oven yeast dough bread"]
TEXTS = [text for three in zip(SPACE, SPORT, FOOD, strict=True) for text in three] * 4
KINDS = ["space", "sport", "food"] * 12
ENGLISH = coterie.TextOptions(language="en", min_df=1)


def make_frame():
    return pandas.DataFrame(
        {
            "key": [f"d{i:02}" for i in range(36)],
            "body": TEXTS,
            "kind": KINDS,
            "stars": [i % 5 for i in range(36)],
            "day": pandas.to_datetime([f"2024-{1 + i // 12:02}-05" for i in range(36)]),
        }
    )


def clustered(source=None, k=3, **how):
    frame = make_frame() if source is None else source
    columns = {"text": "body", "id": "key"} if source is None else {}
    return coterie.cluster(frame, k, "mm", options=ENGLISH, progress=False, **columns, **how)
