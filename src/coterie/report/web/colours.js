// Colours of groups, categories and numbers, for light and dark screens, and for paper.

const LIGHT = [0.56, 0.68, 0.47];
const DARK = [0.74, 0.64, 0.84];
const GOLDEN_ANGLE = 137.508;

const dark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

/** Whether the page is being printed. */
export const onPaper = () => printing;

export const isDark = () => dark.matches && !printing;

/** Draw an element again when its colours change: by the scheme of the screen, and for print. */
export function whenColoursChange(element, draw) {
  element.classList.add("drawn");
  element.addEventListener("colours", draw);
}

function drawAgain() {
  for (const each of document.querySelectorAll(".drawn")) each.dispatchEvent(new Event("colours"));
}

function drawForPrint(begins) {
  printing = begins;
  drawAgain();
}

dark.addEventListener("change", drawAgain);
addEventListener("beforeprint", () => drawForPrint(true));
addEventListener("afterprint", () => drawForPrint(false));

/** An OKLCH colour as [red, green, blue], 0 to 255. */
export function rgb(light, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((x) => {
    const bounded = Math.min(1, Math.max(0, x));
    const shown = bounded > 0.0031308 ? 1.055 * bounded ** (1 / 2.4) - 0.055 : 12.92 * bounded;
    return Math.round(255 * shown);
  });
}

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** The colour of a group: its hue, neighbours lighter or darker. */
export function groupColour(group) {
  return rgb((isDark() ? DARK : LIGHT)[group.tone % 3], 0.12, group.hue);
}

/** The colour of the n-th value of a category. */
export function categoryColour(n) {
  return rgb((isDark() ? DARK : LIGHT)[n % 3], 0.13, (20 + GOLDEN_ANGLE * n) % 360);
}

/** A colour for a number from 0 to 1, the higher the stronger. */
export function scaleColour(share) {
  const light = isDark() ? 0.4 + 0.5 * share : 0.87 - 0.5 * share;
  return rgb(light, 0.05 + 0.09 * share, 105 + 165 * share);
}

export const grey = () => (isDark() ? [90, 96, 104] : [176, 172, 164]);

/** What points and cells are drawn on. */
export const paperColour = () => (printing ? [255, 255, 255] : isDark() ? [28, 31, 35] : [255, 254, 251]);
