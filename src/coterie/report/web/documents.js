// The list of documents: those of a search, a group, a word or a lasso; sorted; one opened.

import { NONE } from "./data.js";
import { bdi, chip, counted, highlighted, make, percent, thousands } from "./dom.js";
import { hitsIn, queryWords } from "./search.js";
import { isDoubtful } from "./groups.js";
import { valueText } from "./columns.js";

const STEP = 40; // documents shown at once
const AROUND = 90; // characters before the first hit
const EXCERPT = 260;

/** The documents of a selection, the words to highlight, and what to call them. */
async function resolve(selection, source, arrays, { groups, of }) {
  const { head } = source;
  const listed = Uint32Array.from({ length: head.n_listed }, (_, i) => i);
  const { kind } = selection;
  if (kind === "search") {
    const { documents, inRest } = await source.find(selection.query);
    return { documents, inRest, words: queryWords(selection.query), title: `“${selection.query.trim()}”` };
  }
  if (kind === "word") {
    const { shown } = await source.words();
    const { documents, counts } = await source.occurrences(selection.at);
    const times = new Map();
    documents.forEach((document, i) => times.set(document, counts[i]));
    const words = queryWords(shown[selection.at]);
    return { documents, times, words, title: `“${shown[selection.at]}”`, home: selection.group };
  }
  if (kind === "group") {
    const group = groups[selection.group];
    const documents = Uint32Array.from(of.keys()).filter((i) => of[i] === selection.group);
    return { documents, words: [], title: `${group.label} ${group.name}`, total: group.size };
  }
  if (kind === "lasso") return { documents: selection.documents, words: [], title: "Documents in the lasso" };
  if (kind === "one") return { documents: Uint32Array.of(selection.document), words: [], title: "One document", open: true };
  if (kind === "doubtful") {
    return { documents: listed.filter((i) => isDoubtful(head, arrays, i)), words: [], title: "Doubtful documents", sort: "doubt" };
  }
  return { documents: listed, words: [], title: "All documents", total: head.n_documents };
}

/** A part of a text around the first hit after the title, which is shown above it. */
function around(text, hits, title) {
  const skipped = text.startsWith(title) && text.length > title.length ? title.length : 0;
  const first = hits.find(([from]) => from >= skipped)?.[0] ?? skipped;
  let start = first > skipped + AROUND + 40 ? first - AROUND : skipped;
  while (start > skipped && start < first && /\S/.test(text[start - 1])) start++;
  const end = Math.min(text.length, start + EXCERPT);
  const shifted = hits.filter(([from, to]) => from >= start && to <= end).map(([from, to]) => [from - start, to - start]);
  return { text: text.slice(start, end), hits: shifted, before: start > skipped, after: end < text.length };
}

/** How documents are sorted: names, and functions of two documents. */
function orders({ head }, arrays, names, groups, times) {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const margin = (i) => arrays.probability[i] - arrays.second_probability[i];
  const all = {
    probable: ["most probable first", (a, b) => arrays.probability[b] - arrays.probability[a]],
    doubt: ["most doubtful first", (a, b) => margin(a) - margin(b)],
    title: ["title", (a, b) => collator.compare(names.titles[a] ?? "", names.titles[b] ?? "")],
    group: ["cluster", (a, b) => groups.of[a] - groups.of[b] || arrays.probability[b] - arrays.probability[a]],
    source: ["order of the source", (a, b) => a - b],
  };
  if (times) all.times = ["most often first", (a, b) => times.get(b) - times.get(a)];
  head.columns.forEach((column, at) => {
    const data = arrays[`column_${at}`];
    const sign = column.kind === "category" ? 1 : -1;
    all[`column_${at}`] = [column.kind === "category" ? column.name : `${column.name}, latest or largest first`, (a, b) => sign * (data[a] - data[b]) || a - b];
  });
  return all;
}

/** How many documents of each group there are, as bars that filter. */
function spread(found, groups, choose, chosen) {
  const counts = new Map();
  for (const i of found.documents) counts.set(groups.of[i], (counts.get(groups.of[i]) ?? 0) + 1);
  const rows = [...counts].filter(([g]) => g !== NONE).sort((a, b) => b[1] - a[1]);
  if (rows.length < 2) return [];
  const most = rows[0][1];
  const row = ([g, n]) => {
    const group = groups.groups[g];
    const pressed = chosen === g;
    return make(
      "li",
      { hue: group.hue },
      make(
        "button",
        { type: "button", "aria-pressed": String(pressed), title: `${percent(n / group.size)} of the documents of this cluster`, onclick: () => choose(pressed ? null : g) },
        chip(group),
        make("bdi", { class: "spread-name" }, group.name),
        make("span", { class: "bar", "aria-hidden": "true" }, make("span", { css: { width: `${(100 * n) / most}%` } })),
        make("span", { class: "spread-count" }, thousands(n)),
      ),
    );
  };
  const shown = rows.slice(0, 6).map(row);
  const more = rows.slice(6).map(row);
  const lists = [make("ul", { class: "spread", "aria-label": "Clusters of these documents" }, ...shown)];
  if (more.length) {
    const open = rows.slice(6).some(([g]) => g === chosen);
    lists.push(make("details", { class: "fold", open }, make("summary", {}, `${counted(more.length, "more cluster")}`), make("ul", { class: "spread" }, ...more)));
  }
  return lists;
}

/** The list; it fills an element that the page shows while there is a selection. */
export async function documentsView(element, source, state) {
  const { head } = source;
  const arrays = await source.arrays();
  const title = make("h2", { id: "list-title", tabindex: -1 });
  const status = make("p", { class: "list-status", role: "status" });
  const sort = make("select", { id: "list-sort" });
  const close = make("button", { type: "button", class: "close", "aria-label": "Close the list of documents", onclick: () => state.set({ selection: null }) }, "×");
  const groupsOf = make("div", {});
  const list = make("ol", { class: "list" });
  const more = make("button", { type: "button", class: "more" });
  element.append(
    make("div", { class: "list-head" }, title, close),
    status,
    groupsOf,
    make("div", { class: "controls" }, make("label", { for: "list-sort" }, "Sort"), sort),
    list,
    more,
  );
  let current = null;
  let turn = 0;
  let only = null;

  const item = async (i, names) => {
    const { words, times, open } = current;
    const { groups, of } = state.get("groups");
    const group = groups[of[i]];
    const { text, whole } = await source.text(i);
    const hits = words.length ? hitsIn(text, words) : [];
    const name = names.titles[i] || names.ids[i];
    const part = around(text, hits, name);
    const facts = [percent(arrays.probability[i] / 65535)];
    if (times) facts.push(counted(times.get(i), "time").replace("1 time", "once"));
    head.columns.forEach((column, at) => {
      const value = valueText(column, arrays[`column_${at}`], i);
      if (value && at < 3) facts.push(value);
    });
    if (names.ids[i] !== name) facts.push(names.ids[i]);
    const body = make("div", { class: "list-body" });
    const details = make(
      "details",
      {},
      make(
        "summary",
        {},
        make("span", { class: "document-title", dir: "auto" }, ...highlighted(name, words.length ? hitsIn(name, words) : [])),
        make("span", { class: "document-facts" }, chip(group), " ", ...facts.flatMap((fact, k) => [k ? " · " : "", bdi(fact)])),
        part.text && make("span", { class: "excerpt", dir: "auto" }, part.before ? "… " : "", ...highlighted(part.text, part.hits), part.after ? " …" : ""),
        current.inRest?.has(i) && make("span", { class: "muted" }, "Found in the part of the text that is not shown."),
      ),
      body,
    );
    details.addEventListener("toggle", () => {
      if (!details.open || body.childElementCount) return;
      const second = arrays.second[i] === NONE ? null : head.clusters[arrays.second[i]];
      const link = source.link(i);
      body.append(
        make("p", { class: "list-facts" }, "Cluster ", chip(group), " ", bdi(group.name), `, ${percent(arrays.probability[i] / 65535)}`, ...(second ? [`; second choice ${second.number} `, bdi(second.name), `, ${percent(arrays.second_probability[i] / 65535)}`] : []), "."),
        link ? make("p", {}, make("a", { href: link, target: "_blank", rel: "noreferrer" }, "Open the file")) : "",
        make("div", { class: "full-text", dir: "auto" }, ...highlighted(text, hits), whole || !text ? "" : make("span", { class: "muted" }, " … (cut)")),
        text ? "" : make("p", { class: "muted" }, "The text is not in this page."),
        source.actions?.(i) ?? "",
      );
    });
    if (open) details.open = true;
    return make("li", { hue: group.hue }, details);
  };

  const extend = async (mine) => {
    const names = await source.names();
    const from = list.childElementCount;
    const next = Array.from(current.order.slice(from, from + STEP));
    const items = await Promise.all(next.map((i) => item(i, names)));
    if (mine !== turn) return;
    list.append(...items);
    const left = current.order.length - list.childElementCount;
    more.hidden = left <= 0;
    more.textContent = `Show ${thousands(Math.min(STEP, left))} more of ${thousands(left)}`;
  };
  more.addEventListener("click", () => extend(turn));

  const arrange = async () => {
    const mine = ++turn;
    const names = await source.names();
    const groups = state.get("groups");
    const possible = orders(source, arrays, names, groups, current.times);
    const wanted = possible[sort.value] ? sort.value : current.sort ?? (current.times ? "times" : "probable");
    sort.replaceChildren(...Object.entries(possible).map(([value, [text]]) => make("option", { value }, text)));
    sort.value = wanted;
    const listed = Array.from(current.documents).filter((i) => i < head.n_listed && groups.of[i] !== NONE && (only === null || groups.of[i] === only));
    current.order = listed.sort((a, b) => possible[wanted][1](a, b) || a - b);
    if (current.home !== undefined && only === null) {
      const isHome = (i) => groups.of[i] === current.home;
      current.order = [...current.order.filter(isHome), ...current.order.filter((i) => !isHome(i))];
    }
    list.replaceChildren();
    groupsOf.replaceChildren(...spread(current, groups, (g) => ((only = g), arrange()), only));
    await extend(mine);
  };
  sort.addEventListener("change", arrange);

  const describe = () => {
    const groups = state.get("groups");
    const { documents, home, inRest } = current;
    const n = documents.length;
    const inGroups = new Set(Array.from(documents, (i) => groups.of[i])).size;
    const parts = [n === 0 ? "No document." : `${counted(n, "document")}${inGroups > 1 ? ` in ${counted(inGroups, "cluster")}` : ""}.`];
    if (home !== undefined && n) {
      const here = Array.from(documents).filter((i) => groups.of[i] === home).length;
      parts.push(`${thousands(here)} in ${groups.groups[home].label} ${groups.groups[home].name} (first below), ${thousands(n - here)} in others.`);
    }
    const hidden = Array.from(documents).filter((i) => i >= head.n_listed).length;
    if (hidden) parts.push(`${thousands(hidden)} of them are not listed in this page.`);
    else if (head.n_listed < head.n_documents) parts.push(`Among the ${thousands(head.n_listed)} listed in this page.`);
    if (inRest?.size) parts.push(`${thousands(inRest.size)} only beyond the text shown.`);
    return parts.join(" ");
  };

  let before = null;
  state.watch(["selection", "groups"], async ({ selection, groups }) => {
    const mine = ++turn;
    if (selection === null) {
      current = null;
      before = null;
      state.set({ marked: null });
      return;
    }
    const found = await resolve(selection, source, arrays, groups);
    if (mine !== turn) return;
    current = found;
    only = null;
    if (selection !== before) sort.value = "";
    before = selection;
    const marks = new Uint8Array(head.n_points);
    for (const i of current.documents) marks[i] = 1;
    title.replaceChildren(bdi(current.title));
    status.textContent = describe();
    state.set({ marked: selection.kind === "all" ? null : marks });
    await arrange();
  });
}
