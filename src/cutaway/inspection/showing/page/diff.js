// What differs between two programs: lines first, then the words of lines that go together.

/** The common parts of two lists as [i, j] pairs, by Myers' method; coarse where it would be slow. */
function common(a, b) {
  const pairs = [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) pairs.push([head, head++]);
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  pairs.push(...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)).map(([i, j]) => [i + head, j + head]));
  for (let k = tail; k > 0; k--) pairs.push([a.length - k, b.length - k]);
  return pairs;
}

const FARTHEST = 1500; // edits; beyond that two programs have nothing to do with each other

function middle(a, b) {
  const n = a.length;
  const m = b.length;
  if (!n || !m) return [];
  const most = Math.min(n + m, FARTHEST);
  const reach = new Int32Array(2 * most + 3);
  const trace = [];
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(most - d, most + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const at = most + 1 + k;
      let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) x++;
      reach[at] = x;
      if (x >= n && x - k >= m) return walkedBack(trace, d, k, n, a, b);
    }
  }
  return [];
}

function walkedBack(trace, d, k, n, a, b) {
  const pairs = [];
  let x = n;
  for (; d >= 0; d--) {
    const row = trace[d]; // row[i] is diagonal i - d - 1
    const get = (diagonal) => row[diagonal + d + 1];
    const down = k === -d || (k !== d && get(k - 1) < get(k + 1));
    const from = d === 0 ? 0 : down ? get(k + 1) : get(k - 1) + 1;
    while (x > from) {
      x--;
      if (a[x] === b[x - k]) pairs.push([x, x - k]);
    }
    x = down ? from : from - 1;
    k = down ? k + 1 : k - 1;
  }
  return pairs.reverse();
}

/**
 * Rows {kind: same | gone | new | changed, old, line}: the whole of the second program with what
 * went.  A line that only grew does not show its old form.
 */
function diffRows(before, after) {
  const a = before.map(shown);
  const b = after.map(shown);
  const rows = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...common(a, b), [a.length, b.length]]) {
    hunk(before.slice(i, x), after.slice(j, y), rows);
    if (x < a.length) rows.push({ kind: "same", old: before[x], line: after[y] });
    i = x + 1;
    j = y + 1;
  }
  return rows;
}

/** Lines that took the place of others: those of one operation go together. */
function hunk(gone, made, rows) {
  const byOp = new Map(made.filter((line) => line.op).map((line) => [line.op, line]));
  const partner = new Map();
  for (const line of gone) {
    const other = line.op && byOp.get(line.op);
    if (other && !partner.has(other)) partner.set(other, line);
  }
  if (gone.length === made.length && !partner.size) made.forEach((line, k) => similar(gone[k], line) && partner.set(line, gone[k]));
  const paired = new Set(partner.values()); // these stand in front of what they became
  const waiting = gone.filter((line) => !paired.has(line));
  for (const line of waiting) rows.push({ kind: "gone", line });
  for (const line of made) {
    const old = partner.get(line);
    const words = old ? wordDiff(shown(old), shown(line)) : null;
    if (old && words.gone.length) rows.push({ kind: "gone", line: old, marks: words.gone, of: line });
    rows.push({ kind: old ? "changed" : "new", line, old, marks: words && words.made });
  }
}

function similar(a, b) {
  const words = new Set(shown(a).split(/\W+/));
  const others = shown(b).split(/\W+/);
  return others.filter((word) => words.has(word)).length * 2 > others.length;
}

/** The columns [start, end] that are only in the one text, and only in the other. */
function wordDiff(old, made) {
  const split = (text) => text.match(/[$\w.]+|\s+|./g) || [];
  const a = split(old);
  const b = split(made);
  const pairs = common(a, b);
  return { gone: left(a, pairs.map((p) => p[0])), made: left(b, pairs.map((p) => p[1])) };
}

function left(words, kept) {
  const stays = new Set(kept);
  const found = [];
  let at = 0;
  words.forEach((word, k) => {
    const last = found[found.length - 1];
    if (!stays.has(k)) {
      if (last && last[1] === at) last[1] = at + word.length;
      else found.push([at, at + word.length]);
    }
    at += word.length;
  });
  return found.map(([start, end]) => [start + (/^\s*/.exec(words.join("").slice(start, end))[0].length % (end - start)), end]);
}

function diffCounts(rows) {
  const made = rows.filter((row) => row.kind === "new").length;
  const changed = rows.filter((row) => row.kind === "changed").length;
  const gone = rows.filter((row) => row.kind === "gone" && !row.of).length;
  return { made, changed, gone };
}
