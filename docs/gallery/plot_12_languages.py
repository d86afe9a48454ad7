"""
The same documents in two languages
===================================

Each language is a view of the documents. The words of a cluster are there in both, and a
document that lacks one language is clustered by the other.
"""

import matplotlib.pyplot as plt

import coterie

views = {
    "en": ["rocket to the moon", "moon and rocket", "the rocket flies", "bread and butter",
           "butter on bread", "fresh bread", "moon, far away"],
    "de": ["Rakete zum Mond", "Mond und Rakete", "die Rakete fliegt", "Brot und Butter",
           "Butter auf Brot", "", "Mond, weit weg"],
}  # fmt: skip
result = coterie.cluster(views, 2, "voted-plsa", n_init=5, progress=False)
print(result.clusters[["number", "name", "size"]].to_string(index=False))

fig, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
for ax, (language, words) in zip(axes, result.model.view_components_.items(), strict=True):
    vocabulary = result.corpus.views[language].vocabulary.words
    best = words[0].argsort()[::-1][:3][::-1]
    ax.barh(vocabulary[best], words[0][best])
    ax.set(title=f"cluster 1, {language}", xlabel="probability")
