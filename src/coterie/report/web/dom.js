// Elements and numbers as the page writes them. Data enter as text only, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const NO_BREAK = "\u00a0";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "hue") element.style.setProperty("--hue", String(Number(value)));
    else if (name === "css") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element; "on..." are listeners, `hue` the colour of a cluster, strings become text. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A name or text in a direction of its own. */
export const bdi = (text, attributes = {}) => make("bdi", attributes, text);

export const chip = (group) => make("span", { class: "chip", hue: group.hue, "aria-hidden": "true" }, group.label);

export const thousands = (n) => Math.round(n).toLocaleString("en-US");

export const counted = (n, noun) => `${thousands(n)} ${noun}${n === 1 ? "" : "s"}`;

export function percent(share) {
  if (share > 0 && share < 0.0005) return `<0.1${NO_BREAK}%`;
  if (share >= 0.9995 && share < 1) return `>99.9${NO_BREAK}%`;
  const extreme = (share > 0 && share < 0.00995) || (share > 0.99 && share < 1);
  return `${(100 * share).toFixed(extreme ? 1 : 0)}${NO_BREAK}%`;
}

/** A text with marks around some of its places, pairs of start and end. */
export function highlighted(text, hits) {
  const pieces = [];
  let end = 0;
  for (const [from, to] of hits) {
    if (from > end) pieces.push(text.slice(end, from));
    pieces.push(make("mark", {}, text.slice(from, to)));
    end = to;
  }
  pieces.push(text.slice(end));
  return pieces;
}
