// One result: its place in the tree of results, its views, what was edited and may be.

import { bdi, counted, make, thousands } from "./dom.js";
import { State } from "./state.js";
import { Groups } from "./groups.js";
import { documentsView } from "./documents.js";
import { mapView } from "./map.js";
import { levelsView } from "./levels.js";
import { pairView } from "./words.js";
import { columnsView } from "./columns.js";
import { blocksView } from "./blocks.js";
import { RemoteSource } from "./remote.js";
import { cardsView } from "./cards.js";
import { queueView } from "./queue.js";
import { compareView } from "./compare.js";
import { actions } from "./edits.js";
import { get, result } from "./server.js";
import { attempt } from "./parts.js";

const VIEWS = { clusters: "Clusters", words: "Words and columns", doubtful: "Doubtful", compare: "Compare" };

/** Show a result; gives what the app may ask of the view. */
export async function resultView(element, app, node, wanted) {
  const source = new RemoteSource(node.id, await get(result(node.id, "/head")));
  const arrays = await source.arrays();
  const levels = new Groups(source.head, arrays);
  const state = new State({ level: levels.usual, groups: levels.at(levels.usual), selection: null, marked: null, colour: "group", pair: [0, 1] });
  const act = actions(app, node, source, state);
  source.actions = (i) => act.moving(i);
  const panel = make("div", { class: "view" });
  const side = make("aside", { class: "side", "aria-label": "Path, suggestions and edits" });
  const { facts } = source.answer;
  const lead = make("p", { class: "lead" }, leadOf(source, node));
  const head = make("header", { class: "result-head" }, make("h1", { dir: "auto", tabindex: -1 }, bdi(node.title)), lead, notesOf(node, facts, source.head));
  const switcher = make("nav", { class: "views", "aria-label": "Views" });
  const tools = make("div", { class: "tools" }, ...act.tools());
  element.replaceChildren(make("div", { class: "room" }, side, make("div", { class: "stage" }, head, make("div", { class: "toolbar" }, switcher, make("span", { class: "spring" }), tools), panel)));
  fillSide(side, app, node, source, act);
  const drawer = document.getElementById("drawer");
  drawer.replaceChildren();
  await documentsView(drawer, source, state);
  drawer.append(act.movingAll());
  connectDrawer(drawer, state);

  const view = { source, state, name: wanted in VIEWS ? wanted : "clusters", busy: () => view.name === "doubtful" || !!document.querySelector("dialog, input.name, .dragged") };
  const show = async (name) => {
    view.name = name;
    switcher.replaceChildren(
      ...Object.entries(VIEWS).map(([each, text]) => {
        const n = each === "doubtful" ? facts.doubtful : 0;
        return make("button", { type: "button", "aria-current": each === name ? "page" : null, onclick: () => (app.stale ? app.render(each) : show(each)) }, n ? `${text} ${thousands(n)}` : text);
      }),
    );
    panel.replaceChildren();
    await attempt(() => fill[name](panel));
  };
  const section = (title, name, call) => {
    const body = make("div", {});
    const whole = make("section", { "aria-labelledby": `${name}-title` }, make("h2", { id: `${name}-title` }, title), body);
    return { whole, done: async () => ((await call(body)) ? null : whole.remove()) };
  };
  const fill = {
    clusters: async (place) => {
      const overview = make("div", { class: "overview" });
      const map = make("div", { class: "map" });
      const cards = make("div", {});
      place.append(map, overview, cards);
      await mapView(map, source, state);
      await levelsView(overview, source, state, levels);
      await cardsView(cards, source, state, act);
    },
    words: async (place) => {
      const all = [
        section("Two clusters compared", "pair", (each) => pairView(each, source, state)),
        section("Over time and by column", "columns", (each) => columnsView(each, source, state)),
        section("Documents by words", "blocks", (each) => blocksView(each, source)),
      ];
      place.append(...all.map((each) => each.whole));
      for (const each of all) await each.done();
      if (!place.childElementCount) place.append(make("p", { class: "about" }, "There is only one cluster, and there are no columns to show."));
    },
    doubtful: (place) => queueView(place, source, act),
    compare: (place) => compareView(place, source, app, state),
  };
  view.show = show;
  await show(view.name);
  return view;
}

function leadOf(source, node) {
  const { head, answer } = source;
  const { facts } = answer;
  const aside = answer.aside ? ` ${counted(answer.aside, "document")} set aside.` : "";
  if (node.preliminary) return `A first picture of ${counted(node.preliminary, "document")} in ${counted(head.clusters.length, "cluster")}. All documents are being clustered.`;
  return `${counted(head.n_documents, "document")} in ${counted(head.clusters.length, "cluster")}, by the method ${facts.method}.${aside}${facts.interrupted ? " The fit was stopped; this is the best so far." : ""}`;
}

function notesOf(node, facts, head) {
  const notes = [...new Set([...node.notes, ...facts.notes, ...head.notes])];
  if (!notes.length) return "";
  return make("details", { class: "fold notes-fold" }, make("summary", {}, counted(notes.length, "note")), make("ul", { class: "notes" }, ...notes.map((note) => make("li", {}, bdi(note)))));
}

/** The list beside the result; focus goes there and back. */
function connectDrawer(drawer, state) {
  let from = null;
  state.watch(["selection"], ({ selection }) => {
    if (drawer.hidden && selection !== null) from = document.activeElement;
    drawer.hidden = selection === null;
    document.body.classList.toggle("with-drawer", selection !== null);
    if (selection !== null) drawer.scrollTop = 0;
    if (selection !== null && document.activeElement !== document.getElementById("query")) document.getElementById("list-title")?.focus({ preventScroll: true });
    else if (selection === null && from?.isConnected) {
      from.focus({ preventScroll: true });
      from = null;
    }
  });
}

/** The tree of results, suggestions, edits. */
function fillSide(side, app, node, source, act) {
  side.append(treeOf(app, node));
  const { edits } = source.answer;
  const suggested = make("section", { "aria-labelledby": "suggestions-title" });
  side.append(suggested);
  if (act.allowed) {
    attempt(async () => {
      const found = await get(result(node.id, "/suggestions"));
      if (!found.length) return;
      const names = new Map(source.head.clusters.map((each) => [each.number, each]));
      suggested.append(
        make("h2", { id: "suggestions-title" }, "Suggestions"),
        make("ul", { class: "suggestions" }, ...found.map((each) => suggestion(each, names, act))),
      );
    });
  }
  const listed = edits.map((sentence) => make("li", {}, bdi(sentence))).reverse();
  side.append(
    make(
      "section",
      { "aria-labelledby": "edits-title" },
      make("h2", { id: "edits-title" }, "Edits"),
      edits.length ? make("p", { class: "tools" }, make("button", { type: "button", id: "undo", onclick: act.undo }, "Undo the last"), make("button", { type: "button", onclick: act.steer, title: "Documents that you moved keep their cluster, and similar ones follow" }, "Fit again from these")) : make("p", { class: "muted" }, act.allowed ? "None yet. Click a name to rename it; drag a card onto another to merge them." : "Possible once all documents are clustered."),
      edits.length ? make("ol", { class: "edits", reversed: true }, ...listed.slice(0, 30)) : "",
    ),
    make(
      "details",
      { class: "fold keys" },
      make("summary", {}, "Keys"),
      make("dl", {}, ...[["/", "search"], ["arrows", "from card to card"], ["r", "rename"], ["c", "choose"], ["m", "merge"], ["s", "split"], ["g", "gather"], ["Del", "drop"], ["Ctrl Z", "undo"]].flatMap(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
      make("p", { class: "muted" }, "Letters work while a card has the focus."),
    ),
  );
}

function suggestion(each, names, act) {
  const clusters = each.clusters.map((number) => names.get(number)).filter(Boolean);
  const make_it = () => ({ merge: () => act.merge(each.clusters), split: () => act.split(each.clusters[0], 2), drop: () => act.drop(each.clusters) })[each.edit]();
  const verb = { merge: "Merge", split: "Split", drop: "Drop" }[each.edit];
  return make(
    "li",
    {},
    make("p", {}, ...clusters.flatMap((cluster, i) => [i ? " and " : "", make("span", { class: "named", hue: cluster.hue }, bdi(`${cluster.number} ${cluster.name}`))])),
    make("p", { class: "muted" }, each.reason),
    make("button", { type: "button", "aria-label": `${verb} ${each.clusters.join(" and ")}`, onclick: make_it }, verb),
  );
}

const MADE = { gathered: "gathered", again: "clustered again", steered: "fitted again", opened: "", clustered: "" };

function treeOf(app, node) {
  const branch = (each) => {
    const children = app.nodes.filter((other) => other.parent === each.id);
    const here = each.id === node.id;
    const from = each.clusters.length ? ` ${each.clusters.join(", ")}` : "";
    return make(
      "li",
      {},
      make("button", { type: "button", class: "branch", "aria-current": here ? "page" : null, onclick: () => app.open(each.id) }, bdi(each.title), make("span", { class: "muted" }, MADE[each.made_by] ? ` ${MADE[each.made_by]}${from}` : "", each.status === "fitting" ? " …" : each.status === "failed" ? " failed" : "")),
      each.parent && make("button", { type: "button", class: "close small", "aria-label": `Remove ${each.title}`, onclick: () => app.removeBranch(each) }, "×"),
      children.length ? make("ul", {}, ...children.map(branch)) : "",
    );
  };
  return make("nav", { "aria-labelledby": "path-title" }, make("h2", { id: "path-title" }, "Path"), make("ul", { class: "tree-of-results" }, branch(app.rootOf(node.id))));
}
