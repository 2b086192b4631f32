// The panel beside the code: the step in words, a value, types, decisions, times, how to do it again.

const PANELS = {
  step: ["Step", stepPanel],
  value: ["Value", valuePanel],
  types: ["Types", typesPanel],
  decisions: ["Decisions", decisionsPanel],
  time: ["Time", timePanel],
  about: ["About", aboutPanel],
};

const PANEL_NAMES = Object.keys(PANELS);

function heading(text, ...more) {
  return el("h3", {}, text, ...more);
}

function placeLink(fn, span, text) {
  if (!here(span)) return null;
  return el("button", { class: "link place", onclick: () => showPlace(fn, span), title: "Show this place in all columns" }, text || `line ${span[0]}`);
}

const isIn = (fn, line) => line >= fn.source.first_line && line < fn.source.first_line + fn.source.lines.length;

/** Lights a place up; one in another function opens that first. */
function showPlace(fn, span) {
  const other = isIn(fn, span[0]) ? null : DATA.functions.find((f) => isIn(f, span[0]));
  if (other) enter(other.index);
  S.pinned = span[3] ? { span, exact: span, column: span[1], whole: true } : { span, whole: true };
  light(S.pinned);
  scrollOthers(null);
}

function spanOf(place, fn, name) {
  if (!place || !place.line) return NOWHERE;
  const span = [place.line, place.column, place.end_line, place.end_column];
  return fn && isIn(fn, span[0]) ? placed({ span, defines: [name] }, fn).span : span;
}

// --- the step ------------------------------------------------------------------------------------

function stepPanel(fn, point) {
  const pass = point.pass >= 0 ? fn.passes[point.pass] : null;
  const state = fn.states[point.state];
  const parts = [];
  if (!pass) return [howTo(), argumentsTable(fn)];
  if (state) parts.push(el("p", { class: "learn" }, el("b", {}, levelName(state.level)), ". ", ...prose(levelSentence(state.level)),
    state.whole ? null : el("em", {}, " This point is in the middle of a pass: the program cannot run here.")));
  parts.push(whatChanged(fn, point));
  if (pass.broken && pass.broken.length) parts.push(heading("Broken"), el("ul", { class: "bad" }, pass.broken.map((b) => el("li", {}, b))));
  parts.push(nestedList(pass), insideList(fn, point), rewriteNotes(fn, pass), decisionsOf(fn, pass.decisions, "Decisions"));
  if (pass.name === "infer_types") parts.push(el("p", {}, el("button", { class: "link", onclick: () => go({ panel: "types" }) }, "See all types and their reasons")));
  return parts;
}

function whatChanged(fn, point) {
  const [before, after] = [fn.states[point.before], fn.states[point.state]];
  if (!before || !after || before === after) return null;
  const rows = [];
  const row = (name, ...what) => rows.push(el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, what)));
  if (before.level !== after.level) row("level", `${levelName(before.level)} → ${levelName(after.level)}`);
  const sizes = [before, after].map((state) => worth(state.lines, state.language).length);
  row("lines", sizes[0] === sizes[1] ? String(sizes[0]) : `${sizes[0]} → ${sizes[1]}`);
  if (before.language === "cutaway" && after.language === "cutaway") {
    const [old, made] = [before, after].map((state) => new Set(state.lines.flatMap((line) => line.defines)));
    const list = (names) => names.slice(0, 14).map((name) => [valueButton(fn, name), " "]).concat(names.length > 14 ? `and ${names.length - 14} more` : []);
    const fresh = [...made].filter((name) => !old.has(name));
    const lost = [...old].filter((name) => !made.has(name));
    if (fresh.length) row("new names", list(fresh));
    if (lost.length) row("removed names", list(lost));
  }
  const pass = fn.passes[point.pass];
  if (!point.sub && pass.own_seconds > 0) {
    const all = fn.passes.reduce((sum, p) => sum + p.own_seconds, 0);
    row("time", `${duration(pass.own_seconds)}, ${((100 * pass.own_seconds) / all).toFixed(1)} % of the function's time`);
  }
  if (!point.sub && (pass.objects || pass.peak >= 0)) row("memory", memoryOf(pass));
  return [heading("Changes"), el("table", { class: "what" }, el("tbody", {}, rows))];
}

/** What a pass left allocated: Python objects, and bytes where they were counted. */
function memoryOf(pass) {
  const sign = pass.objects < 0 ? "−" : "+";
  const objects = `${sign}${Math.abs(pass.objects)} objects`;
  return pass.peak < 0 ? objects : `${objects}, ${bytes(pass.bytes)}, at most ${bytes(pass.peak)}`;
}

function howTo() {
  return [heading("How to read this"), el("ul", { class: "plain" },
    el("li", {}, "Move through the steps with ", el("kbd", {}, "→"), " and ", el("kbd", {}, "←"), ". The right side shows what your lines have become."),
    el("li", {}, "Point at a line: the same place is highlighted in every column. Hatched rows are guesses: LLVM does not know their line."),
    el("li", {}, "Click a name to follow it from here to machine code, and to see why it has its type."),
    el("li", {}, "Press ", el("kbd", {}, "?"), " for all keys and a short glossary."))];
}

function argumentsTable(fn) {
  if (!fn.arguments.length) return null;
  return [heading("Arguments of this call"), el("table", {}, el("tbody", {}, fn.arguments.map((a) =>
    el("tr", {}, el("th", { scope: "row" }, valueButton(fn, a.name)), el("td", {}, el("code", {}, a.type)), el("td", { class: "values" }, tidy(a.value)))))),
    el("p", {}, fn.returns ? ["It returns ", el("code", {}, fn.returns), ". "] : null, fn.values && fn.values.outcome ? `The run ${fn.values.outcome}.` : null)];
}

function nestedList(pass) {
  if (!pass.nested || !pass.nested.length) return null;
  return [heading("Compiled during this pass"), el("ul", { class: "plain" }, pass.nested.map((k) =>
    el("li", {}, el("button", { class: "link", onclick: () => enter(k) }, DATA.functions[k].signature))))];
}

function insideList(fn, point) {
  const inside = fn.points.filter((p) => p.pass === point.pass && p.sub);
  if (!inside.length || inside[0].kind !== "rewrite") return null; // the list of steps shows the others
  return [heading("Rewrites", ` (${inside.length})`), el("ol", { class: "steps-inside" }, inside.map((p) =>
    el("li", { class: p.index === point.index ? "current" : null },
      el("button", { class: "link", "data-k": `inside-${p.id}`, onclick: () => go({ at: p.index }) }, titleOf(fn, p)),
      el("span", { class: "dim" }, " ", ...prose(p.rewrite.note)))))];
}

function rewriteNotes(fn, pass) {
  const told = (pass.rewrites || []).filter((rewrite) => rewrite.state < 0);
  if (!told.length) return null;
  return [heading("Rewrites", ` (${told.length})`), el("ul", { class: "plain" }, told.map((rewrite) =>
    el("li", {}, el("b", {}, rewrite.rule), " ", ...prose(sentence(rewrite.note)), " ", placeLink(fn, rewrite.span), " ", el("span", { class: "dim" }, rewrite.origin))))];
}

// --- a value ---------------------------------------------------------------------------------------

function valueButton(fn, name) {
  return el("button", { class: "link name", onclick: () => go({ value: name, panel: "value" }) }, name);
}

function valuePanel(fn) {
  if (!S.value) return [el("p", { class: "learn" }, "Click a name in the code to follow it, or choose one:"), nameList(fn), runTable(fn)];
  const events = lifeOf(fn, S.value);
  const versions = [...fn.known].filter((name) => isVersion(name, S.value) && fn.types[name]);
  return [
    el("div", { class: "subject" }, el("code", {}, S.value), el("button", { class: "small", onclick: () => go({ value: "" }) }, "stop following")),
    versions.length ? el("p", {}, versions.map((name, k) => [k ? el("br") : null, el("code", {}, name), " is ", el("code", { class: "type" }, fn.types[name])])) : null,
    seenTable(fn, fn.seen.filter((row) => isVersion(row.name, S.value) || versions.includes(row.name))),
    heading("Its history"),
    el("ol", { class: "life" }, events.map((e) => el("li", { class: e.kind },
      el("button", { class: "link", onclick: () => go({ at: e.point.index }) }, titleOf(fn, e.point)), " ", ...prose(e.text)))),
    events.length ? null : el("p", {}, "It has no name at any level."),
    whyOf(fn, S.value),
  ];
}

function nameList(fn) {
  return el("p", { class: "names" }, [...fn.userNames].sort().map((name) => [valueButton(fn, name), " "]));
}

function iterationSlider(fn) {
  const most = Math.max(1, ...fn.seen.map((row) => row.values.length));
  if (most < 2) return null;
  const label = S.iteration ? `in execution ${S.iteration}` : "all";
  return el("label", { class: "slider" }, "The value of each line ", el("b", {}, label),
    el("input", { type: "range", min: 0, max: most, value: S.iteration, "data-k": "iteration", "aria-valuetext": label, oninput: (event) => go({ iteration: Number(event.target.value) }, "replace") }));
}

function seenTable(fn, rows) {
  if (!rows.length) return null;
  const best = new Map();
  for (const row of rows) best.set(`${row.name} ${row.span[0]} ${row.count}`, row);
  return [heading("Values in your call"), iterationSlider(fn), el("table", { class: "seen-table" }, el("tbody", {}, [...best.values()].map((row) =>
    el("tr", {}, el("th", { scope: "row" }, el("code", {}, row.name), " ", placeLink(fn, row.span)), el("td", {}, seenLine(row))))))];
}

function runTable(fn) {
  const rows = fn.seen.filter((row) => !row.name.startsWith("$") && row.span[0] === row.span[2]);
  const values = fn.values || {};
  return [seenTable(fn, rows), values.outcome ? el("p", {}, `The run ${values.outcome}.`) : null, values.note ? el("p", { class: "dim" }, values.note) : null];
}

function whyOf(fn, value) {
  const found = (fn.explanations || {})[userName(value)];
  if (!found) return null;
  return [heading("Why this type"), el("ul", { class: "why" }, found.causes.map((cause) => causeItem(fn, cause, 0)))];
}

function causeItem(fn, cause, depth) {
  if (typeof cause === "string") return el("li", {}, cause);
  const line = [el("code", {}, cause.what), " is ", el("code", { class: "type" }, cause.type), ": ", ...prose(cause.rule), cause.remark ? ` (${cause.remark})` : null, " ", placeLink(fn, spanOf(cause.span, fn, cause.what))];
  if (!cause.causes || !cause.causes.length) return el("li", {}, line);
  return el("li", {}, el("details", { open: depth < 3 }, el("summary", {}, line), el("ul", {}, cause.causes.map((inner) => causeItem(fn, inner, depth + 1)))));
}

// --- types -------------------------------------------------------------------------------------------

function typesPanel(fn, point) {
  const names = Object.keys(fn.types).filter((name) => !name.startsWith("$"));
  const parts = [];
  if (names.length) parts.push(heading("Types of your variables"), el("table", {}, el("tbody", {}, names.map((name) =>
    el("tr", {}, el("th", { scope: "row" }, valueButton(fn, name)), el("td", {}, el("code", { class: "type" }, fn.types[name])))))));
  parts.push(whyResult(fn), flow(fn, point), callSites(fn));
  if (!parts.some(Boolean)) parts.push(el("p", { class: "learn" }, "No types were inferred at this point."));
  return parts;
}

function whyResult(fn) {
  const found = (fn.explanations || {})[""];
  if (!found || !found.causes || !found.causes.length) return null;
  return [heading("Why it has this type"), el("ul", { class: "why" }, found.causes.map((cause) => causeItem(fn, cause, 1)))];
}

function flow(fn, point) {
  const steps = fn.points.filter((p) => p.kind === "type");
  if (!steps.length) return null;
  return [heading("How they were inferred", ` (${steps.length} steps)`), el("ol", { class: "flow" }, steps.map((p) =>
    el("li", { class: p.index === point.index ? "current" : null },
      el("button", { class: "link", "data-k": `flow-${p.sub}`, onclick: () => go({ at: p.index, view: "step" }) }, p.step.changes.map((c, k) =>
        [k ? ", " : "", el("code", {}, c.variable), c.old ? [" ", el("s", {}, c.old)] : null, " ", el("code", { class: "type" }, c.new)])),
      " ", placeLink(fn, p.step.span))))];
}

function callSites(fn) {
  const sites = (fn.calls && fn.calls.sites) || [];
  if (!sites.length) return null;
  return [heading("Calls"), sites.map((site) => el("details", { class: "site" },
    el("summary", {}, el("code", {}, site.source || site.function), " → ", el("code", { class: "type" }, site.returns || "?"), " ", placeLink(fn, spanOf(site.span))),
    el("ul", { class: "candidates" }, site.candidates.map((c) => el("li", { class: c.chosen ? "chosen" : null },
      el("code", {}, c.signature), c.chosen ? " is taken" : c.reason ? `: ${c.reason}` : null,
      c.conversions && c.conversions.length ? el("span", { class: "dim" }, ` (${c.conversions.join(", ")})`) : null)))))];
}

// --- decisions -------------------------------------------------------------------------------------

/** Some remarks are one sentence, without a subject of their own. */
const toldOf = (row) => (row.subject ? { first: row.subject, then: sentence(row.reason), by: row.by } : { first: sentence(row.reason), then: "", by: row.by });

function decisionsOf(fn, rows, title) {
  if (!rows || !rows.length) return null;
  return [heading(title, ` (${rows.length})`), el("ul", { class: "decisions" }, rows.map((row) => [row, toldOf(row)]).map(([row, told]) =>
    el("li", { class: row.verdict },
      el("span", { class: "verdict" }, row.verdict), " ", told.then ? el("b", {}, ...prose(told.first)) : prose(told.first), " ", placeLink(fn, row.span),
      told.then ? el("div", {}, ...prose(told.then)) : null, row.hint ? el("div", { class: "hint" }, ...prose(sentence(row.hint))) : null,
      el("div", { class: "dim by" }, told.by))))];
}

/** What stays a loop of its own although another one uses it, why, and what was tried to help. */
function apartOf(fn) {
  const rows = ((fn.fusion && fn.fusion.parts) || []).filter((part) => part.verdict === "loop" && part.places.length);
  if (!rows.length) return null;
  return [heading("Loops that could be one", ` (${rows.length})`), el("ul", { class: "decisions" }, rows.map((part) =>
    el("li", { class: "missed" }, el("b", {}, el("code", {}, part.text)), " ", placeLink(fn, part.span),
      el("div", {}, ...prose(sentence(part.reason))),
      part.places.map((place) => el("div", {}, el("code", {}, place.source), " ", placeLink(fn, place.span))),
      part.fixes.length ? el("div", { class: "hint" }, "Tried with the arguments of this call, one array fewer is made with:") : null,
      part.fixes.map((fix) => el("div", { class: "hint" }, fix.text)))))];
}

function decisionsPanel(fn) {
  const own = fn.passes.flatMap((pass) => pass.decisions || []);
  const passes = new Set(fn.passes.map((pass) => pass.name)); // their remarks are those decisions, told again
  const remarks = (fn.remarks || []).filter((row) => !passes.has(row.by));
  if (!own.length && !remarks.length) return [el("p", { class: "learn" }, "No pass reported a decision in this function.")];
  return [el("p", { class: "learn" }, "What each pass did or could not do, and why."), loopsOf(fn), apartOf(fn), decisionsOf(fn, own, "Cutaway"), decisionsOf(fn, remarks.filter((row) => row.by === "ptxas"), "ptxas"), decisionsOf(fn, remarks.filter((row) => row.by !== "ptxas"), "LLVM")];
}

// --- loops, and the threads that run them --------------------------------------------------------------

/** What became of each loop, and what was tried; only where something may be parallel. */
function loopsOf(fn) {
  const rows = (fn.parallel && fn.parallel.loops) || [];
  return rows.length ? [heading("Loops", ` (${rows.length})`), el("ul", { class: "decisions" }, rows.map((row) => loopItem(fn, row))), pairsOf(fn), threadsOf(fn)] : null;
}

/** Parallel loops that stay two, why, and what of the assertions that were tried helps. */
function pairsOf(fn) {
  const pairs = (fn.parallel.fusions || []).filter((pair) => pair.verdict === "missed");
  if (!pairs.length) return null;
  return [heading("Parallel loops that stay two", ` (${pairs.length})`), el("ul", { class: "decisions" }, pairs.map((pair) =>
    el("li", { class: "missed" }, pair.sources.map((source, k) => el("div", {}, el("code", {}, source), " ", placeLink(fn, [pair.lines[k], 0, pair.lines[k], 0]))),
      el("div", {}, ...prose(sentence(pair.reason))), pair.tried.map((one) => triedItem(one, { works: "They are one loop then", useless: "They stay two all the same" })))))];
}

const triedItem = (one, words) => [el("div", { class: "hint" }, `Tried: ${one.text}`), el("div", {}, (words && words[one.verdict]) || TRIED[one.verdict], one.words ? `: ${one.words}` : "")];

function loopItem(fn, row) {
  const nest = row.nest;
  const made = row.verdict === "parallel";
  const item = el("li", { class: made || row.verdict === "fused" ? "done" : row.verdict === "inner" ? "" : "missed", style: `margin-left:${12 * row.depth}px` },
    el("span", { class: "verdict" }, row.verdict), " ", el("code", {}, row.text), " ", placeLink(fn, [row.line, 0, row.line, 0]));
  if (row.reason) item.append(el("div", {}, ...prose(sentence(row.reason))));
  if (made && nest) {
    for (const one of nest.reductions) item.append(el("div", {}, el("code", {}, one.name), one.operator === "last" ? " is what the last iteration leaves" : ` is a reduction by ${one.operator}`));
    for (const one of nest.stores) item.append(el("div", {}, el("code", {}, one.text), " ", placeLink(fn, [one.line, 0, one.line, 0]), " ", ...prose(one.why)));
    item.append(el("div", { class: "dim" }, `${nest.schedule}: ${nest.why}`));
  }
  if (row.hint) item.append(el("div", { class: "hint" }, ...prose(sentence(row.hint))));
  for (const one of row.tried) item.append(...triedItem(one));
  return item;
}

const TRIED = { works: "It works, in another order, too", alone: "It works, on one thread", warned: "It may be wrong", different: "It gives something else than Python", refused: "It is refused", unknown: "It was not run" };

/** The run that was watched: places and time of each loop, in the colors of threads. */
function threadsOf(fn) {
  const run = fn.threads;
  if (!run || !run.regions.length) return null;
  return [heading("Who ran what"), el("p", { class: "dim" }, `A run of ${duration(run.seconds)} on up to ${count(run.threads, "thread", "threads")}.`),
    run.regions.map((region) => el("div", { class: "threads" }, el("div", {}, el("b", {}, region.title)), el("div", { class: "dim" }, region.words), region.parts > 1 ? threadsDrawn(region) : null))];
}

function threadsDrawn(region) {
  const [W, BAR, LANE] = [300, 26, 14];
  const flat = region.sizes.length < 2;
  const [rows, columns] = flat ? [1, region.sizes[0]] : region.sizes;
  const high = flat ? BAR : Math.min(160, Math.max(BAR, (W * rows) / Math.max(columns, 1)));
  const lanes = [...new Set(region.pieces.map((piece) => piece.thread))].sort((a, b) => a - b);
  const span = Math.max(region.end - region.begin, 1e-9);
  const made = svg("svg", { viewBox: `0 0 ${W} ${high + 8 + lanes.length * (LANE + 2)}`, width: "100%", role: "img", "aria-label": `${region.title}: ${region.words}` });
  const put = (piece, x, y, width, height) => made.append(svg("rect", { x, y, width: Math.max(width, 0.5), height, class: `thread t${piece.thread % 8}` },
    svg("title", {}, `piece ${piece.part}: places ${piece.bounds.map(([low, end]) => `${low} to ${end}`).join(", ")}, thread ${piece.thread}, ${(piece.end - piece.begin).toPrecision(3)} µs`)));
  for (const piece of region.pieces) {
    const [down, across] = flat ? [[0, 1], piece.bounds[0]] : piece.bounds;
    if (!piece.bounds.slice(2).some(([low]) => low > 0)) put(piece, (W * across[0]) / columns, (high * down[0]) / rows, (W * (across[1] - across[0])) / columns, (high * (down[1] - down[0])) / rows);
    put(piece, (W * (piece.begin - region.begin)) / span, high + 8 + lanes.indexOf(piece.thread) * (LANE + 2), (W * (piece.end - piece.begin)) / span, LANE);
  }
  return made;
}

// --- time --------------------------------------------------------------------------------------------

function timePanel(fn) {
  const rows = DATA.times.filter((row) => row.seconds > 0);
  const counted = fn.passes.some((pass) => pass.bytes > 0);
  const memory = fn.passes.map((pass) => ({ name: pass.name, size: counted ? Math.max(0, pass.bytes) : pass.objects })).filter((row) => row.size > 0);
  const parts = [];
  if (rows.length) {
    const most = Math.max(...rows.map((row) => row.own_seconds), 1e-9);
    const total = rows.reduce((sum, row) => sum + row.own_seconds, 0);
    parts.push(heading(`${duration(total)} total`), el("p", { class: "dim" }, "Each row shows the time of the pass itself, without the rows below it."), el("table", { class: "times" }, timeColumns(), el("tbody", {}, timeRows(rows, most))));
  } else parts.push(el("p", { class: "learn" }, "This report has no times."));
  if (memory.length) {
    const most = Math.max(...memory.map((row) => row.size));
    const text = (size) => (counted ? bytes(size) : String(size));
    parts.push(heading(counted ? "Memory kept by each pass" : "Python objects kept by each pass"), el("table", { class: "times" }, timeColumns(), el("tbody", {}, memory.map((row) => barRow(row.name, text(row.size), row.size / most, 0)))));
  }
  parts.push(costTable(fn));
  return parts;
}

const timeColumns = () => el("colgroup", {}, el("col"), el("col", { class: "number" }), el("col", { class: "bar-cell" }));

function timeRows(rows, most) {
  return rows.map((row) => {
    if (row.kind !== "function") return barRow(row.name.replace(/(?<=.)Pass$/, ""), duration(row.own_seconds), row.own_seconds / most, 2 * row.depth + (row.kind === "llvm" ? 2 : 1), row.kind);
    return el("tr", { class: "of" }, el("th", { scope: "rowgroup", style: `padding-left:${row.depth * 24}px`, colspan: 3 }, row.function, " ", el("span", { class: "place" }, duration(row.seconds))));
  });
}

function barRow(name, text, share, depth, kind) {
  return el("tr", { class: kind || null }, el("th", { scope: "row", title: name, style: `padding-left:${depth * 12}px` }, name), el("td", { class: "number" }, text),
    el("td", { class: "bar-cell" }, el("span", { class: "bar", style: `width:${Math.max(1, share * 100).toFixed(1)}%` })));
}

function costTable(fn) {
  const rows = fn.cost || [];
  if (!rows.length) return null;
  const isPtx = fn.states.some((state) => state.level === "ptx");
  const hasRare = rows.some((row) => row.rare);
  const head = ["line", "ops", "LLVM", isPtx ? "PTX" : "machine", ...(hasRare ? ["rare"] : [])].map((text) => el("th", { scope: "col" }, text));
  return [heading("Cost of each line"), el("table", { class: "cost" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows.map((row) =>
    el("tr", {}, el("th", { scope: "row" }, placeLink(fn, [row.line, 0, row.line, 0], String(row.line))), [row.ops, row.llvm, row.machine, ...(hasRare ? [row.rare] : [])].map((n) => el("td", { class: "number" }, String(n))), el("td", { class: "dim" }, row.vectors))))), el("p", { class: "dim" }, `Columns: operations of Cutaway, instructions of LLVM after optimization, ${isPtx ? "instructions of PTX" : "machine instructions"}${hasRare ? "; machine instructions of the copies of loops that run if a check before the loop fails" : ""}.`)];
}

// --- about -------------------------------------------------------------------------------------------

function aboutPanel(fn) {
  const made = DATA.madeWith;
  const stem = fn.source.file.replace(/\.py$/, "");
  const values = fn.arguments.map((a) => expression(a.value));
  const simple = values.every(Boolean);
  const given = simple ? values.join(", ") : fn.arguments.map((a) => a.name).join(", ");
  const types = fn.arguments.map((a) => a.type).join(", ");
  const how = simple ? `--args "${given.replace(/"/g, "'")}"` : `--types "${types}"`;
  const command = `cutaway report ${fn.source.file}:${fn.name} ${how} -o ${fn.name}.html`;
  const python = `from ${stem} import ${fn.name}\n${fn.name}.trace(${given}).report("${fn.name}.html")`;
  return [
    heading("Reproduce this page"),
    copyBox(command), el("p", { class: "dim" }, "or in Python"), copyBox(python),
    simple ? null : el("table", {}, el("tbody", {}, fn.arguments.map((a) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, a.name)), el("td", {}, el("code", {}, a.type)), el("td", { class: "values" }, tidy(a.value)))))),
    heading("Made with"), el("table", {}, el("tbody", {}, Object.entries(made).map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, String(value)))))),
    fn.options ? [heading("Options"), el("p", { class: "options" }, fn.options)] : null,
    heading("Functions"), el("ul", { class: "plain" }, DATA.functions.map((f) => el("li", {}, f.index === fn.index ? el("b", {}, f.signature) : el("button", { class: "link", onclick: () => enter(f.index) }, f.signature)))),
  ];
}

/** An argument as an expression of Python; nothing where its text tells only a part. */
function expression(value) {
  if (!value || value.includes("...") || value.startsWith("<")) return "";
  const array = /^(\[.*\]) (\w+)$/.exec(value);
  if (!array) return /^[\w.+'\-()[\], ]+$/.test(value) ? value : "";
  return `np.array(${tidy(array[1]).replace(/\b(nan|inf)\b/g, "np.$1")}, '${array[2]}')`;
}

function copyBox(text) {
  const copy = () => navigator.clipboard && navigator.clipboard.writeText(text).then(() => announce("Copied"), () => announce("Could not copy"));
  return el("div", { class: "copy" }, el("pre", {}, text), el("button", { class: "small", onclick: copy }, "Copy"));
}
