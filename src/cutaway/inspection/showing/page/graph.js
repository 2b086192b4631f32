// Graphs, drawn from coordinates that stay the same from pass to pass.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const GRAPHS = {
  cfg: "Control flow",
  dominators: "Dominators",
  dataflow: "Data flow",
  loops: "Loops over arrays",
  frame: "Frame of a generator",
  network: "Type constraints",
  calls: "Calls",
};

/** The kinds of graphs that a state has. */
const kindsOf = (state) => Object.keys((state && state.graphs) || {});

function graphOf(fn, state, kind) {
  const position = ((state && state.graphs) || {})[kind];
  return position === undefined ? null : fn.graphs[position];
}

/** The state whose graph stands for a point: its own, one of its level, else the nearest before. */
function graphState(fn, point, kind) {
  const now = fn.states[point.state];
  if (now && !kindsOf(now).includes(kind)) {
    const same = fn.states.find((state) => state.level === now.level && kindsOf(state).includes(kind));
    if (same) return same;
  }
  for (let k = point.index; k >= 0; k--) {
    const state = fn.states[fn.points[k].state];
    if (kindsOf(state).includes(kind)) return state;
  }
  return fn.states.find((state) => kindsOf(state).includes(kind)) || null;
}

function graphPane(fn, point) {
  const kinds = [...new Set(fn.states.flatMap(kindsOf))];
  if (!kinds.length) return null;
  const kind = kinds.includes(S.graph) ? S.graph : kinds[0];
  const state = graphState(fn, point, kind);
  const graph = graphOf(fn, state, kind);
  const chooser = el("label", { class: "chooser" }, el("span", { class: "sr" }, "Graph"),
    el("select", { "data-k": "graph-kind", onchange: (event) => go({ graph: event.target.value }) },
      kinds.map((k) => el("option", { value: k, selected: k === kind }, GRAPHS[k] || k))));
  const box = el("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": `${GRAPHS[kind] || kind} of ${fn.name}` }, drawn(fn, graph, kind, state.language));
  Object.assign(box, { sight: [fn.index, kind, state.language, S.zoom].join(" ") });
  box.addEventListener("scroll", () => (SIGHT = { of: box.sight, left: box.scrollLeft, top: box.scrollTop }));
  const zoom = (factor) => () => go({ zoom: Math.min(4, Math.max(0.2, (S.zoom || 1) * factor)) });
  const tools = el("span", { class: "tools" },
    el("button", { "data-k": "zoom-fit", "aria-pressed": String(!S.zoom), onclick: () => go({ zoom: 0 }) }, "fit"),
    el("button", { "data-k": "zoom-out", "aria-label": "Smaller", onclick: zoom(0.8) }, "−"),
    el("button", { "data-k": "zoom-in", "aria-label": "Larger", onclick: zoom(1.25) }, "+"));
  return el("section", { class: "pane graph-pane", "aria-label": "Graph" }, el("header", {}, chooser, el("span", { class: "at" }, `at ${levelName(state.level)}`), tools), box);
}

let SIGHT = { of: "", left: 0, top: 0 }; // what part of a drawing was looked at

/** Scrolls a drawing to where it was looked at; one that is new to its topmost node. */
function bringIntoSight(box) {
  if (SIGHT.of === box.sight) return Object.assign(box, { scrollLeft: SIGHT.left, scrollTop: SIGHT.top });
  const top = (node) => node.getBoundingClientRect().top;
  const first = [...box.querySelectorAll(".node, .frame")].sort((a, b) => top(a) - top(b))[0];
  if (!first) return box;
  const [node, seen] = [first.getBoundingClientRect(), box.getBoundingClientRect()];
  box.scrollLeft += node.left + node.width / 2 - seen.left - seen.width / 2;
  box.scrollTop += node.top - seen.top - 16;
  return box;
}

/** The frame of all graphs of a kind in one language, so that none of them jumps. */
function frame(fn, kind, language) {
  let width = 1;
  let height = 1;
  for (const state of fn.states) {
    const graph = state.language === language && graphOf(fn, state, kind);
    if (!graph) continue;
    width = Math.max(width, graph.width);
    height = Math.max(height, graph.height);
  }
  return { width, height };
}

const READABLE = 0.8; // a graph is not drawn smaller to fit; what is larger is scrolled

function drawn(fn, graph, kind, language) {
  const { width, height } = frame(fn, kind, language);
  const made = svg("svg", { viewBox: `-8 -8 ${width + 16} ${height + 16}`, width: (width + 16) * (S.zoom || 1), height: (height + 16) * (S.zoom || 1), class: S.zoom ? "" : "fit", style: S.zoom ? null : `min-width:${Math.round(width * READABLE)}px`, role: "img", "aria-label": `${graph.nodes.length} nodes, ${graph.edges.length} edges` });
  made.append(svg("defs", {}, svg("marker", { id: "tip-of-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0L8 4L0 8z" }))));
  const places = new Map(graph.nodes.map((node) => [String(node.id), graph.boxes[node.id]]));
  for (const [name, [x, y, w, h]] of Object.entries(graph.frames || {})) {
    made.append(svg("g", { class: "frame" }, svg("rect", { x, y, width: w, height: h, rx: 6 }), svg("text", { x: x + 14, y: y + 19 }, name)));
  }
  for (const edge of graph.edges) made.append(edgeOf(edge, places));
  for (const node of graph.nodes) if (places.get(String(node.id))) made.append(nodeOf(node, places.get(String(node.id))));
  return made;
}

function edgeOf(edge, places) {
  let points = edge.points || [];
  if (points.length < 2) {
    const [a, b] = [places.get(String(edge.source)), places.get(String(edge.target))];
    points = a && b ? [[a[0] + a[2] / 2, a[1] + a[3]], [b[0] + b[2] / 2, b[1]]] : [];
  }
  const group = svg("g", { class: `edge ${edge.kind || ""}` });
  if (!points.length) return group;
  group.append(svg("path", { d: rounded(points), "marker-end": "url(#tip-of-arrow)" }));
  if (edge.mark) group.append(svg("text", { x: points[0][0] + 5, y: points[0][1] + 13, class: "mark-of-edge" }, edge.mark));
  return group;
}

/** A line through points with round corners. */
function rounded(points) {
  const parts = [`M${points[0].join(" ")}`];
  for (let k = 1; k < points.length - 1; k++) {
    const [corner, before, after] = [points[k], points[k - 1], points[k + 1]];
    const start = toward(corner, before);
    const end = toward(corner, after);
    parts.push(`L${start.join(" ")}Q${corner.join(" ")} ${end.join(" ")}`);
  }
  parts.push(`L${points[points.length - 1].join(" ")}`);
  return parts.join("");
}

function toward(corner, other) {
  const [x, y] = [other[0] - corner[0], other[1] - corner[1]];
  const length = Math.hypot(x, y) || 1;
  const by = Math.min(6, length / 2) / length;
  return [+(corner[0] + x * by).toFixed(1), +(corner[1] + y * by).toFixed(1)];
}

const LINE_HEIGHT = 14;

function nodeOf(node, [x, y, width, height]) {
  const group = svg("g", { class: `node ${node.kind || ""}`, "data-node": node.link || node.id, "data-line": lineOfNode(node), role: "button", tabindex: 0, "aria-label": node.title });
  group.append(svg("rect", { x, y, width, height, rx: 5 }));
  const lines = node.lines || [];
  const room = Math.max(4, Math.floor((width - 12) / 6.3));
  if (node.title) group.append(svg("text", { x: x + 7, y: y + 15, class: "title" }, node.title));
  const top = y + (node.title ? 15 + LINE_HEIGHT + 1 : 15);
  lines.forEach((line, k) => {
    const text = shown({ text: String(line) }).trim();
    if (top + k * LINE_HEIGHT > y + height) return;
    const at = (node.locs || [])[k] || null;
    group.append(svg("text", { x: x + 7, y: top + k * LINE_HEIGHT, "data-line": at }, text.length > room ? `${text.slice(0, room - 1)}…` : text));
  });
  group.append(svg("title", {}, [node.title, ...lines].filter(Boolean).join("\n")));
  group.addEventListener("pointerenter", () => light(litNode(node)));
  group.addEventListener("pointerleave", lightAgain);
  const pin = () => {
    S.pinned = litNode(node);
    light(S.pinned);
    scrollOthers(null);
  };
  group.addEventListener("click", pin);
  group.addEventListener("keydown", (event) => event.key === "Enter" && pin());
  return group;
}

const lineOfNode = (node) => node.line || node.loc || 0;

const litNode = (node) => ({ span: lineOfNode(node) ? [lineOfNode(node), 0, lineOfNode(node), 0] : NOWHERE, whole: true, node: String(node.link || node.id) });

function lightGraph(lit) {
  for (const group of document.querySelectorAll(".node")) {
    const same = lit && ((lit.block && lit.block === group.dataset.node) || lit.node === group.dataset.node || (here(lit.span) && Number(group.dataset.line) === lit.span[0]));
    group.classList.toggle("lit", Boolean(same));
  }
  for (const text of document.querySelectorAll(".node text[data-line]"))
    text.classList.toggle("lit", Boolean(lit && here(lit.span) && !lit.node && Number(text.dataset.line) === lit.span[0]));
}
