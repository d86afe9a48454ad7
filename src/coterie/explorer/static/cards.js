// The cards of the clusters, and what can be done to them by mouse and by keyboard.

import { bdi, chip, counted, make, percent, thousands } from "./dom.js";
import { ask, field, option } from "./parts.js";

const KEYS = { r: "rename", m: "merge", s: "split", Delete: "drop", c: "choose", g: "gather", x: "choose" };

/** Cards; `act` has what can be done: rename, merge, split, drop, gather. */
export async function cardsView(element, source, state, act) {
  const { clusters } = source.head;
  const { words } = await source.words();
  const place = new Map(words.map((word, at) => [word, at]));
  const chosen = new Set();
  const bar = make("div", { class: "chosen", role: "region", "aria-label": "Chosen clusters" });
  bar.hidden = true;
  const numbers = () => clusters.map((each) => each.number).filter((number) => chosen.has(number));

  const tell = () => {
    bar.hidden = chosen.size === 0;
    const [some, several] = [chosen.size > 0, chosen.size > 1];
    bar.replaceChildren(
      make("span", { role: "status" }, `${counted(chosen.size, "cluster")} chosen`),
      some && make("button", { type: "button", class: "main", onclick: () => act.gather(numbers()) }, "Gather and cluster"),
      several && make("button", { type: "button", onclick: () => act.merge(numbers()) }, "Merge"),
      some && make("button", { type: "button", onclick: () => act.drop(numbers()) }, "Drop"),
      some && make("button", { type: "button", onclick: () => (chosen.clear(), boxes.forEach((box) => (box.checked = false)), tell()) }, "Clear"),
    );
  };

  const boxes = [];
  const cards = clusters.map((cluster, at) => {
    const group = { label: String(cluster.number), hue: cluster.hue };
    const named = `cluster ${cluster.number}, ${cluster.name}`;
    const box = make("input", { type: "checkbox", class: "choose", "aria-label": `Choose ${named}` });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(cluster.number);
      else chosen.delete(cluster.number);
      tell();
    });
    boxes.push(box);
    const name = make("button", { type: "button", class: "name", title: "Rename", "aria-label": `Rename ${named}` }, bdi(cluster.name));
    const heading = make("h3", { id: `cluster-name-${cluster.number}` }, name);
    const rename = () => renaming(heading, name, cluster, act);
    name.addEventListener("click", rename);
    const split = async () => {
      const parts = make("input", { type: "number", min: 2, max: Math.min(50, cluster.size), value: 2, required: true });
      const answer = await ask(`Split ${cluster.number} “${cluster.name}”`, "Split", [field("Number of parts", parts)], () => Number(parts.value));
      if (answer) act.split(cluster.number, answer);
    };
    const merge = async () => {
      const other = make("select", {}, ...clusters.filter((each) => each !== cluster).map((each) => option(each.number, `${each.number} ${each.name}`)));
      const answer = await ask(`Merge ${cluster.number} “${cluster.name}” with`, "Merge", [field("Cluster", other)], () => Number(other.value));
      if (answer) act.merge([cluster.number, answer]);
    };
    const doing = {
      rename,
      split,
      merge: () => (chosen.size > 1 && chosen.has(cluster.number) ? act.merge(numbers()) : merge()),
      drop: () => act.drop([cluster.number]),
      gather: () => act.gather(chosen.size ? numbers() : [cluster.number]),
      choose: () => box.click(),
    };
    const button = (text, does) => make("button", { type: "button", "aria-label": `${text} ${named}`, onclick: doing[does] }, text);
    const card = make(
      "li",
      { class: "card", hue: cluster.hue, draggable: "true", id: `cluster-${cluster.number}`, "aria-labelledby": `cluster-name-${cluster.number}`, "data-number": cluster.number },
      make("header", {}, chip(group), heading, box, make("p", { class: "card-size" }, make("strong", {}, counted(cluster.size, "document")), ` · ${percent(cluster.share)}`, cluster.doubtful ? ` · ${thousands(cluster.doubtful)} doubtful` : "")),
      make("ol", { class: "words", "aria-label": `Words of ${named}` }, ...cluster.words.slice(0, 10).map((each) => wordRow(each, cluster, place, state, at))),
      make("ul", { class: "typical", "aria-label": `Typical documents of ${named}` }, ...source.answer.typical[at].map((each) => typicalRow(each, source, state))),
      make(
        "div",
        { class: "card-more" },
        make("button", { type: "button", onclick: () => state.set({ selection: { kind: "group", group: at } }) }, cluster.size === 1 ? "The document" : `All ${thousands(cluster.size)}`),
        act.allowed && [clusters.length > 1 && button("Merge", "merge"), cluster.size > 3 && button("Split", "split"), cluster.size > 3 && button("Gather", "gather"), clusters.length > 1 && button("Drop", "drop")],
      ),
    );
    if (act.allowed) {
      listen(card, cluster, doing, act, box);
    } else {
      card.removeAttribute("draggable");
      box.hidden = true;
      name.disabled = true;
    }
    return card;
  });
  element.append(make("ol", { class: "cards" }, ...cards), bar);
  tell();
}

function wordRow(each, cluster, place, state, at) {
  const heaviest = cluster.words[0]?.weight || 1;
  const word = place.get(each.word);
  const spelt = bdi(each.shown);
  return make(
    "li",
    {},
    make("span", { class: "spelt" }, word === undefined ? spelt : make("button", { type: "button", class: "word", title: "Show its documents", onclick: () => state.set({ selection: { kind: "word", at: word, group: at } }) }, spelt)),
    make("span", { class: "bar", "aria-hidden": "true" }, make("span", { css: { width: `${Math.max(2, (100 * each.weight) / heaviest).toFixed(1)}%` } })),
    make("span", { class: "lift" }, each.lift < 9.95 ? `${each.lift.toFixed(1)}×` : `${thousands(each.lift)}×`),
  );
}

function typicalRow(each, source, state) {
  const open = async () => {
    const at = (await source.names()).ids.indexOf(each.id);
    if (at >= 0) state.set({ selection: { kind: "one", document: at } });
  };
  return make("li", {}, make("button", { type: "button", class: "link", title: each.excerpt, onclick: open }, bdi(each.title)));
}

/** The name of a cluster becomes a field; Enter saves, Escape leaves it as it was. */
function renaming(heading, name, cluster, act) {
  const input = make("input", { type: "text", class: "name", maxlength: 200, value: cluster.name, "aria-label": `New name of cluster ${cluster.number}; empty gives the automatic one back` });
  let done = false;
  const end = (save) => {
    if (done) return;
    done = true;
    input.replaceWith(name);
    name.focus();
    if (!save || input.value.trim() === cluster.name) return;
    if (input.value.trim()) name.replaceChildren(bdi(input.value.trim()));
    act.rename(cluster.number, input.value);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") end(true);
    else if (event.key === "Escape") end(false);
  });
  input.addEventListener("blur", () => end(true));
  name.replaceWith(input);
  input.focus();
  input.select();
}

/** Keys while focus is in a card, and one card dragged onto another. */
function listen(card, cluster, doing, act, box) {
  card.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=text]")) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (steps[event.key]) {
      const other = steps[event.key] > 0 ? card.nextElementSibling : card.previousElementSibling;
      other?.querySelector("button.name")?.focus();
    } else if (KEYS[event.key]) doing[KEYS[event.key]]();
    else return;
    event.preventDefault();
  });
  card.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/x-coterie-cluster", String(cluster.number));
    event.dataTransfer.effectAllowed = "move";
    card.classList.add("dragged");
  });
  card.addEventListener("dragend", () => card.classList.remove("dragged"));
  card.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("text/x-coterie-cluster") || card.classList.contains("dragged")) return;
    event.preventDefault();
    card.classList.add("over");
  });
  card.addEventListener("dragleave", () => card.classList.remove("over"));
  card.addEventListener("drop", (event) => {
    card.classList.remove("over");
    const other = Number(event.dataTransfer.getData("text/x-coterie-cluster"));
    if (!other || other === cluster.number) return;
    event.preventDefault();
    act.merge([other, cluster.number]);
  });
  void box;
}
