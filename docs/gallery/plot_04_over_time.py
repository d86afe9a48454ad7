"""
Clusters over time
==================

Any column of dates will do: of a data frame, of a table, of mail. Each panel is one cluster and
its share of the documents of each period.
"""

import random

import pandas as pd

import coterie

draw = random.Random(0)
THEMES = {
    "Heating": "heating radiator cold boiler pipe warm thermostat".split(),
    "Lift": "lift stuck doors floor button noise cabin".split(),
    "Garden": "garden grass hedge tree leaves bench watering".split(),
}
IN_SEASON = {"Heating": (11, 12, 1, 2, 3), "Lift": range(1, 13), "Garden": (4, 5, 6, 7, 8, 9)}
rows = []
for theme, words in THEMES.items():
    for _ in range(60):
        day = pd.Timestamp(2024, draw.choice(list(IN_SEASON[theme])), draw.randint(1, 28))
        rows.append({"text": " ".join(draw.choices(words, k=6)), "date": day})
frame = pd.DataFrame(rows)

result = coterie.cluster(frame, 3, "mm", text="text", progress=False)
result.plot.over("date", by="month")
