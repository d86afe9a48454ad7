"""The page in a browser: bytes, first paint, search, frames a second while zooming, memory.

    python benchmarks/page.py [--data DIR] [--keep DIR]       20 Newsgroups, made and measured
    python benchmarks/page.py FILE.html [FILE.html ...]       pages at hand
    python benchmarks/page.py --bertopic --topicwizard        also their plots of documents

The collection is that of COTERIE_DATA, clustered in 20 clusters by PLSA. A second page has each
document ten times on its map, at places that differ a little: 199,970 points. Chromium runs
without a window and without a graphics card. Every number is the median of five openings.

- first paint and ready: since the address was opened; ready is when all views are drawn
- search: from the last letter typed to the list of documents
- frames: mean over two seconds of zooming, by the wheel, or by `relayout` of Plotly
- memory: resident memory of the process that holds the page, after all of this
"""

import argparse
import base64
import gzip
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from playwright.sync_api import sync_playwright

from browser import OPTIONS, chromium_path

ARCHIVE = "20news-19997.tar.xz"
QUERIES = ("hockey", "encryption key", "the", "xyzzyx")
N_OPENINGS = 5
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
ZOOM = """async () => {
  const target = document.querySelector(".map-stage");
  target.scrollIntoView({ behavior: "instant", block: "center" });
  target.focus?.();
  const box = target.getBoundingClientRect();
  const [clientX, clientY] = [box.x + box.width / 2, box.y + box.height / 2];
  const place = { clientX, clientY, bubbles: true, cancelable: true };
  target.dispatchEvent(new PointerEvent("pointerdown", { ...place, pointerId: 1 }));
  target.dispatchEvent(new PointerEvent("pointerup", { ...place, pointerId: 1 }));
  const start = performance.now();
  let frames = 0;
  await new Promise((done) => {
    const step = (now) => {
      frames++;
      const deltaY = Math.floor((now - start) / 500) % 2 ? 40 : -40;
      target.dispatchEvent(new WheelEvent("wheel", { ...place, deltaY }));
      if (now - start < 2000) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  });
  return (1000 * frames) / (performance.now() - start);
}"""
ZOOM_PLOTLY = """async () => {
  const plot = document.querySelector(".js-plotly-plot");
  const { xaxis, yaxis } = plot._fullLayout;
  const [x, y] = [[...xaxis.range], [...yaxis.range]];
  const part = ([low, high], share) =>
    [low + ((1 - share) * (high - low)) / 2, high - ((1 - share) * (high - low)) / 2];
  const start = performance.now();
  let frames = 0;
  while (performance.now() - start < 2000) {
    const share = 0.6 + 0.4 * Math.cos((performance.now() - start) / 160);
    const ranges = { "xaxis.range": part(x, share), "yaxis.range": part(y, share) };
    await Plotly.relayout(plot, ranges);
    await new Promise(requestAnimationFrame);
    frames++;
  }
  return (1000 * frames) / (performance.now() - start);
}"""
SEARCH = """async (query) => {
  const field = document.getElementById("query");
  field.value = query;
  const start = performance.now();
  field.dispatchEvent(new Event("input"));
  const wanted = `“${query}”`;
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const found = () => document.querySelector(".list > li") || /^No/.test(text(".list-status"));
  const done = () => text("#list-title") === wanted && found();
  document.querySelector(".list")?.replaceChildren();
  await new Promise((resolve) => {
    const wait = () => (done() ? resolve() : setTimeout(wait, 1));
    wait();
  });
  return performance.now() - start;
}"""


def make_pages(data, folder):
    """The page of 20 Newsgroups, and one with ten times as many points."""
    import coterie
    from coterie.clustering.page import payload
    from coterie.report import render

    result = coterie.cluster(data / ARCHIVE, 20, "plsa", progress=False, n_init=2)
    started = time.process_time()
    made = payload(result)
    print(f"payload made in {time.process_time() - started:.1f} s of one core")
    page = folder / "newsgroups.html"
    page.write_text(render(result.summary, payload=made), encoding="utf-8")
    many = folder / "newsgroups-ten-times.html"
    many.write_text(_ten_times(page.read_text(encoding="utf-8")), encoding="utf-8")
    return [page, many]


def make_bertopic_page(data, folder):
    """The documents in 20 topics as BERTopic draws them, with their titles."""
    from bertopic import BERTopic
    from bertopic.dimensionality import BaseDimensionalityReduction

    corpus, texts, vectors, clusters = _by_others(data)
    model = BERTopic(umap_model=BaseDimensionalityReduction(), hdbscan_model=clusters)
    model.fit(texts, vectors)
    figure = model.visualize_documents(corpus.titles, reduced_embeddings=vectors[:, 1:3])
    page = folder / "bertopic.html"
    figure.write_html(page, include_plotlyjs=True)
    return page


def make_topicwizard_page(data, folder):
    """The documents in 20 topics as topic-wizard draws them, with their titles."""
    import pandas
    from topicwizard.figures import document_map

    corpus, _, vectors, clusters = _by_others(data)
    topics = np.eye(20)[clusters.fit_predict(vectors)]
    shown = {
        "document_representation": vectors,
        "document_topic_matrix": topics,
        "topic_names": [f"topic {number}" for number in range(20)],
    }
    figure = document_map(shown, pandas.DataFrame({"title": list(corpus.titles)}))
    page = folder / "topicwizard.html"
    figure.write_html(page, include_plotlyjs=True)
    return page


def _by_others(data):
    """The documents, their texts and vectors, and an algorithm for 20 clusters of them."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    from coterie.corpus import read

    corpus = read(data / ARCHIVE)
    texts = corpus.texts(slice(None))
    weights = TfidfVectorizer(min_df=3, sublinear_tf=True).fit_transform(texts)
    vectors = TruncatedSVD(50, random_state=0).fit_transform(weights)
    return corpus, texts, vectors, KMeans(20, n_init=1, random_state=0)


def _ten_times(html):
    """A page whose map has each document ten times; the lists stay as they are."""
    head = json.loads(_part(html, "head"))
    data, rng = _part(html, "arrays"), np.random.default_rng(0)
    types = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4"}
    pieces, start = [], 0
    for name, where in head["arrays"].items():
        kind = types[where["type"]]
        values = np.frombuffer(data[where["start"] :], kind, where["length"])
        if where["length"] == head["n_points"] and name != "whole":
            values = np.tile(values, 10)
            if name in ("x", "y"):
                moved = values + rng.normal(0, 600, len(values))
                values = np.clip(moved, 0, 65535).astype(kind)
        where |= {"start": start, "length": len(values)}
        pieces.append(values.tobytes() + bytes(-values.nbytes % 8))
        start += len(pieces[-1])
    head["n_points"] *= 10
    html = _replaced(html, "arrays", b"".join(pieces))
    return _replaced(html, "head", json.dumps(head).encode())


def _bounds(html, name):
    opening = f'id="part-{name}">'
    start = html.index(opening) + len(opening)
    return start, html.index("</script>", start)


def _part(html, name):
    start, end = _bounds(html, name)
    return gzip.decompress(base64.b64decode(html[start:end]))


def _replaced(html, name, part):
    start, end = _bounds(html, name)
    return html[:start] + base64.b64encode(gzip.compress(part)).decode() + html[end:]


def measure(driver, path, file):
    """All numbers of one opening of a page."""
    browser = driver.chromium.launch(executable_path=path, args=list(OPTIONS))
    try:
        page = browser.new_page(viewport={"width": 1400, "height": 950})
        started = time.perf_counter()
        page.goto(file.as_uri(), wait_until="commit")
        ours = "part-head" in file.read_text(encoding="utf-8")
        if ours:
            page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
        else:
            page.wait_for_load_state("load")
            page.wait_for_selector(".js-plotly-plot .plot-container", timeout=120_000)
        found = {"ready, s": time.perf_counter() - started}
        found["first paint, s"] = page.evaluate(PAINT) / 1000
        if ours:
            page.evaluate(SEARCH, "warm")
            times = [page.evaluate(SEARCH, query) for query in QUERIES]
            found |= {"search, ms": statistics.median(times), "slowest search, ms": max(times)}
            page.keyboard.press("Escape")
        found["frames a second"] = page.evaluate(ZOOM if ours else ZOOM_PLOTLY)
        found["memory, MB"] = _memory(browser)
        return found
    finally:
        browser.close()


def _memory(browser):
    """Resident memory of the largest process that draws a page."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = [
        int(line.split()[1]) / 1000
        for process in processes
        if process["type"] == "renderer"
        for line in Path(f"/proc/{process['id']}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    ]
    return max(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("COTERIE_DATA"))
    parser.add_argument("--keep", type=Path, help="folder for the pages (default: none)")
    parser.add_argument("--bertopic", action="store_true", help="BERTopic's page as well")
    parser.add_argument("--topicwizard", action="store_true", help="topic-wizard's as well")
    parser.add_argument("-n", type=int, default=N_OPENINGS, help="openings of each page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        kept = arguments.keep or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        files = arguments.files or make_pages(Path(arguments.data), kept)
        if arguments.bertopic:
            files.append(make_bertopic_page(Path(arguments.data), kept))
        if arguments.topicwizard:
            files.append(make_topicwizard_page(Path(arguments.data), kept))
        for file in files:
            runs = [
                measure(driver, chromium_path(), file.resolve()) for _ in range(arguments.n)
            ]
            print(f"\n{file.name}: {file.stat().st_size / 1e6:.1f} MB")
            for name in runs[0]:
                values = sorted(run[name] for run in runs)
                middle = statistics.median(values)
                print(f"  {name:20} {middle:8.2f}   ({values[0]:.2f} to {values[-1]:.2f})")


if __name__ == "__main__":
    main()
