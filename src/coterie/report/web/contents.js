// The table of contents shows where one is; cards fold.

/** Mark the entry of the section in view. */
export function followContents(navigation) {
  const links = Array.from(navigation.querySelectorAll('a[href^="#"]'));
  const entries = links.map((link) => ({ link, target: document.getElementById(link.getAttribute("href").slice(1)) })).filter((each) => each.target);
  let current = null;
  let waiting = 0;
  const update = () => {
    waiting = 0;
    const line = innerHeight / 3;
    const shown = entries.filter(({ link, target }) => link.offsetParent && target.offsetParent);
    const tops = shown.map(({ link, target }) => ({ link, top: target.getBoundingClientRect().top })).filter(({ top }) => top <= line);
    tops.sort((a, b) => a.top - b.top);
    const next = tops[tops.length - 1]?.link ?? shown[0]?.link;
    if (!next || next === current) return;
    current?.removeAttribute("aria-current");
    current = next;
    current.setAttribute("aria-current", "location");
    const box = current.getBoundingClientRect();
    const frame = navigation.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) navigation.scrollTop += box.top - frame.top - frame.height / 3;
  };
  addEventListener("scroll", () => (waiting ||= requestAnimationFrame(update)), { passive: true });
  navigation.addEventListener("click", (event) => {
    const fold = navigation.closest("details");
    if (fold?.open && event.target.closest("a, button")) fold.open = false;
  });
  update();
}

/** A button that folds or opens all cards; links to a card open it. */
export function foldCards(button) {
  const cards = Array.from(document.querySelectorAll(".card > details"));
  const update = () => {
    const open = cards.some((card) => card.open);
    button.textContent = open ? "Fold all" : "Open all";
    return open;
  };
  button.addEventListener("click", () => {
    const open = update();
    for (const card of cards) card.open = !open;
    update();
  });
  for (const card of cards) card.addEventListener("toggle", update);
  const openCard = (card) => card?.classList.contains("card") && (card.querySelector("details").open = true);
  const openTarget = () => {
    openCard(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  };
  addEventListener("hashchange", openTarget);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#cluster-"]');
    if (link) openCard(document.getElementById(link.getAttribute("href").slice(1)));
  });
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = cards.filter((card) => !card.open);
    for (const card of closed) card.open = true;
  });
  addEventListener("afterprint", () => closed.forEach((card) => (card.open = false)));
  openTarget();
  update();
  button.hidden = false;
}
