// Search: passes, values, functions, and text at every level.

const MOST_RESULTS = 60;

function results(fn, query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const found = [...passResults(fn, wanted), ...valueResults(fn, wanted), ...functionResults(wanted), ...textResults(fn, wanted)];
  return found.slice(0, MOST_RESULTS);
}

function passResults(fn, wanted) {
  return fn.points.filter((p) => p.pass >= 0).filter((p) => {
    const text = p.sub ? titleOf(fn, p) : `${titleOf(fn, p)} ${passOf(fn, p).summary}`;
    return text.toLowerCase().includes(wanted);
  }).slice(0, 15).map((p) => ({ kind: p.sub ? "step" : "pass", title: titleOf(fn, p), text: p.sub ? passOf(fn, p).name : passOf(fn, p).summary, to: { at: p.index } }));
}

function valueResults(fn, wanted) {
  const names = new Set([...fn.userNames, ...Object.keys(fn.types)]);
  return [...names].filter((name) => name.toLowerCase().includes(wanted)).sort((a, b) => a.length - b.length).slice(0, 8)
    .map((name) => ({ kind: "value", title: name, text: fn.types[name] || "", to: { value: name, panel: "value" } }));
}

function functionResults(wanted) {
  return DATA.functions.filter((fn) => fn.signature.toLowerCase().includes(wanted)).slice(0, 5)
    .map((fn) => ({ kind: "function", title: fn.signature, text: "", enter: fn.index }));
}

function textResults(fn, wanted) {
  const found = [];
  const done = new Set();
  for (const point of [...fn.points].reverse()) {
    const state = fn.states[point.state];
    if (point.sub || !state || done.has(state.level)) continue;
    done.add(state.level);
    let hits = 0;
    worth(state.lines, state.language).forEach((line) => {
      if (hits < 6 && shown(line).toLowerCase().includes(wanted)) {
        hits++;
        found.unshift({ kind: levelName(state.level), title: shown(line).trim(), text: "", to: { at: point.index, view: "step" }, line });
      }
    });
  }
  return found;
}

function openSearch() {
  const box = byId("search");
  const input = box.querySelector("input");
  box.showModal();
  input.value = "";
  input.focus();
  listResults([]);
}

function listResults(found) {
  const list = byId("results");
  list.textContent = "";
  list.found = found;
  list.cursor = 0;
  found.forEach((result, k) => list.append(el("li", { role: "option", id: `result-${k}`, "aria-selected": String(k === 0), onclick: () => take(result) },
    el("span", { class: "kind" }, result.kind), el("span", { class: "title" }, result.title), result.text ? el("span", { class: "dim" }, result.text) : null)));
  const input = byId("search").querySelector("input");
  input.setAttribute("aria-activedescendant", found.length ? "result-0" : "");
  byId("found").textContent = input.value ? count(found.length, "result") : "Search passes, names, and the text of every level";
}

function take(result) {
  byId("search").close();
  if (result.enter !== undefined) return enter(result.enter);
  go(result.to);
  if (result.line) {
    S.pinned = { span: result.line.span, op: result.line.op, whole: !result.line.op };
    light(S.pinned);
    for (const body of paneBodies()) {
      const row = body.spec.rows.findIndex((r) => r.line === result.line && r.kind !== "gone");
      if (row >= 0) {
        setCursor(body, row, false);
        scrollInto(body, body.children[row]);
        body.children[row].classList.add("lit");
      }
    }
  }
}

function searchKeys(event) {
  const list = byId("results");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && list.found.length) {
    event.preventDefault();
    list.children[list.cursor].setAttribute("aria-selected", "false");
    list.cursor = (list.cursor + step + list.found.length) % list.found.length;
    const now = list.children[list.cursor];
    now.setAttribute("aria-selected", "true");
    now.scrollIntoView({ block: "nearest" });
    event.target.setAttribute("aria-activedescendant", now.id);
  } else if (event.key === "Enter" && list.found.length) {
    event.preventDefault();
    take(list.found[list.cursor]);
  }
}
