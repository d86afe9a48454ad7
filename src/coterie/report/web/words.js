// Words and groups: the words that set two groups apart.

import { bdi, chip, make } from "./dom.js";
import { css, groupColour, whenColoursChange } from "./colours.js";

const N_WORDS = 15;

/** p(w|group): mean of its clusters, weighted by their sizes. */
function groupShares(head, words, group) {
  const n = words.words.length;
  const shares = new Float64Array(n);
  let total = 0;
  for (const at of group.clusters) {
    const weight = head.clusters[at].size + 1e-9;
    total += weight;
    for (let w = 0; w < n; w++) shares[w] += weight * words.shares[at * n + w];
  }
  return shares.map((share) => share / total);
}

/** Words by their part in the divergence of one group from the middle of both. */
export function wordsApart(first, second) {
  const scores = Array.from(first, (p, w) => {
    const middle = (p + second[w]) / 2;
    return p > second[w] && middle > 0 ? p * Math.log(p / middle) : 0;
  });
  return scores
    .map((score, w) => ({ w, score, ratio: second[w] > 0 ? first[w] / second[w] : Infinity }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, N_WORDS);
}

const ratioText = (ratio) => (ratio >= 1000 ? "only here" : ratio < 9.95 ? `${ratio.toFixed(1)}×` : `${Math.round(ratio)}×`);

/** The view that compares two groups, chosen here or by `pair` of the state. */
export async function pairView(element, source, state) {
  const { head } = source;
  if (head.clusters.length < 2) return false;
  const words = await source.words();
  if (words.words.length === 0) return false;
  const [first, second] = ["first", "second"].map((name) => make("select", { id: `pair-${name}` }));
  const sides = make("div", { class: "pair" });
  const change = () => state.set({ pair: [Number(first.value), Number(second.value)] });
  first.addEventListener("change", change);
  second.addEventListener("change", change);
  element.append(
    make("p", { class: "about" }, "Words that are more frequent in one than in the other, and how many times. ", make("span", { class: "on-screen" }, "Choose a word to see its documents.")),
    make("div", { class: "controls" }, make("label", { for: "pair-first" }, "Compare"), first, make("label", { for: "pair-second" }, "with"), second),
    sides,
  );
  const side = (group, at, found) => {
    const most = found[0]?.score ?? 1;
    return make(
      "div",
      { hue: group.hue, class: "pair-side" },
      make("h3", {}, chip(group), " ", bdi(group.name)),
      make(
        "ol",
        { class: "words", "aria-label": `Words of ${group.name}` },
        ...found.map(({ w, score, ratio }) =>
          make(
            "li",
            {},
            make("span", { class: "spelt" }, make("button", { type: "button", class: "word", onclick: () => state.set({ selection: { kind: "word", at: w, group: at } }) }, bdi(words.shown[w]))),
            make("span", { class: "bar", "aria-hidden": "true" }, make("span", { css: { width: `${((100 * score) / most).toFixed(1)}%`, background: css(groupColour(group)) } })),
            make("span", { class: "lift" }, ratioText(ratio)),
          ),
        ),
      ),
    );
  };
  const draw = ({ groups: { groups }, pair }) => {
    const [a, b] = pair.map((at) => Math.min(at, groups.length - 1));
    for (const [select, chosen] of [[first, a], [second, b]]) {
      select.replaceChildren(...groups.map((group, at) => make("option", { value: at }, `${group.label} ${group.name}`)));
      select.value = String(chosen);
    }
    if (a === b) {
      sides.replaceChildren(make("p", {}, "Choose two different clusters."));
      return;
    }
    const shares = [a, b].map((at) => groupShares(head, words, groups[at]));
    sides.replaceChildren(side(groups[a], a, wordsApart(shares[0], shares[1])), side(groups[b], b, wordsApart(shares[1], shares[0])));
  };
  state.watch(["groups", "pair"], draw);
  whenColoursChange(element, () => draw(state.values));
  return true;
}
