// Small pieces of the document, and words that are formatted the same everywhere.

/** An element with attributes (`on...` are listeners) and children; texts are never read as HTML. */
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") made.style.cssText = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child !== null && child !== undefined && child !== false && child !== "")
      parent.append(child);
  }
}

const byId = (id) => document.getElementById(id);

/** Text in which `code` stands between backticks, as nodes. */
function prose(text) {
  return String(text || "").split("`").map((part, k) => (k % 2 ? el("code", {}, part) : part));
}

function sentence(text) {
  const trimmed = String(text || "").trim();
  return trimmed && !/[.!?:]$/.test(trimmed) ? `${trimmed}.` : trimmed;
}

function count(number, one, many) {
  return `${number} ${number === 1 ? one : many || `${one}s`}`;
}

function duration(seconds) {
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  if (seconds >= 1e-3) return `${(seconds * 1e3).toFixed(seconds < 0.01 ? 2 : 1)} ms`;
  return `${Math.max(1, Math.round(seconds * 1e6))} µs`;
}

function bytes(number) {
  if (number < 1024) return `${number} B`;
  if (number < 1 << 20) return `${(number / 1024).toFixed(0)} KB`;
  return `${(number / (1 << 20)).toFixed(1)} MB`;
}

/** Says something to those who listen rather than look. */
function announce(text) {
  byId("live").textContent = text;
}

const CALM = matchMedia("(prefers-reduced-motion: reduce)").matches;

const isInSight = (box, row) => row.offsetTop >= box.scrollTop && row.offsetTop + row.offsetHeight <= box.scrollTop + box.clientHeight;

function scrollInto(box, row) {
  if (!row) return;
  const top = row.offsetTop - box.clientHeight / 2 + row.offsetHeight / 2;
  box.scrollTo({ top: Math.max(0, top), behavior: CALM ? "auto" : "smooth" });
}
