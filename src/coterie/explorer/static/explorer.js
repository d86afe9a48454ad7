// The explorer: tabs, what is shown, and how far jobs are.

import { bdi, make } from "./dom.js";
import { get, hasToken, post, Refusal, remove, result } from "./server.js";
import { attempt, ask, say } from "./parts.js";
import { droppedFiles, homeView } from "./home.js";
import { resultView } from "./result.js";

const find = (id) => document.getElementById(id);
const QUICK = 100; // milliseconds between questions while a job runs
const SLOW = 4000;
const HERE = "coterie-here"; // what this tab of the browser showed last

class App {
  constructor() {
    this.nodes = [];
    this.jobs = [];
    this.current = null;
    this.view = null;
    this.shown = "";
    this.stale = false;
    this.turn = 0;
  }

  node(id) {
    return this.nodes.find((node) => node.id === id);
  }

  /** A node and those it came from, the first one first. */
  pathOf(id) {
    const path = [];
    for (let node = this.node(id); node; node = this.node(node.parent)) path.unshift(node);
    return path;
  }

  rootOf(id) {
    return this.pathOf(id)[0];
  }

  /** All nodes of the tree that a node is in. */
  family(id) {
    const root = this.rootOf(id);
    return this.nodes.filter((node) => this.rootOf(node.id) === root);
  }

  methods() {
    this.known ??= get("/api/methods");
    return this.known;
  }

  /** Ask what there is, and show what changed. */
  async refresh() {
    const { nodes, jobs } = await get("/api/state");
    this.nodes = nodes;
    this.jobs = jobs;
    this.drawTabs();
    this.drawProgress();
    if (jobs.length) this.hurry?.();
  }

  /** Wait for the next question; a job that begins meanwhile ends the long wait. */
  pause() {
    return new Promise((done) => {
      this.hurry = this.jobs.length ? null : () => setTimeout(done, QUICK);
      setTimeout(done, this.jobs.length ? QUICK : SLOW);
    });
  }

  async watch() {
    for (;;) {
      try {
        await this.refresh();
        if (this.lost) say("The explorer answers again.");
        this.lost = false;
        await this.follow();
      } catch (error) {
        if (!this.lost) say(error.message);
        this.lost = true;
      }
      await this.pause();
    }
  }

  /** Show the current result again if it changed, unless someone is in the midst of something. */
  async follow() {
    const node = this.node(this.current);
    if (!node || this.keyOf(node) === this.shown || this.view?.busy()) return;
    await this.render(this.view?.name);
  }

  keyOf(node) {
    const unfinished = node.status === "failed" || node.status === "new" ? node.status : "";
    return [node.id, node.version, unfinished, node.title].join(" ");
  }

  async open(id) {
    this.current = id;
    this.view = null;
    sessionStorage.setItem(HERE, id);
    await this.refresh();
    await this.render();
    find("content").querySelector("h1")?.focus({ preventScroll: true });
  }

  home(files = null) {
    this.current = null;
    this.view = null;
    this.shown = "";
    this.closeList();
    find("search").hidden = true;
    document.title = "Coterie";
    this.drawTabs();
    homeView(find("content"), this, files);
  }

  closeList() {
    find("drawer").hidden = true;
    document.body.classList.remove("with-drawer");
  }

  /** Show the result again after an edit; focus goes to a cluster's name. */
  async changed(focus) {
    await this.refresh();
    await this.render(this.view?.name);
    if (focus) document.querySelector(`#cluster-${focus} button.name`)?.focus();
  }

  async render(name) {
    const mine = ++this.turn;
    const node = this.node(this.current);
    if (!node) return this.home();
    this.stale = false;
    this.shown = this.keyOf(node);
    document.title = `${node.title} · Coterie`;
    const place = find("content");
    const hasPicture = node.status === "ready" || node.preliminary > 0 || node.version > 0;
    this.closeList();
    find("search").hidden = !hasPicture || node.status === "failed";
    if (node.status === "failed" || node.status === "new") return this.renderUnfinished(place, node);
    if (!hasPicture) {
      this.view = null;
      place.replaceChildren(make("div", { class: "waiting" }, make("h1", { tabindex: -1 }, bdi(node.title)), make("div", { class: "progress", id: "progress" })));
      this.drawProgress();
      return undefined;
    }
    const [scrolled, kept] = [scrollY, this.keptSelection(node)];
    const rest = make("div", {});
    let view;
    try {
      view = await resultView(rest, this, node, name);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      find("search").hidden = true;
      if (mine === this.turn) this.renderUnfinished(place, node, error.message);
      return undefined;
    }
    if (mine !== this.turn) return undefined;
    this.view = view;
    place.replaceChildren(make("div", { class: "progress", id: "progress" }), ...rest.childNodes);
    this.drawProgress();
    scrollTo(0, scrolled);
    if (kept) view.state.set({ selection: kept(view.source.head) });
    // what a search and the map ask for next
    if (!node.preliminary) requestIdleCallback(() => view === this.view && view.source.names());
    return undefined;
  }

  /** The list of documents stays open over an edit, where it still means the same. */
  keptSelection(node) {
    const selection = this.view?.source.id === node.id ? this.view.state.get("selection") : null;
    if (!selection) return null;
    if (["search", "all", "doubtful"].includes(selection.kind)) return () => ({ ...selection });
    if (selection.kind !== "group") return null;
    const number = this.view.source.head.clusters[selection.group]?.number;
    return ({ clusters }) => {
      const group = clusters.findIndex((each) => each.number === number);
      return group < 0 ? null : { kind: "group", group };
    };
  }

  /** A result that is not there: the fit failed, was interrupted, or it cannot be read. */
  renderUnfinished(place, node, refusal = "") {
    this.view = null;
    const error = node.error && `${node.error[0].toUpperCase()}${node.error.slice(1)}.`;
    const again = make("button", { type: "button", class: "main", onclick: () => attempt(async () => (refusal || (await post(result(node.id, "/retry"))), this.open(node.id))) }, "Try again");
    place.replaceChildren(
      make(
        "div",
        { class: "waiting" },
        make("h1", { tabindex: -1 }, bdi(node.title)),
        make("p", { role: "alert" }, bdi(refusal || error || "The fit was interrupted.")),
        make("p", { class: "choices" }, again, make("button", { type: "button", onclick: () => this.removeBranch(node) }, "Remove")),
      ),
    );
  }

  async removeBranch(node) {
    const inside = this.nodes.some((each) => each.parent === node.id) ? " and those made from it" : "";
    if (!(await ask(`Remove “${node.title}”?`, "Remove", [make("p", {}, `The result${inside} is removed from this machine. This cannot be undone.`)]))) return;
    await attempt(() => remove(result(node.id)));
    await this.refresh();
    if (this.node(this.current)) await this.render(this.view?.name);
    else if (node.parent) await this.open(node.parent);
    else this.home();
  }

  drawTabs() {
    const roots = this.nodes.filter((node) => !this.node(node.parent) && !node.closed);
    const here = this.current && this.rootOf(this.current)?.id;
    const key = JSON.stringify([roots.map((node) => [node.id, node.title]), here]);
    if (key === this.tabsShown) return;
    this.tabsShown = key;
    const focused = document.activeElement?.dataset?.tab;
    find("tabs").replaceChildren(
      make(
        "ul",
        {},
        ...roots.map((node) =>
          make(
            "li",
            { class: node.id === here ? "here" : null },
            make("button", { type: "button", class: "tab", "data-tab": node.id, "aria-current": node.id === here ? "page" : null, onclick: () => attempt(() => this.open(node.id)) }, bdi(node.title)),
            make("button", { type: "button", class: "close small", "aria-label": `Close ${node.title}`, onclick: () => attempt(() => this.closeTab(node)) }, "×"),
          ),
        ),
        make("li", {}, make("button", { type: "button", class: "tab new", "aria-label": "New result", title: "New result", onclick: () => this.home() }, "+")),
      ),
    );
    if (focused) document.querySelector(`[data-tab="${focused}"]`)?.focus();
  }

  async closeTab(node) {
    await post(result(node.id, "/close"));
    const wasHere = this.current && this.rootOf(this.current)?.id === node.id;
    await this.refresh();
    if (wasHere) this.home();
    say(`“${node.title}” is closed.`, { name: "Open again", call: () => attempt(async () => (await post(result(node.id, "/open")), this.open(node.id))) });
  }

  /** One line: what is done, one percentage, the time left, and a way to stop. */
  drawProgress() {
    const place = find("progress");
    if (!place) return;
    const job = this.jobs.find((each) => each.node === this.current);
    if (!job) {
      if (place.childElementCount) place.replaceChildren();
      return;
    }
    if (place.dataset.job !== job.id || !place.childElementCount) {
      place.dataset.job = job.id;
      place.replaceChildren(
        make("p", { role: "status" }),
        make("progress", { max: 1, "aria-label": "How much is done" }),
        make("button", { type: "button", onclick: () => attempt(() => post(`/api/jobs/${job.id}/stop`)) }, "Stop and keep the best so far"),
      );
    }
    const [text, bar, stop] = place.children;
    if (text.textContent !== job.status) text.textContent = job.status;
    if (job.share === null) bar.removeAttribute("value");
    else bar.value = job.share;
    stop.disabled = job.stopping;
  }

  connectSearch() {
    const [form, field] = [find("search"), find("query")];
    let waiting = 0;
    const search = () => {
      const state = this.view?.state;
      if (!state) return;
      if (field.value.trim()) state.set({ selection: { kind: "search", query: field.value } });
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
      find("list-title")?.focus();
    });
  }

  connectKeys() {
    document.addEventListener("keydown", (event) => {
      const typing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
      if (document.querySelector("dialog[open]")) return;
      const state = this.view?.state;
      if (event.key === "/" && !typing && !find("search").hidden) {
        event.preventDefault();
        find("query").focus();
      } else if (event.key === "Escape" && state?.get("selection")) {
        find("query").value = "";
        state.set({ selection: null });
      } else if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !typing) {
        if (!this.view?.source.answer.edits.length) return;
        event.preventDefault();
        find("undo")?.click();
      }
    });
  }

  /** Files may be dropped anywhere; elsewhere than on its field they open the first view. */
  connectDrop() {
    addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files") || event.defaultPrevented) return;
      event.preventDefault();
      this.home(droppedFiles(event.dataTransfer));
    });
  }

  async start() {
    find("home").addEventListener("click", () => this.home());
    this.connectSearch();
    this.connectKeys();
    this.connectDrop();
    if (!hasToken()) {
      find("content").replaceChildren(make("div", { class: "waiting" }, make("h1", {}, "Coterie"), make("p", { role: "alert" }, "Open the address that `coterie explore` printed in the terminal. It holds the key to what is open here.")));
      return;
    }
    await attempt(() => this.refresh());
    const open = this.nodes.filter((node) => !node.closed);
    const here = this.node(sessionStorage.getItem(HERE));
    const last = here && !this.rootOf(here.id).closed ? here : open.sort((a, b) => a.created - b.created).at(-1);
    if (last) await attempt(() => this.open(last.id));
    else this.home();
    document.documentElement.dataset.ready = "yes";
    this.watch();
  }
}

new App().start();
