// The record, decoded: states from edits, and the points in time that one can stand at.

const NOWHERE = [0, 0, 0, 0];

/** The name that the user wrote for a value of the compiler's: `s.2` is one of the versions of `s`. */
const userName = (name) => (name.startsWith("$") ? name : name.replace(/(\.\d+)+$/, ""));

function decoded(raw) {
  const strings = raw.strings;
  const made = [];
  const guesses = new Set(raw.guesses || []);
  const lineAt = (k) => (made[k] ??= { ...lineOf(raw.lines[k], strings), guess: guesses.has(k) });
  const functions = raw.functions.map((fn, index) => prepared(fn, index, lineAt));
  return { madeWith: raw.made_with, times: raw.times || [], functions };
}

function lineOf(row, strings) {
  return {
    text: strings[row[0]],
    span: row.slice(1, 5),
    block: strings[row[5]],
    op: strings[row[6]],
    defines: row[7].map((k) => strings[k]),
    mentions: row[8].map((k) => strings[k]),
    inner: strings[row[9]],
  };
}

function prepared(fn, index, lineAt) {
  const head = fn.source.lines.findIndex((line) => /^\s*(async\s+)?def\s|lambda/.test(line));
  const found = { ...fn, index, defLine: fn.source.first_line + Math.max(0, head) };
  found.indent = 0;
  found.states = decodedStates(fn.states, lineAt, found);
  found.indent = indentOf(found);
  found.states = decodedStates(fn.states, lineAt, found);
  found.expressions = expressionsOf(found);
  found.known = new Set();
  for (const state of found.states)
    if (state.language === "cutaway")
      for (const line of state.lines) line.defines.forEach((name) => found.known.add(name));
  found.userNames = new Set([...found.known].filter((n) => !n.startsWith("$")).map(userName));
  for (const argument of fn.arguments || []) found.userNames.add(argument.name);
  found.points = pointsOf(found);
  found.seen = (fn.values && fn.values.seen ? fn.values.seen : []).map((row) => ({
    ...row,
    span: placed({ span: row.span, defines: [row.name] }, found).span,
  }));
  return found;
}

/** The states; the lines of each are made when it is looked at, since LLVM's passes are many. */
function decodedStates(rows, lineAt, fn) {
  let current = [];
  return rows.map((row, index) => {
    current = current.slice();
    for (const [start, removed, added] of [...row.edits].reverse())
      current.splice(start, removed, ...added);
    const numbers = current;
    let lines = null;
    return { ...row, index, get lines() { return (lines ??= numbers.map((k) => placed(lineAt(k), fn))); } };
  });
}

/** Arguments have the place of the whole function: here they stand where they are named. */
function placed(line, fn) {
  const [row, column, endRow, endColumn] = line.span;
  if (row !== fn.source.first_line || column || endRow !== row || endColumn) return line;
  const text = fn.source.lines[fn.defLine - fn.source.first_line] || "";
  const name = line.defines[0];
  const at = name ? text.search(new RegExp(`(?<=[(,*\\s])${name.replace(/\W/g, "\\$&")}\\b`)) : -1;
  const shift = fn.indent;
  const span = at < 0 ? [fn.defLine, 0, fn.defLine, 0]
    : [fn.defLine, at + shift, fn.defLine, at + name.length + shift];
  return { ...line, span, argument: true };
}

/** How many columns the source was moved to the left when it was recorded. */
function indentOf(fn) {
  let least = Infinity;
  for (const state of fn.states.filter((s) => s.language === "cutaway")) {
    for (const line of state.lines) {
      const text = fn.source.lines[line.span[0] - fn.source.first_line];
      if (!line.span[3] || text === undefined) continue;
      least = Math.min(least, line.span[1] - text.search(/\S|$/));
    }
  }
  return Number.isFinite(least) && least > 0 ? least : 0;
}

/** The places of all expressions of which something is known, the smallest first. */
function expressionsOf(fn) {
  const found = new Map();
  for (const state of fn.states)
    if (state.language === "cutaway")
      for (const line of state.lines) if (here(line.span) && line.span[3]) found.set(line.span.join(), line.span);
  return [...found.values()].sort((a, b) => size(a) - size(b));
}

// --- points in time ------------------------------------------------------------------------------

/**
 * Where one can stand: the source, each pass, and inside of a pass each rewrite, each step of type
 * inference, each pass of LLVM's.  `before` and `state` are the states that it goes between.
 */
function pointsOf(fn) {
  const points = [{ id: "source", kind: "start", pass: -1, sub: 0, before: 0, state: 0, changed: true }];
  const names = new Map();
  fn.passes.forEach((pass, k) => {
    const met = (names.get(pass.name) || 0) + 1;
    names.set(pass.name, met);
    const id = met > 1 ? `${pass.name}~${met}` : pass.name;
    const whole = { id, kind: "pass", pass: k, sub: 0, before: pass.before, state: pass.after };
    points.push({ ...whole, changed: pass.changed || pass.failed });
    insideOf(fn, pass, k).forEach((inner, n) => points.push({ ...inner, id: `${id}/${n + 1}`, pass: k, sub: n + 1, changed: true }));
  });
  points.forEach((point, k) => (point.index = k));
  return points;
}

function insideOf(fn, pass, k) {
  const found = [];
  let before = pass.before;
  if (pass.name === "infer_types") found.push(...typePoints(fn, pass)); // what it rewrites comes after
  for (const rewrite of pass.rewrites || []) {
    if (rewrite.state < 0) continue;
    found.push({ kind: "rewrite", rewrite, before, state: rewrite.state });
    before = rewrite.state;
  }
  const optimizes = pass.name === "optimize_llvm" || (fn.states[pass.after] || {}).level === "llvm_opt" && pass.before !== pass.after;
  if (optimizes && !fn.passes.slice(0, k).some((p) => p.name === "optimize_llvm")) {
    for (const llvm of fn.llvm || []) {
      if (llvm.state < 0) continue;
      found.push({ kind: "llvm", llvm, before, state: llvm.state });
      before = llvm.state;
    }
  }
  return found;
}

function typePoints(fn, pass) {
  const types = {};
  return (fn.steps || []).filter((step) => step.changes.length).map((step) => {
    const before = { ...types };
    for (const change of step.changes) types[change.variable] = change.new;
    const [change] = step.changes;
    step.span = placed({ span: step.span, defines: [change.variable] }, fn).span;
    return { kind: "type", step, before: pass.before, state: pass.before, types: { ...types }, typesBefore: before };
  });
}

/** The last state of each level, in the order in which the levels were reached. */
function levelsOf(fn) {
  const found = new Map();
  for (const point of fn.points)
    if (point.kind === "start" || point.kind === "pass") {
      const state = fn.states[point.state];
      if (state) found.set(state.level, state);
    }
  return found;
}

// --- places --------------------------------------------------------------------------------------

const here = (span) => Boolean(span && span[0]);
const sameSpan = (a, b) => a.every((number, k) => number === b[k]);

/** Whether a place contains a line and column of the source. */
function contains(span, line, column) {
  const [row, start, endRow, end] = span;
  if (!row || !endRow || line < row || line > endRow) return false;
  return (line > row || column >= start) && (line < endRow || column < end);
}

const size = (span) => (span[2] - span[0]) * 1000 + span[3] - span[1];

/** How a line goes with what is pointed at: 2 the very same, 1 the same line of the source, 0 not. */
function kinship(line, lit) {
  if (lit.op && line.op === lit.op) return 2;
  if (line.guess || lit.guess) return here(line.span) && here(lit.span) && line.span[0] === lit.span[0] ? 1 : 0;
  if (lit.node && line.block) return line.block === lit.node ? 1 : 0;
  if (!here(lit.span) || !here(line.span)) return 0;
  if (lit.column !== undefined && lit.exact && sameSpan(line.span, lit.exact)) return 2;
  if (lit.column === undefined && sameSpan(line.span, lit.span)) return lit.whole ? 1 : 2;
  if (!line.span[3] && line.span[0] === lit.span[0] && line.span[1] === lit.span[1] && !lit.whole) return 2;
  return line.span[0] === lit.span[0] ? 1 : 0;
}

// --- values --------------------------------------------------------------------------------------

/** The value of our own IR that a name of LLVM's comes from: `%s.1.8` is `s.1`. */
function llvmOrigin(fn, token) {
  let name = token.slice(1).replace(/^"|"$/g, "");
  if (/\.i\.i(\d*)(\.|$)/.test(name)) return null; // of a function that was put in here
  name = name.replace(/(\.i\d*)$/, "");
  if (name.startsWith("arg.")) name = name.slice(4);
  while (name) {
    if (fn.known.has(name)) return name;
    const cut = name.lastIndexOf(".");
    if (cut <= 0) return null;
    name = name.slice(0, cut);
  }
  return null;
}

const isVersion = (name, value) => name === value || (!value.startsWith("$") && userName(name) === userName(value));

/** What became of a value, pass by pass, as the record tells it. */
function lifeOf(fn, value) {
  const name = (/^\$[A-Za-z_]*\d*\.\d+/.exec(value) || [userName(value)])[0];
  const events = (fn.lives || {})[name] || [];
  return events.map((event) => ({ ...event, point: fn.points.find((p) => p.kind === "pass" && p.pass === event.position) }));
}

/** The values seen at each operation, by its id and by what it defines. */
function valuesAt(fn, line) {
  if (!line.op) return [];
  const rows = fn.seen.filter((row) => row.op === line.op);
  const named = rows.filter((row) => line.defines.some((name) => row.name === name || row.name === userName(name)));
  return named.length ? named.slice(-1) : rows.slice(-1);
}

/** The line that makes a value, as the last of our own programs has it. */
function definer(fn, value) {
  const states = fn.states.filter((state) => state.language === "cutaway");
  for (const state of states.reverse()) {
    const line = state.lines.find((found) => found.defines.includes(value));
    if (line) return line;
  }
  return null;
}

/** An array's text without the spaces that align it. */
const tidy = (text) => String(text).replace(/\[\s+/g, "[").replace(/\s+,/g, ",").replace(/\s{2,}/g, " ");

/** For each line of the source the user's variables that it sets, with their values. */
function sourceValues(fn) {
  const found = new Map();
  for (const row of fn.seen) {
    if (row.name.startsWith("$") || !here(row.span) || row.span[0] !== row.span[2]) continue;
    const at = found.get(row.span[0]) || new Map();
    at.set(row.name, row);
    found.set(row.span[0], at);
  }
  return found;
}

function valueText(row, iteration, most) {
  if (iteration) {
    if (iteration > row.count) return row.count === 1 ? tidy(row.values[0]) : "–";
    return iteration > row.values.length ? "…" : tidy(row.values[iteration - 1]);
  }
  const texts = row.values.slice(0, most).map(tidy);
  return texts.join(", ") + (row.count > texts.length ? ", …" : "");
}
