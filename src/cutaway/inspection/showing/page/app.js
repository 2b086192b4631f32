// The whole: what is chosen, the address that says so, and what is drawn from it.

let DATA = null;
let OPTIONS = {};

const VIEWS = { step: "Step by step", levels: "Side by side", diff: "Compare", graph: "Graph" };

// What is chosen.  `pinned` is the place that stays lit; the rest is in the address.
const S = {
  fn: 0, at: 0, view: "step", panel: "step", value: "", line: 0, a: -1, b: -1, split: false, columns: [],
  graph: "cfg", zoom: 0, iteration: 0, values: true, folded: true, inspector: null, all: false, steps: false, pinned: null,
};

const current = () => DATA.functions[S.fn];
const pointNow = () => current().points[S.at];

// --- going somewhere -------------------------------------------------------------------------------

/** Chooses something, draws it, and says so in the address. */
function go(change, how) {
  const moved = change.at !== undefined && change.at !== S.at;
  if (moved && S.panel !== "types" && S.panel !== "value" && !change.panel) S.panel = "step";
  Object.assign(S, change);
  S.at = Math.max(0, Math.min(current().points.length - 1, S.at));
  draw();
  if (moved) showChange();
  remember(how || (moved || change.view || change.value !== undefined ? "push" : "replace"));
  if (moved) announce(`${titleOf(current(), pointNow())}. ${wordsOf(current(), pointNow()).replace(/`/g, "")} ${changeWords()}`);
}

/** Brings the first change of a step into sight. */
function showChange() {
  const body = document.querySelector('[data-k="pane-now"]');
  const row = body && body.querySelector(".row.new, .row.changed, .row.gone");
  if (row && (row.offsetTop < body.scrollTop || row.offsetTop > body.scrollTop + body.clientHeight - 60)) body.scrollTop = Math.max(0, row.offsetTop - 90);
}

/** Goes to another function's compilation. */
function enter(index) {
  S.pinned = null;
  go({ fn: index, at: 0, value: "", a: -1, b: -1, line: 0, panel: "step", columns: [] }, "push");
  announce(`Compilation of ${current().signature}`);
}

function address() {
  const fn = current();
  const parts = { pass: pointNow().id };
  if (S.fn) parts.fn = S.fn;
  if (S.value) parts.value = S.value;
  if (S.view !== "step") parts.view = S.view;
  if (S.panel !== "step") parts.panel = S.panel;
  if (S.view === "diff") Object.assign(parts, { a: pointA(fn).id, b: pointB(fn).id });
  if (S.view === "diff" && S.split) parts.split = 1;
  if (S.view === "levels" && S.columns.length) parts.columns = S.columns.join("|");
  if (S.view === "graph" && S.graph !== "cfg") parts.graph = S.graph;
  if (S.line) parts.line = S.line;
  return `#${new URLSearchParams(parts)}`;
}

function remember(how) {
  const hash = address();
  if (hash === location.hash) return;
  try {
    history[how === "push" ? "pushState" : "replaceState"](null, "", hash);
  } catch {
    // A notebook's frame has no address of its own.
  }
}

function restore() {
  const parts = new URLSearchParams(location.hash.slice(1));
  S.fn = Math.min(DATA.functions.length - 1, Math.max(0, Number(parts.get("fn")) || 0));
  const fn = current();
  const find = (id) => fn.points.findIndex((p) => p.id === id);
  const ofLevel = (level) => fn.points.findLastIndex((p) => !p.sub && p.changed && (fn.states[p.state] || {}).level === level);
  const findNear = (id) => Math.max(0, [find(id), find(id.split("/")[0]), ofLevel(id)].find((k) => k >= 0) ?? 0);
  S.at = parts.has("pass") ? findNear(parts.get("pass")) : firstPoint(fn);
  S.view = VIEWS[parts.get("view")] ? parts.get("view") : OPTIONS.view || "step";
  S.panel = PANELS[parts.get("panel")] ? parts.get("panel") : OPTIONS.panel || "step";
  S.value = parts.get("value") || (parts.has("pass") ? "" : OPTIONS.value || "");
  S.a = find(parts.get("a") || OPTIONS.a);
  S.b = find(parts.get("b") || OPTIONS.b);
  S.split = parts.has("split");
  S.columns = parts.has("columns") ? parts.get("columns").split("|") : OPTIONS.columns || [];
  S.graph = parts.get("graph") || "cfg";
  S.line = Number(parts.get("line")) || 0;
  S.pinned = S.line ? { span: [S.line, 0, S.line, 0], whole: true } : null;
}

/** Where one stands at first: at the start; at the failed pass where there is one. */
function firstPoint(fn) {
  const failed = fn.points.findIndex((p) => p.kind === "pass" && fn.passes[p.pass].failed);
  if (failed >= 0) return failed;
  const asked = fn.points.findIndex((p) => p.id === OPTIONS.at);
  return Math.max(0, asked);
}

// --- steps -----------------------------------------------------------------------------------------

function nextPass(step) {
  const points = current().points;
  let k = S.at;
  do k += step;
  while (points[k] && (points[k].sub || (S.folded && !points[k].changed)));
  if (points[k]) go({ at: k });
  else if (step < 0 && points[S.at].sub) go({ at: 0 });
}

function nextPoint(step) {
  const points = current().points;
  let k = S.at + step;
  while (points[k] && S.folded && !points[k].changed) k += step;
  if (points[k]) go({ at: k });
}

function changeWords() {
  const fn = current();
  const rows = rowsOf(fn, pointNow());
  if (!rows.some((row) => row.kind === "same")) return "";
  const { made, changed, gone } = diffCounts(rows);
  return made || changed || gone ? `${count(made, "line")} new, ${changed} changed, ${gone} gone.` : "";
}

/** The program at a point, with what its step changed; another language is not compared. */
function rowsOf(fn, point) {
  if (point.rows) return point.rows;
  const [before, after] = [fn.states[point.before], fn.states[point.state]];
  if (!after) point.rows = [];
  else if (point.kind === "type") point.rows = diffRows(withTypes(before, point.typesBefore), withTypes(after, point.types)).filter((row) => row.kind !== "gone");
  else if (!before || point.before === point.state || before.language !== after.language) point.rows = plainRows(after);
  else point.rows = diffRows(worth(before.lines, before.language), worth(after.lines, after.language));
  return point.rows;
}

const plainRows = (state) => worth(state.lines, state.language).map((line) => ({ kind: "same", line }));

/** A button to see all lines of a language of which some are hidden. */
function allLines(language) {
  return NOISE[language] ? el("button", { class: "small", "aria-pressed": String(S.all), title: "Lines for the assembler or a debugger only", "data-k": `all-${language}`, onclick: () => showAll(!S.all) }, "all lines") : null;
}

function showAll(all) {
  for (const fn of DATA.functions) for (const point of fn.points) delete point.rows;
  go({ all });
}

function withTypes(state, types) {
  return state.lines.map((line) => {
    const found = line.defines.map((name) => types[name]).filter(Boolean);
    return found.length ? { ...line, shown: `${shown(line)}  :: ${found.join(" | ")}` } : line;
  });
}

// --- drawing ---------------------------------------------------------------------------------------

function draw() {
  const focused = document.activeElement && document.activeElement.getAttribute("data-k");
  const scrolls = new Map([...paneBodies()].filter((b) => b.spec).map((b) => [b.spec.key, [b.scrollTop, b.cursor]]));
  const fn = current();
  const point = pointNow();
  drawTop(fn);
  drawError(fn);
  drawLacks(fn);
  drawStep(fn, point);
  drawRail(fn, point);
  drawPanes(fn, point);
  drawPanel(fn, point);
  for (const body of paneBodies()) {
    const [scroll, cursor] = (body.spec && scrolls.get(body.spec.key)) || [0, -1];
    body.scrollTop = scroll;
    if (cursor >= 0) setCursor(body, cursor, false);
  }
  lightAgain();
  followIn(document);
  hideTip();
  const again = focused && document.querySelector(`[data-k="${CSS.escape(focused)}"]`);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

function drawTop(fn) {
  const crumbs = [];
  for (let k = fn.index; k >= 0; k = DATA.functions[k].parent) crumbs.unshift(DATA.functions[k]);
  const box = byId("crumbs");
  box.textContent = "";
  crumbs.forEach((f, k) => append(box, [k ? el("span", { class: "dim", "aria-hidden": "true" }, " › ") : null,
    f.index === fn.index ? el("span", { "aria-current": "page", class: "signature" }, el("b", {}, f.name), f.signature.slice(f.name.length), f.returns ? el("span", { class: "dim" }, ` → ${f.returns}`) : null)
      : el("button", { class: "link", onclick: () => enter(f.index) }, f.name)]));
  document.title = `${fn.name} – Cutaway`;
}

function drawError(fn) {
  const box = byId("error");
  const error = fn.error;
  box.hidden = !error;
  if (!error) return;
  box.textContent = "";
  const text = here(error.span) ? fn.source.lines[error.span[0] - fn.source.first_line] : undefined;
  append(box, [el("h2", {}, error.kind, ": ", ...prose(error.message)), text === undefined ? null : el("pre", { class: "caret" }, `${String(error.span[0]).padStart(4)}  ${text}\n      ${caret(fn, error.span, text)}`),
    error.hint ? el("p", {}, el("b", {}, "Hint: "), ...prose(sentence(error.hint))) : null,
    (error.notes || []).length ? el("ul", { class: "notes" }, error.notes.map((note) => el("li", {}, ...prose(note)))) : null]);
}

/** Sentences on what this record lacks: nothing is left out in silence. */
function drawLacks(fn) {
  const box = byId("lacks");
  const sentences = fn.left_out || [];
  box.hidden = !sentences.length;
  box.textContent = "";
  append(box, sentences.map((text) => el("p", {}, prose(text))));
}

function caret(fn, span, text) {
  const start = Math.max(0, span[1] - fn.indent);
  const end = span[2] === span[0] && span[3] ? span[3] - fn.indent : text.length;
  return " ".repeat(start) + "^".repeat(Math.max(1, end - start));
}

function drawStep(fn, point) {
  const passes = fn.points.filter((p) => !p.sub);
  const at = passes.findIndex((p) => p.pass === point.pass);
  byId("where").textContent = point.pass < 0 ? `start, before ${count(passes.length - 1, "pass", "passes")}` : `pass ${at} of ${passes.length - 1}`;
  const title = byId("title");
  title.textContent = "";
  const pass = point.pass >= 0 ? fn.passes[point.pass] : null;
  const [other, otherWords] = (OTHER_WORDS[S.view] || (() => []))(fn);
  append(title, other ? [other] : [point.sub ? [el("button", { class: "link", onclick: () => go({ at: point.index - point.sub }) }, pass.name), " › "] : null, titleOf(fn, point)]);
  const said = byId("words");
  said.textContent = "";
  append(said, prose(otherWords || wordsOf(fn, point)));
  byId("facts").textContent = "";
  if (!other) drawFacts(fn, point, pass);
  const slider = byId("slider");
  Object.assign(slider, { max: passes.length - 1, value: at });
  slider.setAttribute("aria-valuetext", pass ? `${at}: ${pass.name}` : "source");
  slider.oninput = () => go({ at: passes[Number(slider.value)].index }, "replace");
  drawInside(fn, point);
  for (const button of document.querySelectorAll("#views button")) button.setAttribute("aria-pressed", String(button.dataset.view === S.view));
  byId("graph-view").hidden = !(fn.graphs && fn.graphs.length);
}

const OTHER_WORDS = {
  levels: () => ["Side by side", "Each column is the whole program at one level. Point at a line, or click it, to find the same place in all other columns."],
  diff: (fn) => ["Compare", `The changes from A, \`${titleOf(fn, pointA(fn))}\`, to B, \`${titleOf(fn, pointB(fn))}\`. You can compare any two points: choose them here, or press \`a\` and \`b\` at the points.`],
};

function countFacts(rows) {
  const { made, changed, gone } = diffCounts(rows);
  return [made ? el("span", { class: "plus", title: "new lines" }, `+${made}`) : null, changed ? el("span", { title: "changed lines" }, `~${changed}`) : null, gone ? el("span", { class: "minus", title: "removed lines" }, `−${gone}`) : null];
}

function drawFacts(fn, point, pass) {
  const box = byId("facts");
  const facts = countFacts(rowsOf(fn, point));
  if (pass && !point.sub && pass.own_seconds > 0) facts.push(el("span", {}, duration(pass.own_seconds)));
  if (point.kind === "rewrite" && here(point.rewrite.span)) facts.push(placeLink(fn, point.rewrite.span));
  if (point.kind === "type") facts.push(placeLink(fn, point.step.span));
  append(box, facts);
}

function drawInside(fn, point) {
  const inside = fn.points.filter((p) => p.pass === point.pass && !(p.kind === "start"));
  const box = byId("inside");
  box.hidden = inside.length < 2;
  if (inside.length < 2) return;
  box.textContent = "";
  const noun = { rewrite: "rewrite", type: "step", llvm: "LLVM pass" }[inside[1].kind];
  const text = point.sub ? `${noun} ${point.sub} of ${inside.length - 1}` : `${count(inside.length - 1, noun, noun === "LLVM pass" ? "LLVM passes" : `${noun}s`)} inside`;
  append(box, [el("label", { for: "inner" }, text), el("input", { id: "inner", type: "range", min: 0, max: inside.length - 1, value: point.sub, "data-k": "inner", "aria-valuetext": titleOf(fn, point), oninput: (event) => go({ at: inside[Number(event.target.value)].index }, "replace") })]);
}

function drawRail(fn, point) {
  const list = byId("list");
  const scroll = byId("rail").scrollTop;
  list.textContent = "";
  let stage = null;
  let folded = [];
  const flush = () => {
    if (folded.length) list.append(foldedItem(folded));
    folded = [];
  };
  for (const p of fn.points) {
    if (p.sub && p.pass !== point.pass) continue; // one pass is open at a time
    const pass = p.pass >= 0 ? fn.passes[p.pass] : null;
    if (S.folded && !p.changed && p.index !== point.index && p.pass !== point.pass) {
      folded.push(p);
      continue;
    }
    flush();
    const now = stageOf(pass);
    if (now !== stage && pass) list.append(el("li", { class: "stage", role: "presentation" }, now));
    stage = now;
    list.append(stepItem(fn, p, point));
    if (pass && !p.sub) for (const k of liftedIn(pass)) list.append(liftedItem(k));
  }
  flush();
  byId("rail").scrollTop = scroll;
  const active = list.querySelector("[aria-current]");
  if (active) keepVisible(byId("rail"), active);
}

const stageOf = (pass) => (pass ? pass.stage.replace(/^\d+\w?\s+/, "") : "");

function keepVisible(box, item) {
  const top = item.offsetTop;
  if (top < box.scrollTop + 30) box.scrollTop = top - 60;
  else if (top + item.offsetHeight > box.scrollTop + box.clientHeight - 10) box.scrollTop = top - box.clientHeight + 80;
}

function foldedItem(points) {
  const names = points.map((p) => titleOf(current(), p)).join(", ");
  return el("li", { class: "folded" }, el("button", { title: names, "data-k": `folded-${points[0].id}`, onclick: () => go({ folded: false }) }, `${count(points.length, "pass", "passes")} without a change`));
}

function stepItem(fn, p, point) {
  const pass = p.pass >= 0 ? fn.passes[p.pass] : null;
  const marks = [];
  if (pass && !p.sub) {
    const inside = fn.points.filter((q) => q.pass === p.pass && q.sub).length;
    if (inside) marks.push(el("span", { class: "count", title: "steps inside" }, String(inside)));
    if (pass.nested && pass.nested.length) marks.push(el("span", { class: "count", title: "functions compiled during this pass" }, "ƒ"));
    if (pass.failed) marks.push(el("span", { class: "failed" }, "failed"));
  }
  if (p.kind === "rewrite" && here(p.rewrite.span)) marks.push(el("span", { class: "count" }, `line ${p.rewrite.span[0]}`));
  return el("li", { class: [p.sub ? "sub" : "", p.changed ? "" : "same"].join(" ").trim() || null },
    el("button", { "aria-current": p.index === point.index ? "step" : null, "data-k": `point-${p.id}`, title: p.kind === "start" ? null : wordsOf(fn, p).replace(/`/g, ""), onclick: () => go({ at: p.index, steps: false }) }, el("span", { class: "label" }, titleOf(fn, p)), marks));
}

/** The functions that a pass has made of loops, which run with types. */
const liftedIn = (pass) => (pass.name === "lift_loops" && pass.nested) || [];
const liftedOf = (fn) => fn.passes.flatMap(liftedIn);
const liftedName = (k) => (DATA.functions[k].name.match(/\((loop at line \d+)\)/) || ["", "loop"])[1];

function liftedItem(k) {
  return el("li", { class: "sub" }, el("button", { "data-k": `loop-${k}`, title: `Step into ${DATA.functions[k].signature}`, onclick: () => enter(k) }, el("span", { class: "label" }, liftedName(k)), el("span", { class: "count" }, "ƒ")));
}

// --- columns -----------------------------------------------------------------------------------------

function drawPanes(fn, point) {
  const box = byId("panes");
  box.textContent = "";
  box.className = `panes ${S.view}`;
  const made = { step: stepPanes, levels: levelPanes, diff: diffPanes, graph: graphPanes }[S.view](fn, point);
  append(box, made);
  box.classList.toggle("single", made.length === 1);
  box.style.setProperty("--columns", made.length);
  for (const drawing of box.querySelectorAll(".drawing")) bringIntoSight(drawing);
}

function sourcePane(fn) {
  const toggle = fn.seen.length ? el("button", { class: "small", "aria-pressed": String(S.values), "data-k": "values", onclick: () => go({ values: !S.values }) }, "values") : null;
  const rows = fn.source.lines.map((text, k) => ({ kind: "same", line: { text, span: [fn.source.first_line + k, 0, 0, 0], defines: [], mentions: [], op: "", block: "" } }));
  return codePane(fn, { key: "source", label: `Source, ${fn.source.file}`, language: "python", source: true, rows, chooser: el("h2", {}, "Source"), extra: [el("span", { class: "at" }, fn.source.file), el("span", { class: "tools" }, toggle)] });
}

function nowPane(fn, point) {
  const state = fn.states[point.state] || fn.states[0];
  const rows = state.language === "python" ? plainRows(fn.states.find((s) => s.language !== "python") || state) : rowsOf(fn, point);
  return codePane(fn, { key: "now", label: `${levelName(state.level)} after ${titleOf(fn, point)}`, language: state.language, rows, chooser: el("h2", {}, levelName(state.level)), extra: [el("span", { class: "at" }, !point.changed || point.kind === "type" || (point.pass >= 0 && fn.passes[point.pass].failed) ? (state.title ? `after ${state.title}` : "") : ""), el("span", { class: "tools" }, allLines(state.language))] });
}

function stepPanes(fn, point) {
  const isSource = point.kind !== "start" && fn.states.every((state) => state.language === "python"); // the first pass failed
  if (point.kind !== "start") return isSource ? [sourcePane(fn)] : [sourcePane(fn), nowPane(fn, point)];
  const last = [...levelsOf(fn).values()].pop();
  return last && last.language !== "python" ? [sourcePane(fn), levelPane(fn, last.level, "end", null)] : [sourcePane(fn)];
}

function defaultColumns(fn) {
  const levels = levelsOf(fn);
  const wanted = ["source", "typed", "llvm_opt", "asm", "ptx"].filter((level) => levels.has(level));
  const loops = liftedOf(fn); // of objects and with types, side by side
  if (loops.length) return ["source", [...levels.keys()].pop(), `loop${loops[0]}:${[...levelsOf(DATA.functions[loops[0]]).keys()].pop()}`];
  if (wanted.length < 2) wanted.push(...[...levels.keys()].slice(-2).filter((level) => !wanted.includes(level)));
  return wanted.slice(0, innerWidth < 1000 ? 2 : innerWidth < 1300 ? 3 : 4);
}

function levelPanes(fn) {
  const levels = levelsOf(fn);
  const columns = S.columns.filter((name) => name === "now" || levels.has(name) || ofLoop(fn, name) || fn.points.some((p) => p.id === name));
  if (!columns.length) columns.push(...defaultColumns(fn));
  return columns.map((name, k) => levelPane(fn, name, `column-${k}`, (value) => {
    const changed = [...columns];
    if (value === "-") changed.splice(k, 1);
    else if (value === "+") changed.splice(k + 1, 0, "now");
    else changed[k] = value;
    go({ columns: changed });
  }, columns.length));
}

/** The lifted loop and its level that a column's name means, if it does. */
function ofLoop(fn, name) {
  const [, k, level] = name.match(/^loop(\d+):(.+)$/) || [];
  const inner = k && liftedOf(fn).includes(Number(k)) && DATA.functions[k];
  return inner && levelsOf(inner).has(level) ? { inner, level } : null;
}

function levelPane(outer, column, key, choose, many) {
  const loop = ofLoop(outer, column);
  const [fn, name] = loop ? [loop.inner, loop.level] : [outer, column];
  const levels = levelsOf(fn);
  const chooser = choose ? columnChooser(outer, column, key, choose, levelsOf(outer)) : el("h2", {}, levelName(name));
  const shownState = levels.get(name) || fn.states[pointNow().state];
  const tools = el("span", { class: "tools" }, shownState && allLines(shownState.language), choose ? [
    many < 6 ? el("button", { class: "small", "aria-label": "Add a column", title: "Add a column", "data-k": `${key}-add`, onclick: () => choose("+") }, "+") : null,
    many > 1 ? el("button", { class: "small", "aria-label": "Close this column", title: "Close this column", onclick: () => choose("-") }, "×") : null] : null);
  const point = name === "now" ? pointNow() : fn.points.find((p) => p.id === name && !levels.has(name));
  if (name === "source" || (point && point.kind === "start")) return named(sourcePane(fn), key, chooser, tools);
  const state = point ? fn.states[point.state] : levels.get(name);
  const rows = point ? rowsOf(fn, point) : plainRows(state);
  return codePane(fn, { key, label: levelName(state.level), language: state.language, rows, chooser, extra: [choose ? null : el("span", { class: "at" }, "final state"), tools] });
}

function named(pane, key, chooser, tools) {
  const header = pane.querySelector("header");
  header.firstChild.replaceWith(chooser);
  if (tools) header.append(tools);
  return pane;
}

function columnChooser(fn, name, key, choose, levels) {
  const option = (value, text) => el("option", { value, selected: value === name }, text);
  const passes = fn.points.filter((p) => p.kind === "pass" && p.changed && !levels.has(p.id));
  return el("label", { class: "chooser" }, el("span", { class: "sr" }, "This column shows"), el("select", { "data-k": key, onchange: (event) => choose(event.target.value) },
    option("now", "The current step"), el("optgroup", { label: "Levels" }, [...levels.keys()].map((level) => option(level, levelName(level)))),
    liftedOf(fn).map((k) => el("optgroup", { label: `The ${liftedName(k)}, with types` }, [...levelsOf(DATA.functions[k]).keys()].map((level) => option(`loop${k}:${level}`, `${liftedName(k)}: ${levelName(level)}`)))),
    el("optgroup", { label: "After a pass" }, passes.map((p) => option(p.id, titleOf(fn, p))))));
}

function pointA(fn) {
  if (S.a >= 0) return fn.points[S.a];
  const b = pointB(fn);
  for (let k = b.index - 1; k >= 0; k--) if (fn.points[k].state !== b.state && !fn.points[k].sub) return fn.points[k];
  return fn.points[0];
}

/** The second of two points; at the start, where nothing came before, the first pass that changed our IR. */
function pointB(fn) {
  if (S.b >= 0) return fn.points[S.b];
  const isOurs = (k) => fn.states[k] && fn.states[k].language === "cutaway";
  return (pointNow().kind === "start" && fn.points.find((p) => p.kind === "pass" && p.changed && isOurs(p.before) && isOurs(p.state))) || pointNow();
}

function diffPanes(fn) {
  const [a, b] = [pointA(fn), pointB(fn)];
  const [before, after] = [fn.states[a.state], fn.states[b.state]];
  if (!before || !after) return [sourcePane(fn)];
  const rows = diffRows(worth(before.lines, before.language), worth(after.lines, after.language));
  const choose = (which, point) => el("label", { class: "chooser" }, el("span", {}, which.toUpperCase()), el("select", { "data-k": `diff-${which}`, onchange: (event) => go({ [which]: Number(event.target.value) }) }, fn.points.filter((p) => p.changed || p.index === point.index).map((p) => el("option", { value: p.index, selected: p.index === point.index }, `${p.sub ? "   " : ""}${titleOf(fn, p)}`))));
  const facts = el("span", { class: "facts" }, countFacts(rows));
  const how = el("button", { class: "small", "aria-pressed": String(S.split), "data-k": "split", onclick: () => go({ split: !S.split }) }, "two columns");
  if (!S.split) return [sourcePane(fn), codePane(fn, { key: "diff", label: "Changes from A to B", language: after.language, rows, chooser: [choose("a", a), el("span", { "aria-hidden": "true" }, "→"), choose("b", b)], extra: [facts, el("span", { class: "tools" }, how)], empty: "Both are the same." })];
  return [
    codePane(fn, { key: "diff-left", label: `A: ${titleOf(fn, a)}`, language: before.language, rows: leftRows(rows), chooser: choose("a", a), extra: facts }),
    codePane(fn, { key: "diff-right", label: `B: ${titleOf(fn, b)}`, language: after.language, rows: rows.filter((row) => row.kind !== "gone"), chooser: choose("b", b), extra: el("span", { class: "tools" }, how) }),
  ];
}

/** The rows of the first program: what stayed, and what went, with its place beside what it became. */
function leftRows(rows) {
  const gone = new Set(rows.filter((row) => row.of).map((row) => row.of));
  return rows.filter((row) => row.kind !== "new" && !(row.kind === "changed" && gone.has(row.line)))
    .map((row) => (row.kind === "gone" ? row : { kind: "same", line: row.old }));
}

function graphPanes(fn, point) {
  const graph = graphPane(fn, point);
  return graph ? [sourcePane(fn), graph] : stepPanes(fn, point);
}

/** Columns side by side and graphs need the room; everywhere else the panel is there until it is put away. */
const inspectorShown = () => (S.inspector === null ? S.view !== "levels" && S.view !== "graph" && !OPTIONS.compact : S.inspector);

// --- the panel -----------------------------------------------------------------------------------------

function drawPanel(fn, point) {
  byId("app").classList.toggle("no-inspector", !inspectorShown());
  byId("app").classList.toggle("with-steps", S.steps);
  byId("steps-button").setAttribute("aria-expanded", String(S.steps));
  const tabs = byId("tabs");
  tabs.textContent = "";
  for (const name of PANEL_NAMES) {
    tabs.append(el("button", { role: "tab", id: `tab-${name}`, "aria-selected": String(name === S.panel), "aria-controls": "panel", tabindex: name === S.panel ? 0 : -1, "data-k": `tab-${name}`, onclick: () => go({ panel: name }) }, PANELS[name][0]));
  }
  const panel = byId("panel");
  const same = panel.dataset.shown === S.panel;
  const scroll = panel.scrollTop;
  panel.textContent = "";
  panel.setAttribute("aria-labelledby", `tab-${S.panel}`);
  append(panel, PANELS[S.panel][1](fn, point).flat());
  panel.dataset.shown = S.panel;
  panel.scrollTop = same && S.panel !== "step" ? scroll : 0;
  const now = panel.querySelector("li.current");
  if (now) keepVisible(panel, now);
}

function tabKeys(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const k = (PANEL_NAMES.indexOf(S.panel) + step + PANEL_NAMES.length) % PANEL_NAMES.length;
  S.panel = PANEL_NAMES[k];
  go({});
  byId(`tab-${S.panel}`).focus();
}
