// The keyboard, the theme, and the beginning.

const KEYS = [
  ["→ l", "the next pass that changed something", () => nextPass(1), ["ArrowRight", "l"]],
  ["← h", "the previous one", () => nextPass(-1), ["ArrowLeft", "h"]],
  ["j", "the next step, including rewrites and passes of LLVM", () => nextPoint(1), ["j"]],
  ["k", "the previous step", () => nextPoint(-1), ["k"]],
  ["Home End", "the start, the end", null, []],
  ["1 – 4", "step by step, side by side, compare, graph", null, []],
  ["5 – 9 0", "the panel: step, value, types, decisions, time, about", null, []],
  ["/", "search", () => openSearch(), ["/"]],
  ["d", "compare this step with the previous one", () => go({ view: S.view === "diff" ? "step" : "diff", a: -1, b: -1 }), ["d"]],
  ["a  b", "set the start, the end of a comparison", null, []],
  ["g", "the graph", () => hasGraphs() && go({ view: S.view === "graph" ? "step" : "graph" }), ["g"]],
  ["f", "fold passes without a change", () => go({ folded: !S.folded }), ["f"]],
  ["v", "values in the code", () => go({ values: !S.values }), ["v"]],
  ["i", "hide the panel", () => go({ inspector: !inspectorShown() }), ["i"]],
  ["s", "the list of steps (on small screens)", () => go({ steps: !S.steps }), ["s"]],
  ["Enter", "on a line: follow its names in turn", null, []],
  ["↑ ↓", "in a column: line by line", null, []],
  ["u", "leave a nested function", () => current().parent >= 0 && enter(current().parent), ["u"]],
  ["t", "switch between dark and light", () => switchTheme(), ["t"]],
  ["Esc", "stop following and highlighting", null, []],
  ["?", "this help", () => openHelp(), ["?"]],
];

const hasGraphs = () => Boolean(current().graphs && current().graphs.length);

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.target;
  const typing = target.matches && target.matches("input, select, textarea");
  if (typing && !/^[a-z/?]$/.test(event.key)) return;
  if (target.matches && target.matches("select, input[type=search]")) return;
  if (act(event.key)) event.preventDefault();
}

function act(key) {
  const row = KEYS.find((k) => k[3].includes(key));
  if (row) row[2]();
  else if (/^[1-4]$/.test(key)) chooseView(Object.keys(VIEWS)[Number(key) - 1]);
  else if (/^[5-90]$/.test(key)) go({ panel: PANEL_NAMES[key === "0" ? 5 : Number(key) - 5], inspector: true });
  else if (key === "a" || key === "b") go({ [key]: S.at, view: "diff" });
  else if (key === "Home") go({ at: 0 });
  else if (key === "End") go({ at: current().points.filter((p) => !p.sub).pop().index });
  else if (key === "Escape") letGo();
  else return false;
  return true;
}

function chooseView(view) {
  if (view !== "graph" || hasGraphs()) go({ view });
}

function letGo() {
  S.pinned = null;
  go({ value: "", line: 0, steps: false });
}

function switchTheme(to) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = to || (now === "dark" ? "light" : "dark");
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("cutaway-theme", next);
  } catch {
    // A notebook's frame may keep nothing.
  }
}

function openHelp() {
  const box = byId("help");
  if (!byId("keys").children.length) {
    append(byId("keys"), KEYS.map(([keys, text]) => [el("dt", {}, keys.split(/\s+/).map((key) => (key === "–" ? "– " : el("kbd", {}, key)))), el("dd", {}, text)]));
    append(byId("glossary"), Object.values(LEVELS).map(([name, text]) => [el("dt", {}, name), el("dd", {}, ...prose(text))]));
    append(byId("glossary"), GLOSSARY.map(([name, text]) => [el("dt", {}, name), el("dd", {}, ...prose(text))]));
  }
  box.showModal();
}

async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

async function begin(packed, options) {
  OPTIONS = options || {};
  if (window.top === window) OPTIONS.compact = false; // saved from a notebook's frame
  try {
    const kept = localStorage.getItem("cutaway-theme");
    if (kept) document.documentElement.dataset.theme = kept;
  } catch {
    // Without storage the system's choice holds.
  }
  DATA = decoded(JSON.parse(await inflated(packed)));
  if (OPTIONS.panel) S.inspector = true;
  for (const name of ["bare", "still"]) byId("app").classList.toggle(name, Boolean(OPTIONS[name]));
  byId("app").classList.toggle("compact", Boolean(OPTIONS.compact));
  restore();
  connect();
  byId("app").hidden = false; // what is hidden has no sizes, and cannot be scrolled
  byId("plain").remove();
  draw();
  showChange();
  if (S.pinned) scrollOthers(null);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

/** Saves a notebook's frame, as it was before its script ran, as a page. */
function savePage() {
  const file = new Blob(["<!doctype html>\n", globalThis.pristine], { type: "text/html" });
  const link = el("a", { href: URL.createObjectURL(file), download: `${DATA.functions[0].name}.html` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function connect() {
  byId("save-button").hidden = !OPTIONS.compact;
  byId("save-button").onclick = savePage;
  for (const button of document.querySelectorAll("#views button")) button.onclick = () => chooseView(button.dataset.view);
  byId("back").onclick = () => nextPass(-1);
  byId("forward").onclick = () => nextPass(1);
  byId("search-button").onclick = openSearch;
  byId("help-button").onclick = openHelp;
  byId("theme-button").onclick = () => switchTheme();
  byId("steps-button").onclick = () => go({ steps: !S.steps });
  byId("tabs").addEventListener("keydown", tabKeys);
  const input = byId("search").querySelector("input");
  input.addEventListener("input", () => listResults(results(current(), input.value)));
  input.addEventListener("keydown", searchKeys);
  for (const box of document.querySelectorAll("dialog")) box.addEventListener("click", (event) => event.target === box && box.close());
  addEventListener("keydown", pressed);
  addEventListener("popstate", () => (restore(), draw()));
  addEventListener("hashchange", () => (restore(), draw()));
}
