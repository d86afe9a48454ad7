// The page: its parts are given their views.

import { embeddedSource } from "./source.js";
import { State } from "./state.js";
import { Groups } from "./groups.js";
import { documentsView } from "./documents.js";
import { mapView } from "./map.js";
import { pairView } from "./words.js";
import { blocksView } from "./blocks.js";
import { columnsView } from "./columns.js";
import { levelsView } from "./levels.js";
import { foldCards, followContents } from "./contents.js";
import { make, thousands } from "./dom.js";

const find = (id) => document.getElementById(id);

/** Show a section, and its entry in the table of contents, if its view has something to show. */
async function fillSection(name, view) {
  const section = find(`${name}-section`);
  if (!section) return;
  section.hidden = false;
  if (await view(find(name))) {
    for (const entry of document.querySelectorAll(`[data-section="${name}"]`)) entry.hidden = false;
  } else section.hidden = true;
}

/** The search field: it selects while one types. */
function connectSearch(state) {
  const [form, field] = [find("search"), find("query")];
  let waiting = 0;
  const search = () => {
    const query = field.value;
    if (query.trim()) state.set({ selection: { kind: "search", query } });
    else if (state.get("selection")?.kind === "search") state.set({ selection: null });
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    search();
    if (field.value.trim()) find("list-title")?.focus();
  });
  state.watch(["selection"], ({ selection }) => {
    if (selection?.kind !== "search" && document.activeElement !== field) field.value = "";
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && state.get("selection")) {
      field.value = "";
      state.set({ selection: null });
    }
  });
  form.hidden = false;
}

/** Make a change that moves the text, and scroll so that what was read stays where it was. */
function keepPlace(change) {
  const column = document.querySelector(".page").getBoundingClientRect();
  const chosen = document.activeElement?.closest(".page") ? document.activeElement : null;
  const read = chosen ?? document.elementFromPoint(column.left + 60, 120)?.closest("section > *, .card");
  const top = read?.getBoundingClientRect().top;
  change();
  if (read && scrollY > 0) scrollBy({ top: read.getBoundingClientRect().top - top, behavior: "instant" });
}

/** The list beside the page: shown while there is a selection, and focus goes there and back. */
function connectDrawer(state) {
  const drawer = find("drawer");
  let from = null;
  state.watch(["selection"], ({ selection }) => {
    const opens = drawer.hidden && selection !== null;
    if (opens) from = document.activeElement;
    keepPlace(() => {
      drawer.hidden = selection === null;
      document.body.classList.toggle("with-drawer", selection !== null);
    });
    if (selection !== null) drawer.scrollTop = 0;
    if (selection !== null && document.activeElement !== find("query")) find("list-title")?.focus({ preventScroll: true });
    else if (selection === null && from?.isConnected) {
      from.focus({ preventScroll: true });
      from = null;
    }
  });
}

/** Words and members of the cards become buttons. */
async function connectCards(source, state, levels) {
  const { clusters } = source.head;
  const { words } = await source.words();
  const place = new Map(words.map((word, at) => [word, at]));
  const usual = () => (state.get("level") === levels.usual ? {} : { level: levels.usual, groups: levels.at(levels.usual), pair: [0, 1] });
  clusters.forEach((cluster, at) => {
    const card = find(`cluster-${cluster.number}`);
    if (!card) return;
    for (const element of card.querySelectorAll("bdi.word[data-word]")) {
      const word = place.get(element.dataset.word);
      if (word === undefined) continue;
      const button = make("button", { type: "button", class: "word", title: "Show its documents", onclick: () => state.set({ ...usual(), selection: { kind: "word", at: word, group: at } }) });
      element.replaceWith(button);
      button.append(element);
    }
    const slot = card.querySelector(".card-more");
    if (!slot || !cluster.size) return;
    slot.append(
      make("button", { type: "button", onclick: () => state.set({ ...usual(), selection: { kind: "group", group: at } }) }, cluster.size === 1 ? "The document" : `All ${thousands(cluster.size)} documents`),
      clusters.length > 1 &&
        make("button", { type: "button", onclick: () => {
          state.set({ ...usual(), pair: [at, state.get("pair")[0] === at ? (at + 1) % clusters.length : state.get("pair")[0]] });
          find("pair-section").scrollIntoView();
        } }, "Compare"),
    );
    slot.hidden = false;
  });
}

async function start() {
  const source = await embeddedSource();
  const arrays = await source.arrays();
  const levels = new Groups(source.head, arrays);
  const state = new State({ level: levels.usual, groups: levels.at(levels.usual), selection: null, marked: null, colour: "group", pair: [0, 1] });
  await fillSection("map", (element) => mapView(element, source, state));
  const overview = find("overview");
  const fixed = [...overview.children];
  await levelsView(overview, source, state, levels);
  for (const each of fixed) each.remove();
  await documentsView(find("drawer"), source, state);
  connectSearch(state);
  connectDrawer(state);
  await connectCards(source, state, levels);
  await fillSection("pair", (element) => pairView(element, source, state));
  await fillSection("columns", (element) => columnsView(element, source, state));
  await fillSection("blocks", (element) => blocksView(element, source));
  for (const all of document.querySelectorAll(".all-documents")) {
    all.addEventListener("click", () => state.set({ selection: { kind: "all" } }));
    all.hidden = false;
  }
  const doubtful = find("all-doubtful");
  doubtful?.addEventListener("click", () => state.set({ selection: { kind: "doubtful" } }));
  if (doubtful) doubtful.hidden = false;
  foldCards(find("fold-cards"));
  followContents(find("contents"));
  document.documentElement.dataset.ready = "yes";
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 300));
  idle(() => source.searcher());
}

if (window.DecompressionStream) start();
