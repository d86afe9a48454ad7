// The table of contents shows where one is; cards fold.

/** Mark the entry of the section in view. */
export function followContents(navigation) {
  const links = new Map(Array.from(navigation.querySelectorAll('a[href^="#"]'), (link) => [link.getAttribute("href").slice(1), link]));
  let current = null;
  const seen = new Map();
  const update = () => {
    const visible = [...seen].filter(([, top]) => top !== null);
    visible.sort((a, b) => a[1] - b[1]);
    const id = visible[0]?.[0];
    if (!id || links.get(id) === current) return;
    current?.removeAttribute("aria-current");
    current = links.get(id);
    current.setAttribute("aria-current", "location");
    const box = current.getBoundingClientRect();
    const frame = navigation.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) navigation.scrollTop += box.top - frame.top - frame.height / 3;
  };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting ? entry.boundingClientRect.top : null);
    update();
  }, { rootMargin: "-15% 0px -60% 0px" });
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target) observer.observe(target);
  }
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
