// The map: documents as points, groups labelled; zoom, move, lasso, colours.

import { NONE } from "./data.js";
import { css, groupColour, grey, isDark, onPaper, paperColour, whenColoursChange } from "./colours.js";
import { columnColours, scaled } from "./columns.js";
import { bdi, chip, counted, make, percent, thousands } from "./dom.js";
import { Raster } from "./raster.js";

const MARGIN = 28; // pixels around the map
const MOST_ZOOM = 60;
const NEAR = 9; // pixels from a point at which it is meant
const FONT = "600 13px system-ui, sans-serif";
const LINE = 16;
const PAPER = { clientWidth: 700, clientHeight: 450, ratio: 3 }; // the map in print, as in front.css

/** Colours of the points by what the state says. */
function coloursOf({ head }, arrays, { colour, groups }) {
  if (colour === "group") {
    const colours = [...groups.groups.map(groupColour), grey()];
    const last = colours.length - 1;
    return { colours, of: groups.of.map((g) => (g === NONE ? last : g)), legend: [] };
  }
  if (colour === "probability") {
    return scaled(Array.from(arrays.probability), () => false, (value) => percent(value / 65535));
  }
  return columnColours(head.columns[colour], arrays[`column_${colour}`]);
}

/** Lines of a name that are not too long. */
function wrapped(name, length = 17) {
  const lines = [];
  for (const word of name.split(" · ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + word.length + 3 <= length) lines[lines.length - 1] = `${last} · ${word}`;
    else lines.push(word.length > 26 ? `${word.slice(0, 25)}…` : word);
  }
  return lines.slice(0, 4);
}

/** Whether a place lies in a polygon. */
function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}

/** Where discs, by middle and radius, and points, 0 to 65535, begin and end. */
function ends(discs, points) {
  let [low, high] = [Infinity, -Infinity];
  for (const [middle, radius] of discs) [low, high] = [Math.min(low, middle - radius), Math.max(high, middle + radius)];
  for (const each of points) [low, high] = [Math.min(low, each / 65535), Math.max(high, each / 65535)];
  return [low, high];
}

class MapCanvas {
  constructor(element, source, arrays, state) {
    this.source = source;
    this.state = state;
    this.x = arrays.x;
    this.y = arrays.y.map((y) => 65535 - y);
    this.arrays = arrays;
    this.canvas = make("canvas", { class: "map-points", role: "img" });
    this.tip = make("div", { class: "map-tip", hidden: true, "aria-hidden": "true" });
    this.stage = make("div", { class: "map-stage", tabindex: 0, role: "group", "aria-label": "Map: arrow keys move it, + and − zoom, 0 shows all." }, this.canvas, this.tip);
    element.append(this.stage);
    this.raster = new Raster(this.canvas);
    this.zoom = 1;
    this.centre = [0.5, 0.5];
    this.lassoing = false;
    this.lasso = null;
    this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.resize();
  }

  resize() {
    const ratio = onPaper() ? PAPER.ratio : Math.min(2, devicePixelRatio || 1);
    this.ratio = ratio;
    const { clientWidth, clientHeight } = onPaper() ? PAPER : this.stage;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (!width || (this.canvas.width === width && this.canvas.height === height)) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.schedule();
  }

  /** Where the square of the map lies on the canvas, in its pixels. */
  view() {
    const { width, height } = this.canvas;
    const { spanX, spanY, middle } = this.extent();
    const margin = MARGIN * this.ratio;
    const fit = Math.min((width - 2 * margin) / spanX, (height - 2 * margin) / spanY);
    const scale = fit * this.zoom;
    const [cx, cy] = [middle[0] + this.centre[0] - 0.5, middle[1] + this.centre[1] - 0.5];
    return { scale, left: width / 2 - cx * scale, top: height / 2 - cy * scale };
  }

  /** The part of the square that has discs or points. */
  extent() {
    if (!this.known) {
      const { clusters } = this.source.head;
      const [x0, x1] = ends(clusters.map((each) => [each.x, each.radius]), this.x);
      const [y0, y1] = ends(clusters.map((each) => [1 - each.y, each.radius]), this.y);
      this.known = { spanX: Math.max(0.05, x1 - x0), spanY: Math.max(0.05, y1 - y0), middle: [(x0 + x1) / 2, (y0 + y1) / 2] };
    }
    return this.known;
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  colour() {
    this.points = coloursOf(this.source, this.arrays, this.state.values);
    this.schedule();
    return this.points.legend;
  }

  draw() {
    if (!this.points || !this.canvas.width) return;
    const view = this.view();
    const paper = paperColour();
    const n = this.x.length;
    const usual = Math.min(5, Math.max(1.3, 105 / Math.sqrt(n)));
    const { width, height } = this.canvas;
    const room = Math.min(1.15, Math.max(0.6, Math.sqrt((width * height) / 600_000) / this.ratio));
    const radius = Math.min(6, usual * room * this.zoom ** 0.35) * this.ratio;
    const { x, y } = this;
    this.seen = this.raster.draw({ x, y, ...this.points, paper, marked: this.state.get("marked") }, view, radius);
    this.labels(view, paper);
    if (this.lasso) this.drawLasso(view);
  }

  labels(view, paper) {
    const context = this.raster.context;
    const { groups } = this.state.get("groups");
    context.save();
    context.scale(this.ratio, this.ratio);
    context.font = FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = css(paper);
    context.fillStyle = isDark() ? "#f2efe9" : "#1b1e22";
    const taken = [];
    for (const group of [...groups].sort((a, b) => b.size - a.size)) {
      if (!group.size) continue;
      const px = (group.x * view.scale + view.left) / this.ratio;
      const py = ((1 - group.y) * view.scale + view.top) / this.ratio;
      const room = (group.radius * view.scale) / this.ratio;
      for (const lines of [wrapped(`${group.label} ${group.name}`), [group.label]]) {
        const box = this.place(context, lines, px, py, room, taken);
        if (!box) continue;
        taken.push(box);
        lines.forEach((line, i) => {
          const at = box.y + (i - (lines.length - 1) / 2) * LINE;
          context.strokeText(line, box.x, at);
          context.fillText(line, box.x, at);
        });
        break;
      }
    }
    context.restore();
  }

  /** A place for a label that covers no other: on its disc, or above or below its middle. */
  place(context, lines, x, y, room, taken) {
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 6;
    const height = lines.length * LINE;
    if (lines.length > 1 && room < 14) return null;
    const [limitX, limitY] = [this.canvas.width / this.ratio, this.canvas.height / this.ratio];
    for (const up of [0, -0.6, 0.6, -1, 1]) {
      const box = { x, y: y + up * room, width, height };
      const outside = box.x - width / 2 < 0 || box.x + width / 2 > limitX || box.y - height / 2 < 0 || box.y + height / 2 > limitY;
      const meets = taken.some((each) => Math.abs(each.x - box.x) < (each.width + width) / 2 && Math.abs(each.y - box.y) < (each.height + height) / 2);
      if (!outside && !meets) return box;
    }
    return null;
  }

  drawLasso(view) {
    const context = this.raster.context;
    context.save();
    context.beginPath();
    for (const [x, y] of this.lasso) context.lineTo(x * view.scale + view.left, y * view.scale + view.top);
    context.closePath();
    context.fillStyle = "rgb(47 107 122 / 15%)";
    context.strokeStyle = isDark() ? "#7cc0cf" : "#2f6b7a";
    context.lineWidth = 2 * this.ratio;
    context.fill();
    context.stroke();
    context.restore();
  }

  /** A place of the canvas on the map, from 0 to 1. */
  onMap(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const view = this.view();
    const px = (event.clientX - bounds.left) * this.ratio;
    const py = (event.clientY - bounds.top) * this.ratio;
    return [(px - view.left) / view.scale, (py - view.top) / view.scale];
  }

  nearest(event) {
    const [x, y] = this.onMap(event).map((each) => each * 65535);
    let [best, least] = [-1, ((NEAR * this.ratio) / this.view().scale) * 65535];
    const marked = this.state.get("marked");
    for (let i = 0; i < this.x.length; i++) {
      const distance = Math.hypot(this.x[i] - x, this.y[i] - y);
      if (distance < least && (!marked || marked[i])) [best, least] = [i, distance];
    }
    return best;
  }

  zoomBy(factor, event) {
    const before = event ? this.onMap(event) : null;
    this.zoom = Math.min(MOST_ZOOM, Math.max(0.8, this.zoom * factor));
    if (before) {
      const after = this.onMap(event);
      this.move(before[0] - after[0], before[1] - after[1]);
    }
    this.schedule();
  }

  move(dx, dy) {
    this.centre = [this.centre[0] + dx, this.centre[1] + dy].map((each) => Math.min(1.1, Math.max(-0.1, each)));
    this.schedule();
  }

  reset() {
    this.zoom = 1;
    this.centre = [0.5, 0.5];
    this.schedule();
  }

  listen() {
    const { stage } = this;
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0022)), event);
    }, { passive: false });
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (event) => this.up(event));
    stage.addEventListener("pointerleave", () => (this.tip.hidden = true));
    stage.addEventListener("dblclick", (event) => this.zoomBy(2, event));
    stage.addEventListener("keydown", (event) => this.key(event));
  }

  down(event) {
    if (event.button > 0) return;
    this.stage.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    this.start = { x: event.clientX, y: event.clientY, far: false };
    if (this.lassoing || event.shiftKey) this.lasso = [this.onMap(event)];
  }

  moved(event) {
    if (!this.pointers.has(event.pointerId)) {
      if (event.pointerType === "mouse") this.hover(event);
      return;
    }
    const last = this.pointers.get(event.pointerId);
    if (Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) > 4) this.start.far = true;
    if (this.lasso) {
      this.lasso.push(this.onMap(event));
      this.schedule();
    } else if (this.pointers.size === 2) this.pinch(event);
    else {
      const { scale } = this.view();
      this.move((-(event.clientX - last.clientX) * this.ratio) / scale, (-(event.clientY - last.clientY) * this.ratio) / scale);
    }
    this.pointers.set(event.pointerId, event);
  }

  pinch(event) {
    const other = [...this.pointers.values()].find((each) => each.pointerId !== event.pointerId);
    const last = this.pointers.get(event.pointerId);
    const apart = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY);
    const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
    this.zoomBy(apart(event) / Math.max(1, apart(last)), middle);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.lasso) this.endLasso();
    else if (event.type === "pointerup" && !this.start.far) {
      const found = this.nearest(event);
      if (found >= 0 && found < this.source.head.n_listed) this.state.set({ selection: { kind: "one", document: found } });
    }
  }

  endLasso() {
    const polygon = this.lasso.map(([x, y]) => [x * 65535, y * 65535]);
    this.lasso = null;
    this.schedule();
    if (polygon.length < 3) return;
    const documents = Uint32Array.from(this.x.keys()).filter((i) => inside(polygon, this.x[i], this.y[i]));
    this.state.set({ selection: documents.length ? { kind: "lasso", documents } : null });
  }

  async hover(event) {
    const found = this.nearest(event);
    this.stage.style.cursor = this.lassoing ? "crosshair" : found >= 0 ? "pointer" : "grab";
    this.tip.hidden = found < 0;
    if (found < 0) return;
    const { titles } = await this.source.names();
    const { groups, of } = this.state.get("groups");
    const group = groups[of[found]];
    this.tip.replaceChildren(
      bdi(titles[found] ?? "a document that is not listed"),
      make("span", {}, group ? chip(group) : "", " ", percent(this.arrays.probability[found] / 65535)),
    );
    const bounds = this.stage.getBoundingClientRect();
    const left = Math.min(event.clientX - bounds.left + 14, bounds.width - this.tip.offsetWidth - 8);
    this.tip.style.transform = `translate(${Math.max(0, left)}px, ${event.clientY - bounds.top + 16}px)`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 0.12 / this.zoom;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) this.move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.4);
    else if (event.key === "-") this.zoomBy(1 / 1.4);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }
}

/** The map with its tools and legend. */
export async function mapView(element, source, state) {
  const { head } = source;
  const arrays = await source.arrays();
  const colour = make("select", { id: "map-colour" });
  colour.append(make("option", { value: "group" }, "cluster"), make("option", { value: "probability" }, "probability"));
  head.columns.forEach((column, at) => colour.append(make("option", { value: at }, column.name)));
  const legend = make("ul", { class: "legend" });
  const tools = make("div", { class: "controls map-tools" }, make("label", { for: "map-colour" }, "Colour"), colour);
  element.append(tools);
  const map = new MapCanvas(element, source, arrays, state);
  const button = (text, label, call) => make("button", { type: "button", "aria-label": label, title: label, onclick: call }, text);
  const lasso = button("Lasso", "Lasso: draw around documents to list them", () => {
    map.lassoing = !map.lassoing;
    lasso.setAttribute("aria-pressed", String(map.lassoing));
    map.stage.style.cursor = map.lassoing ? "crosshair" : "grab";
  });
  lasso.setAttribute("aria-pressed", "false");
  tools.append(
    make(
      "div",
      { class: "tools" },
      lasso,
      button("−", "Zoom out", () => map.zoomBy(1 / 1.5)),
      button("+", "Zoom in", () => map.zoomBy(1.5)),
      button("All", "Show all of the map", () => map.reset()),
    ),
  );
  element.append(legend);
  colour.addEventListener("change", () => {
    const { value } = colour;
    state.set({ colour: /^\d+$/.test(value) ? Number(value) : value });
  });
  const showColours = () => {
    legend.replaceChildren(...map.colour().map(({ text, colour: each }) => make("li", {}, make("span", { class: "dot", css: { background: css(each) } }), bdi(text))));
  };
  whenColoursChange(map.stage, () => {
    showColours();
    map.resize();
    map.draw();
  });
  state.watch(["colour", "groups"], ({ groups: { groups } }) => {
    showColours();
    const largest = groups.slice(0, 5).map((group) => `${group.name} (${thousands(group.size)})`).join("; ");
    map.canvas.setAttribute("aria-label", `Map of ${counted(head.n_points, "document")} in ${counted(groups.length, "group")}. The largest are ${largest}.`);
  });
  state.watch(["marked"], () => map.schedule());
  return map;
}
