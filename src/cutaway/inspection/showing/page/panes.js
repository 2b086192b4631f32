// A column of code: its rows, what lights up in it, and the values beside it.

const MANY = 500; // rows; the words of longer programs are colored when they are seen

/**
 * A column.  `spec`: key, label, language, rows of a diff, whether it is the source, and `chooser`,
 * the element that says what the column shows.
 */
function codePane(fn, spec) {
  const body = el("div", {
    class: `code ${spec.source ? "of-source" : ""}`,
    role: "listbox",
    tabindex: 0,
    "aria-label": spec.label,
    "data-k": `pane-${spec.key}`,
  });
  const pane = el("section", { class: "pane", "aria-label": spec.label }, el("header", {}, spec.chooser, spec.extra), body);
  Object.assign(body, { fn, spec, cursor: -1 });
  const notes = spec.source ? sourceValues(fn) : null;
  const late = spec.rows.length > MANY ? lateColors(body) : null;
  let number = spec.source ? fn.source.first_line : 1;
  spec.rows.forEach((row, k) => body.append(rowOf(fn, spec, row, k, row.kind === "gone" ? 0 : number++, notes, late)));
  if (!spec.rows.length) body.append(el("p", { class: "empty" }, spec.empty || "Nothing to show."));
  listen(body);
  return pane;
}

function lateColors(body) {
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      fillCode(body.fn, body.spec, body.spec.rows[entry.target.dataset.row], entry.target.querySelector(".text"));
      followIn(entry.target);
    }
  }, { root: body, rootMargin: "400px" });
  return watcher;
}

const SIGNS = { gone: "−", new: "+", changed: "~" };

function rowOf(fn, spec, row, k, number, notes, late) {
  const text = el("span", { class: "text" });
  const made = el("div", { class: `row ${row.kind === "same" ? "" : row.kind} ${row.line.guess ? "guess" : ""}`.trim(), role: "option", "aria-selected": "false", id: `${spec.key}-r${k}`, "data-row": k },
    el("span", { class: "no", "aria-hidden": "true" }, SIGNS[row.kind] || String(number)), text);
  if (late && k > 120) {
    text.textContent = shown(row.line);
    late.observe(made);
  } else fillCode(fn, spec, row, text);
  const note = noteOf(fn, spec, row, number, notes);
  if (note) made.append(el("span", { class: "note" }, note));
  return made;
}

function fillCode(fn, spec, row, box) {
  box.textContent = "";
  for (const word of words(fn, row.line, spec.language)) {
    for (const part of split(word, row.marks, spec.source)) {
      const made = el("span", { class: [word.kind || "", part.marked ? "mark" : ""].join(" ").trim() || null, "data-at": part.at }, part.text);
      if (word.value) made.dataset.value = word.value;
      box.append(made);
    }
  }
}

/** A word, cut where a mark begins or ends; what is no word of the source letter by letter. */
function split(word, marks, single) {
  const cuts = new Set([0]);
  for (const [start, end] of marks || []) {
    for (const cut of [start - word.at, end - word.at]) if (cut > 0 && cut < word.text.length) cuts.add(cut);
  }
  if (single && !word.kind) for (let k = 1; k < word.text.length; k++) cuts.add(k);
  const places = [...cuts].sort((a, b) => a - b);
  return places.map((start, k) => {
    const at = word.at + start;
    const marked = (marks || []).some(([from, to]) => at >= from && at < to);
    return { text: word.text.slice(start, places[k + 1]), at, marked };
  });
}

function noteOf(fn, spec, row, number, notes) {
  if (!S.values || row.kind === "gone") return "";
  if (spec.source) {
    const found = [...(notes.get(number) || new Map()).values()];
    return found.map((seen) => `${seen.name} = ${valueText(seen, S.iteration, 4)}`).join("   ");
  }
  if (row.line.guess) return `about line ${row.line.span[0]}`;
  if (row.line.inner) return `from ${row.line.inner.replace(/^.*?:(\d+)(:\d+)? in (.*)$/, "$3, line $1")}`;
  if (spec.language !== "cutaway" || !row.line.defines.length) return "";
  return valuesAt(fn, row.line).filter((seen) => !seen.last.startsWith("<")).map((seen) => valueText(seen, S.iteration, 3)).join("   ");
}

// --- pointing --------------------------------------------------------------------------------------

function listen(body) {
  body.addEventListener("pointerover", (event) => pointed(body, event.target));
  body.addEventListener("pointerleave", () => (lightAgain(), hideTip()));
  body.addEventListener("click", (event) => clicked(body, event.target));
  body.addEventListener("keydown", (event) => moved(body, event));
  body.addEventListener("focus", () => body.classList.add("focused"));
}

function litOf(body, row, word) {
  const line = body.spec.rows[row].line;
  if (!body.spec.source) return { span: line.span, op: line.op, block: line.block, guess: line.guess };
  const number = body.fn.source.first_line + row;
  const column = word ? Number(word.dataset.at) + body.fn.indent : undefined;
  const exact = column === undefined ? null : body.fn.expressions.find((span) => contains(span, number, column) && span[0] === number);
  return { span: [number, 0, number, 0], whole: true, column, exact };
}

function pointed(body, target) {
  const row = target.closest(".row");
  if (!row) return;
  const word = target.closest(".text > span");
  const lit = litOf(body, Number(row.dataset.row), word);
  light(lit);
  const value = word && word.dataset.value;
  tip(body, target, value, lit);
}

function clicked(body, target) {
  const row = target.closest(".row");
  if (!row) return;
  const word = target.closest(".text > span");
  S.pinned = litOf(body, Number(row.dataset.row), word);
  setCursor(body, Number(row.dataset.row), false);
  if (word && word.dataset.value) go({ value: word.dataset.value, panel: "value" });
  else go({ line: S.pinned.span[0] });
  scrollOthers(body.spec.key); // the columns were drawn anew
}

function moved(body, event) {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -1e9, End: 1e9 }[event.key];
  if (step) {
    event.preventDefault();
    event.stopPropagation();
    setCursor(body, body.cursor + step, true);
    S.pinned = litOf(body, body.cursor, null);
    light(S.pinned);
    scrollOthers(body.spec.key);
  } else if (event.key === "Enter" && body.cursor >= 0) {
    event.preventDefault();
    const values = [...new Set([...body.children[body.cursor].querySelectorAll("[data-value]")].map((w) => w.dataset.value))];
    if (values.length) go({ value: values[(values.indexOf(S.value) + 1) % values.length], panel: "value" });
  }
}

function setCursor(body, row, scroll) {
  const rows = body.spec.rows.length;
  if (!rows) return;
  const old = body.children[body.cursor];
  if (old) old.setAttribute("aria-selected", "false");
  body.cursor = Math.min(rows - 1, Math.max(0, row));
  const now = body.children[body.cursor];
  now.setAttribute("aria-selected", "true");
  body.setAttribute("aria-activedescendant", now.id);
  if (scroll) now.scrollIntoView({ block: "nearest" });
}

const paneBodies = () => document.querySelectorAll(".pane .code");

/** Lights up in all columns what belongs to a place; nothing for null. */
function light(lit) {
  for (const body of paneBodies()) {
    if (!body.spec) continue;
    for (const row of body.querySelectorAll(".lit, .near")) row.classList.remove("lit", "near");
    if (!lit) continue;
    if (body.spec.source) lightSource(body, lit);
    else if (!lit.only) body.spec.rows.forEach((row, k) => {
      const kin = kinship(row.line, lit);
      if (kin) body.children[k].classList.add(kin === 2 ? "lit" : "near");
    });
  }
  lightGraph(lit);
}

function lightSource(body, lit) {
  const span = lit.exact || lit.span;
  const row = body.children[span[0] - body.fn.source.first_line];
  if (!here(span) || !row) return;
  row.classList.add("near");
  const exact = span[3] ? span : lit.whole ? null : body.fn.expressions.find((e) => e[0] === span[0] && e[1] === span[1]);
  if (!exact) return;
  for (const word of row.querySelectorAll(".text > span")) {
    const column = Number(word.dataset.at) + body.fn.indent;
    if (contains(exact, span[0], column)) word.classList.add("lit");
  }
}

/** Lights what is pinned, or what the step that one stands at is about. */
function lightAgain() {
  const point = pointNow();
  const { error, passes } = current();
  const failed = point.kind === "pass" && passes[point.pass].failed && error;
  const span = (point.rewrite || point.step || failed || {}).span;
  light(S.pinned || (span && here(span) ? { span, exact: span[3] ? span : null, column: span[1], whole: true, only: true } : null));
}

/** Brings what is lit into sight in all columns but that of a key, where none of it is. */
function scrollOthers(key) {
  for (const body of paneBodies()) {
    if (!body.spec || body.spec.key === key) continue;
    const rows = [...body.children].filter((row) => row.classList.contains("lit"));
    if (!rows.length) rows.push(...[...body.children].filter((row) => row.classList.contains("near")));
    if (!rows.some((row) => isInSight(body, row))) scrollInto(body, rows[0]);
  }
}

/** Marks the value that is followed, everywhere. */
function followIn(box) {
  for (const word of box.querySelectorAll("[data-value]")) {
    const same = S.value && isVersion(word.dataset.value, S.value);
    word.classList.toggle("followed", Boolean(same));
  }
}

// --- what a value is, beside the pointer -------------------------------------------------------------

function tip(body, target, value, lit) {
  const box = byId("tip");
  const rows = tipRows(body, value, lit);
  if (!rows.length || (!value && !body.spec.source)) return hideTip();
  box.textContent = "";
  append(box, rows);
  box.hidden = false;
  const at = target.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`;
  const above = at.top - box.offsetHeight - 6;
  box.style.top = `${above > 4 ? above : at.bottom + 6}px`;
}

function tipRows(body, value, lit) {
  const fn = body.fn;
  const found = [];
  if (value) {
    const versions = Object.keys(fn.types).filter((name) => (body.spec.source ? isVersion(name, value) : name === value));
    const types = [...new Set(versions.map((name) => fn.types[name]))];
    found.push(el("div", {}, el("b", {}, value), types.length ? `  ${types.join(" or ")}` : ""));
  }
  const span = lit.exact || lit.span;
  let seen = fn.seen.filter((row) => (lit.op ? row.op === lit.op : span[3] && sameSpan(row.span, span)));
  if (value && !body.spec.source) {
    const made = definer(fn, value);
    seen = made ? valuesAt(fn, made).filter((row) => row.name === value || row.name === userName(value)) : [];
  }
  if (seen.length) found.push(seenLine(seen[seen.length - 1]));
  return found;
}

function seenLine(row) {
  const parts = [valueText(row, S.iteration, 6)];
  if (row.count > 1) parts.push(`${row.count} times`);
  if (row.count > 1 && row.low !== "" && row.low !== row.high) parts.push(`from ${row.low} to ${row.high}`);
  if (row.nans) parts.push(count(row.nans, "NaN"));
  return el("div", { class: "seen" }, parts.join(" · "));
}

function hideTip() {
  byId("tip").hidden = true;
}
