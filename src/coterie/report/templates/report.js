(() => {
  "use strict";
  const form = document.getElementById("search");
  const query = document.getElementById("query");
  const status = document.getElementById("search-status");
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const cards = Array.from(document.querySelectorAll(".card"), (card) => ({
    card,
    fold: card.querySelector("details"),
    wasOpen: false,
    entries: Array.from(card.querySelectorAll(".word, .document-title"), (element) => ({
      element,
      text: plain(element.textContent),
    })),
  }));

  let lastWanted = "";
  const filter = () => {
    const wanted = plain(query.value.trim());
    let shown = 0;
    for (const each of cards) {
      const { card, fold, entries } = each;
      if (lastWanted === "") each.wasOpen = fold.open;
      let match = wanted === "";
      for (const { element, text } of entries) {
        const hit = wanted !== "" && text.includes(wanted);
        element.classList.toggle("hit", hit);
        match = match || hit;
      }
      card.hidden = !match;
      fold.open = wanted === "" ? each.wasOpen : true; // a hit may be in what is folded
      shown += match ? 1 : 0;
    }
    lastWanted = wanted;
    if (wanted === "") status.textContent = "";
    else if (shown === 0) status.textContent = "No cluster shows that word or title.";
    else status.textContent = `${shown} of ${cards.length} clusters`;
  };

  const clear = () => {
    query.value = "";
    filter();
  };

  const search = () => {
    filter();
    const { top, bottom } = status.getBoundingClientRect();
    const inView = top >= 0 && bottom <= innerHeight;
    if (query.value.trim() !== "" && !inView) document.getElementById("clusters").scrollIntoView();
  };

  query.addEventListener("input", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
    } else if (event.key === "Escape" && event.target === query) {
      clear();
    }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#cluster-"]');
    if (!link) return;
    if (document.querySelector(link.getAttribute("href"))?.hidden) clear();
    open(link.getAttribute("href"));
  });
  const open = (address) => {
    const found = cards.find(({ card }) => `#${card.id}` === address);
    if (found) found.fold.open = true;
  };
  addEventListener("hashchange", () => open(location.hash));
  open(location.hash);
  form.hidden = false;
})();
