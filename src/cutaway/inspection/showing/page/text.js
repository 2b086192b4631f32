// Code as colored words, and one plain sentence for everything that has a name.

const LEVELS = {
  source: ["Source", "Your function, as you wrote it."],
  bytecode: ["Bytecode", "What Python itself runs: simple instructions for a stack machine."],
  cfg: ["Control flow", "The same instructions in basic blocks: a block runs from start to end, and only its end can jump."],
  ir: ["IR", "Cutaway's own register language: every intermediate result has a name. Names with a `$` come from the compiler."],
  ssa: ["SSA", "Every name is assigned in only one place. Where two paths meet, a `phi` selects the value of the path that was taken."],
  typed: ["Typed", "Every name has one type, written after `::`. The types decide which machine instructions are possible."],
  arrayexpr: ["Array expressions", "Each operation on whole arrays is one op, so several of them can become a single loop."],
  parfor: ["Parallel loops", "Loops with independent iterations, which can be merged and run in parallel."],
  llvm: ["LLVM", "LLVM's language: typed and close to the machine, but for no particular processor."],
  llvm_opt: ["Optimized LLVM", "The same program after LLVM's optimizer."],
  asm: ["Machine code", "The instructions of this computer's processor. This is what runs."],
  ptx: ["PTX", "The instructions of a GPU, with as many registers as they like. The driver, or `ptxas`, makes machine code of it for the GPU at hand."],
};

const GLOSSARY = [
  ["pass", "One step of the compiler. It transforms the whole program and keeps what the program does."],
  ["level", "One of the languages that the program goes through: source, bytecode, IR, …, machine code."],
  ["rewrite", "One change within a pass, made by one rule."],
  ["block", "Instructions that always run one after the other. Jumps lead from the end of one to the start of another."],
  ["value", "The result of an instruction. It has a name, like `s.1` or `$12.3`."],
  ["phi", "An op at the start of a block. Its value depends on the block that control came from."],
  ["type inference", "Working out the type of each value from the types of the arguments, one instruction at a time."],
  ["lowering", "Translating the program to a language that is closer to the machine."],
  ["bounds check", "A check that an index is within the array."],
  ["specialization", "The machine code of your function for one choice of argument types."],
  ["remark", "A decision of a pass, done or missed, and the reason."],
];

const WORDS = {
  python: /(?<c>#.*)|(?<s>[rbf]*("[^"]*"|'[^']*'))|(?<n>\b\d[\w.]*)|(?<d>@[\w.]+)|(?<k>\b(?:def|return|for|in|if|elif|else|while|and|or|not|is|import|from|as|with|try|except|finally|raise|pass|break|continue|lambda|yield|assert|del|True|False|None)\b)|(?<v>[A-Za-z_]\w*)/g,
  bytecode: /(?<s>'[^']*'|"[^"]*")|(?<k>\b[A-Z][A-Z0-9_]{2,}\b)|(?<n>\b\d+\b)|(?<v>[A-Za-z_]\w*)/g,
  cutaway: /(?<t>:: .*$)|(?<s>'[^']*'|"[^"]*")|(?<l>^\s*label \d+(?:, except \d+)?:)|(?<k>\b(?:func|generator|caught|reraise|suspend|delegate|enter|jump|branch|return|raise|phi|call|del|incref|decref|global|const|arg|cast|getitem|setitem|getattr|iternext|getiter)\b(?!\.))|(?<v>\$[\w.]+\w|[A-Za-z_][\w.]*)|(?<n>\b\d[\w.]*)/g,
  llvm: /(?<c>;.*)|(?<v>%"[^"]+"|%[\w$.-]+)|(?<g>@"[^"]+"|@[\w$.-]+)|(?<s>"[^"]*")|(?<m>,? ![\w.]+(?: ![\w.]+)?)|(?<l>^"?[\w$.-]+"?:)|(?<t>\b(?:i\d+|ptr|double|float|half|void|label)\b)|(?<k>\b(?:define|declare|ret|br|switch|call|tail|load|store|phi|select|getelementptr|icmp|fcmp|alloca|unreachable|f?add|f?sub|f?mul|[su]div|fdiv|[su]rem|frem|shl|[la]shr|and|or|xor|trunc|zext|sext|fptosi|sitofp|uitofp|bitcast|extractvalue|insertvalue|extractelement|insertelement|shufflevector)\b)|(?<n>\b0x[0-9A-Fa-f]+|-?\b\d[\d.e+-]*\b)/g,
  ptx: /(?<c>\/\/.*)|(?<s>"[^"]*")|(?<l>^\$L\w+:)|(?<m>^\s*\.(?:loc|file|section|version|target|address_size|b8)\b.*)|(?<t>(?<!\w)\.(?:pred|[bsuf](?:8|16|32|64|128))\b)|(?<d>(?<!\w)\.[a-z]\w*)|(?<k>(?<=^\s+(?:@!?%p\d+\s+)?)[a-z][\w.:]*)|(?<v>%\w+(?:\.[xyzw]\b)?)|(?<g>\$L\w+|[A-Za-z_][\w$]*_param_\d+)|(?<n>\b0[fd][0-9A-F]+\b|-?\b\d+\b)/g,
  gas: /(?<c>#.*|\/\/.*)|(?<s>"[^"]*")|(?<l>^[\w.$@]+:)|(?<m>^\s+\.\w+.*)|(?<k>(?<=^\s+)[a-z][\w.]*)|(?<v>%\w+)|(?<n>\$?-?\b(?:0x[0-9a-f]+|\d+)\b)/g,
};

/**
 * A line as it is shown: the names at the end of a line of our IR stand in the line already, what a
 * call does not have (keywords, a tuple of arguments) is not told, and
 * LLVM's references to debug information say what the links between columns show.
 */
function shown(line) {
  if (line.shown === undefined) {
    line.shown = line.text.replace(/\s+\[('[^']*'(, )?)*\]$/, "").replace(/(, |(?<=\())kws=\(\), vararg=None\)(?=$|  ::)/, ")")
      .replace(/,? !(dbg|noalias|alias\.scope|tbaa|prof) !\d+/g, "").replace(/^\t((?:@!?%p\d+ |\.reg )?\S+) \t/, (_, name) => `    ${name.padEnd(19)} `).replace(/^\t(\S+)\t/, (_, name) => `    ${name.padEnd(10)} `).replace(/\t/g, "    ").replace(/\s+$/, "");
  }
  return line.shown;
}

const NOISE = {
  ptx: /^\s*\.(loc|file|section|b8|b32|b64)\b|^\$L__(tmp|func_begin|func_end)|^\s*\/\/|^\s*$/,
  gas: /^\s*\.(cfi_|file|section|p2align|globl|type|size|text|ident|addrsig|loc|weak|hidden|L?debug|byte|ascii|string|uleb|sleb)|^\.L(func|tmp|line|info|debug|str|abbrev|sec|names)|^\s*#|^\s*$/,
  llvm: /^(;|source_filename|target |attributes |!|declare )|^\s*(tail )?call void @llvm\.(experimental\.noalias|dbg|lifetime)|^\s*#dbg/,
};

/** Lines without what only an assembler or a debugger reads; all of them where that is wanted. */
function worth(lines, language) {
  const noise = !S.all && NOISE[language];
  if (!noise) return lines;
  const kept = lines.filter((line) => !noise.test(line.text));
  return kept.filter((line, k) => line.text.trim() || (k && kept[k - 1].text.trim()));
}

/** Words of a line: {text, at, kind, value}. */
function words(fn, line, language) {
  const text = shown(line);
  const found = [];
  let at = 0;
  for (const match of text.matchAll(WORDS[language] || WORDS.cutaway)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index), at });
    let kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    let value = null;
    if (kind === "v" || (kind === "k" && language === "cutaway" && line.defines.includes(match[0]))) {
      value = valueOf(fn, line, match[0], language);
      kind = value ? "v" : language === "gas" || language === "ptx" ? "r" : "i";
    }
    if (kind === "k" && (language === "gas" || language === "ptx")) value = line.defines[0]; // the value that it works out
    found.push({ text: match[0], at: match.index, kind, value });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at), at });
  return found;
}

function valueOf(fn, line, word, language) {
  if (language === "python" || language === "bytecode") return fn.userNames.has(word) ? word : null;
  if (language === "llvm") return llvmOrigin(fn, word);
  if (language === "cutaway") return line.defines.includes(word) || line.mentions.includes(word) || fn.known.has(word) ? word : null;
  return null;
}

// --- what a point does, in words -----------------------------------------------------------------

function passOf(fn, point) {
  return fn.passes[point.pass];
}

function titleOf(fn, point) {
  if (point.kind === "start") return "Your function";
  if (point.kind === "rewrite") return point.rewrite.rule;
  if (point.kind === "llvm") return point.llvm.name;
  if (point.kind === "type") return point.step.changes.map((c) => `${c.name || c.variable}: ${c.new}`).join(", ");
  return passOf(fn, point).name;
}

function wordsOf(fn, point) {
  if (point.kind === "start") return startWords(fn);
  if (point.kind === "rewrite") return `${sentence(point.rewrite.note)} The rule is in ${point.rewrite.origin}.`;
  if (point.kind === "llvm") return llvmWords(point.llvm);
  if (point.kind === "type") return typeWords(point);
  const pass = passOf(fn, point);
  const [before, after] = [fn.states[pass.before], fn.states[pass.after]];
  const text = sentence(pass.summary);
  if (pass.failed) return `${text} Here the compilation ended with an error.`;
  if (!pass.changed) return `${text} It did not change this function.`;
  return before && after && before.level !== after.level ? `${text} ${levelSentence(after.level)}` : text;
}

const levelName = (level) => (LEVELS[level] ? LEVELS[level][0] : level);
const levelSentence = (level) => (LEVELS[level] ? LEVELS[level][1] : "");

function startWords(fn) {
  const given = fn.arguments.map((a) => `\`${a.name}\` is ${a.type}`);
  return `Your Python, before anything happened. ${given.length ? `It is compiled for these arguments: ${given.join(", ")}.` : ""}`;
}

function llvmWords(llvm) {
  const on = llvm.target ? ` on \`${llvm.target}\`` : "";
  return llvm.summary ? `A pass of LLVM${on}: it ${sentence(llvm.summary)}` : `A pass of LLVM${on}.`;
}

function typeWords(point) {
  const parts = point.step.changes.map((change) => {
    const name = `\`${change.variable}\``;
    const what = change.old ? `${name} was \`${change.old}\` and is now \`${change.new}\`` : `${name} is \`${change.new}\``;
    const causes = change.causes.map(([cause, type]) => `\`${cause}\` is \`${type}\``);
    return causes.length ? `${what}, because ${causes.join(" and ")}` : what;
  });
  return `Type inference visits \`${shown({ text: point.step.constraint })}\`: ${parts.join("; ")}.`;
}
