// Groups over time and by the values of a column, as small pictures; and columns for the map.

import { NO_DAY, NONE } from "./data.js";
import { categoryColour, css, grey, groupColour, scaleColour, whenColoursChange } from "./colours.js";
import { bdi, chip, counted, make, percent, svg, thousands } from "./dom.js";

const DAY = 86400000;
const MOST_PERIODS = 400;
const MOST_VALUES = 12;
const [WIDTH, HEIGHT] = [220, 64];

const date = (day) => new Date(day * DAY);
const two = (n) => String(n).padStart(2, "0");

const PERIODS = {
  year: { number: (d) => d.getUTCFullYear(), text: (n) => String(n) },
  quarter: {
    number: (d) => 4 * d.getUTCFullYear() + Math.floor(d.getUTCMonth() / 3),
    text: (n) => `${Math.floor(n / 4)}-Q${(n % 4) + 1}`,
  },
  month: {
    number: (d) => 12 * d.getUTCFullYear() + d.getUTCMonth(),
    text: (n) => `${Math.floor(n / 12)}-${two((n % 12) + 1)}`,
  },
  week: {
    number: (d) => Math.floor((d.getTime() / DAY + 3) / 7),
    text: (n) => date(7 * n - 3).toISOString().slice(0, 10),
  },
  day: { number: (d) => Math.round(d.getTime() / DAY), text: (n) => date(n).toISOString().slice(0, 10) },
};
const FINEST = { year: ["year"], month: ["month", "quarter", "year"], day: ["day", "week", "month", "quarter", "year"] };

/** A value of a column as people read it; "" where it is missing. */
export function valueText(column, data, i) {
  const value = data[i];
  if (column.kind === "category") return value === NONE ? "" : column.values[value];
  if (column.kind === "number") return Number.isNaN(value) ? "" : String(Number(value.toPrecision(6)));
  if (value === NO_DAY) return "";
  const text = date(value).toISOString().slice(0, 10);
  return { year: text.slice(0, 4), month: text.slice(0, 7), day: text }[column.period];
}

/** The colour of each document by a column, and what the colours mean. */
export function columnColours(column, data) {
  if (column.kind === "category") {
    const colours = column.values.map((_, n) => (n < MOST_VALUES ? categoryColour(n) : grey()));
    const legend = column.values.slice(0, MOST_VALUES).map((value, n) => ({ text: value, colour: colours[n] }));
    const rest = column.values.length > MOST_VALUES || data.includes(NONE);
    if (rest) legend.push({ text: "other or none", colour: grey() });
    return { colours: [...colours, grey()], of: data.map((code) => (code === NONE ? colours.length : code)), legend };
  }
  const missing = column.kind === "date" ? (value) => value === NO_DAY : Number.isNaN;
  return scaled(Array.from(data), missing, (value) => valueText(column, [value], 0));
}

/** Colours of numbers: the lowest and highest hundredth are cut off. */
export function scaled(values, missing, text) {
  const known = values.filter((value) => !missing(value)).sort((a, b) => a - b);
  const low = known[Math.floor(known.length / 100)];
  const high = known[Math.ceil((known.length * 99) / 100) - 1];
  const steps = 32;
  const colours = Array.from({ length: steps + 1 }, (_, n) => scaleColour(n / steps));
  const of = Uint16Array.from(values, (value) =>
    missing(value) ? steps + 1 : Math.round(steps * Math.min(1, Math.max(0, (value - low) / (high - low || 1)))),
  );
  const ends = [
    { text: text(low), colour: colours[0] },
    { text: text((low + high) / 2), colour: colours[steps / 2] },
    { text: text(high), colour: colours[steps] },
  ];
  if (known.length < values.length) ends.push({ text: "none", colour: grey() });
  return { colours: [...colours, grey()], of, legend: ends };
}

/** Choose a period so that there are some, but not too many. */
function choosePeriods(column, data) {
  const days = Array.from(data).filter((day) => day !== NO_DAY).sort((a, b) => a - b);
  const bounds = [days[Math.floor(days.length / 500)], days[days.length - 1 - Math.floor(days.length / 500)]];
  const fitting = FINEST[column.period].map((name) => {
    const [first, last] = bounds.map((day) => PERIODS[name].number(date(day)));
    return { name, first, n: last - first + 1 };
  });
  const possible = fitting.filter((each) => each.n <= MOST_PERIODS);
  const best = possible.find((each) => each.n <= 48) ?? possible[possible.length - 1] ?? fitting[fitting.length - 1];
  return { possible: possible.map((each) => each.name), ...best, bounds };
}

/** Counts of documents by group and by period or value. */
function tally(column, data, at, period) {
  const names = [];
  let code;
  if (column.kind === "date") {
    const { number, text } = PERIODS[period.name];
    for (let k = 0; k < period.n; k++) names.push(text(period.first + k));
    code = (value) => (value === NO_DAY ? -1 : number(date(value)) - period.first);
  } else {
    names.push(...column.values.slice(0, MOST_VALUES));
    code = (value) => value;
  }
  const counts = at.groups.map(() => new Float64Array(names.length));
  const totals = new Float64Array(names.length);
  for (let i = 0; i < data.length; i++) {
    const k = code(data[i]);
    if (k < 0 || k >= names.length || at.of[i] === NONE) continue;
    counts[at.of[i]][k]++;
    totals[k]++;
  }
  return { names, counts, totals };
}

/** The view of all columns: one is chosen, its groups are drawn side by side. */
export async function columnsView(element, source, state) {
  const { head } = source;
  const arrays = await source.arrays();
  const shown = head.columns
    .map((column, at) => ({ column, data: arrays[`column_${at}`] }))
    .filter(({ column, data }) => column.kind !== "number" && new Set(data).size > 1);
  if (shown.length === 0) return false;
  shown.sort((a, b) => (b.column.kind === "date") - (a.column.kind === "date"));
  const panels = make("div", { class: "multiples" });
  const about = make("p", { class: "about" });
  const choice = make("select", { id: "column-choice" });
  shown.forEach(({ column }, at) => choice.append(make("option", { value: at }, column.name)));
  const period = make("select", { id: "period-choice" });
  const periodLabel = make("label", { for: "period-choice" }, "by");
  element.append(
    make("div", { class: "controls" }, make("label", { for: "column-choice" }, "Column"), choice, periodLabel, period),
    about,
    panels,
  );
  let periods = null;
  const chooseColumn = () => {
    const { column, data } = shown[Number(choice.value)];
    periods = column.kind === "date" ? choosePeriods(column, data) : null;
    period.replaceChildren(...(periods?.possible ?? []).map((name) => make("option", { value: name }, name)));
    if (periods) period.value = periods.name;
    period.hidden = periodLabel.hidden = !periods || periods.possible.length < 2;
    draw();
  };
  const draw = () => {
    const { column, data } = shown[Number(choice.value)];
    if (periods && period.value) {
      const [first, last] = periods.bounds.map((day) => PERIODS[period.value].number(date(day)));
      periods = { ...periods, name: period.value, first, n: last - first + 1 };
    }
    const at = state.get("groups");
    const found = tally(column, data, at, periods);
    const every = column.kind !== "date" ? "each value" : periods.name === "week" ? "each week, named by its Monday" : `each ${periods.name}`;
    about.textContent =
      `Share of each cluster in the documents of ${every}. The line across is its share of all documents.` +
      (column.kind === "category" && column.values.length > MOST_VALUES ? ` The ${MOST_VALUES} most frequent of ${thousands(column.values.length)} values.` : "");
    const drawPanel = column.kind === "date" ? timePanel : valuePanel;
    const most = Math.max(0.01, ...found.counts.flatMap((row) => Array.from(row, (n, k) => (found.totals[k] > 4 ? n / found.totals[k] : 0))));
    panels.replaceChildren(...at.groups.map((group, g) => drawPanel(group, found.counts[g], found, most)));
  };
  choice.addEventListener("change", chooseColumn);
  period.addEventListener("change", draw);
  chooseColumn();
  state.watch(["groups"], draw);
  whenColoursChange(element, draw);
  return true;
}

function heading(group) {
  return make("h3", {}, chip(group), " ", bdi(group.name));
}

function timePanel(group, row, { names, totals }, most) {
  const mean = row.reduce((a, b) => a + b, 0) / Math.max(1, totals.reduce((a, b) => a + b, 0));
  const x = (k) => (names.length === 1 ? WIDTH / 2 : (k / (names.length - 1)) * WIDTH);
  const y = (share) => HEIGHT - Math.min(1, share / most) * HEIGHT;
  const points = [];
  let peak = -1;
  for (let k = 0; k < names.length; k++) {
    if (!totals[k]) continue;
    points.push(`${x(k).toFixed(1)},${y(row[k] / totals[k]).toFixed(1)}`);
    if (totals[k] > 4 && (peak < 0 || row[k] / totals[k] > row[peak] / totals[peak])) peak = k;
  }
  const highest = peak < 0 ? "" : ` Highest: ${percent(row[peak] / totals[peak])} in ${names[peak]}.`;
  const label = `${group.name}: ${percent(mean)} of all documents, from ${names[0]} to ${names[names.length - 1]}.${highest}`;
  const colour = css(groupColour(group));
  return make(
    "figure",
    { class: "multiple" },
    heading(group),
    svg(
      "svg",
      { viewBox: `-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`, role: "img", "aria-label": label },
      svg("path", { class: "mean", d: `M0 ${y(mean).toFixed(1)}H${WIDTH}` }),
      svg("polyline", { points: points.join(" "), stroke: colour }),
      ...(points.length < 60 ? points.map((p) => svg("circle", { cx: p.split(",")[0], cy: p.split(",")[1], r: 2, fill: colour })) : []),
    ),
    make("figcaption", {}, make("span", {}, names[0]), make("span", {}, peak < 0 ? "" : `most in ${names[peak]}`), make("span", {}, names[names.length - 1])),
  );
}

function valuePanel(group, row, { names, totals }, most) {
  const order = names.map((_, k) => k).filter((k) => totals[k]);
  const all = totals.reduce((a, b) => a + b, 0);
  const mean = row.reduce((a, b) => a + b, 0) / Math.max(1, all);
  const colour = css(groupColour(group));
  return make(
    "figure",
    { class: "multiple" },
    heading(group),
    make(
      "dl",
      { class: "bars", css: { "--mean": `${(100 * Math.min(1, mean / most)).toFixed(1)}%` } },
      ...order.map((k) =>
        make(
          "div",
          { title: `${counted(row[k], "document")} of ${thousands(totals[k])}` },
          make("dt", {}, bdi(names[k])),
          make("dd", {}, make("span", { class: "bar", "aria-hidden": "true" }, make("span", { css: { width: `${(100 * Math.min(1, row[k] / totals[k] / most)).toFixed(1)}%`, background: colour } })), make("span", { class: "bar-value" }, percent(row[k] / totals[k]))),
        ),
      ),
    ),
  );
}
