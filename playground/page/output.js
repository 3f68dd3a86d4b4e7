// SPDX-License-Identifier: Apache-2.0

// What the commands print, as the page shows it.

const MOST_FINDINGS = 200;
const PLACE = /^(.*?):(\d+):(\d+)$/;
const BLOCK = /[:-] [|>][-+\d]*$/; // the first line of a block scalar

const documentsOf = (text) => {
  const documents = [[]];
  text.split("\n").forEach((line, index) => (line === "---" ? documents.push([]) : documents.at(-1).push({ line, index })));
  return documents;
};

/** Without a comment, and with its value only if the value isn't hidden. */
const keyOf = (line) => line.replace(/:( .*)?$/, ":");

function commentOf(line, explained) {
  const at = explained.startsWith(line) ? line.length : explained.lastIndexOf("  # ");
  const [, comment] = explained.slice(at).match(/^ +# (.*)$/) ?? [];
  if (!comment) return null;
  const place = comment.split("  ")[0].match(PLACE);
  return { comment: comment.replaceAll("  ", ", "), file: place?.[1], line: Number(place?.[2]) };
}

// A line in a block scalar comes from the same line of the block in the input, if that is a block, too.
function inBlock(header, line, offset, files) {
  const own = files[header?.file]?.split("\n")[header.line - 1 + offset];
  return own !== undefined && own.trim() === line.trim() ? { ...header, line: header.line + offset } : header;
}

function alignDocument(lines, explained, files, origins) {
  let next = 0;
  let block = null;
  for (const { line, index } of lines) {
    const indent = line.search(/\S/);
    if (block && (line === "" || indent > block.indent)) {
      origins[index] = inBlock(block.origin, line, index - block.index, files);
      if (explained[next]?.line === line) next += 1;
      continue;
    }
    block = null;
    const isSame = (each) => each.line.startsWith(line) || keyOf(each.line.replace(/ +# .*/, "")) === keyOf(line);
    const ahead = explained.slice(next, next + 30).findIndex(isSame);
    if (line === "" || ahead < 0) continue;
    next += ahead + 1;
    origins[index] = commentOf(line, explained[next - 1].line);
    if (BLOCK.test(line)) block = { indent, index, origin: origins[index] };
  }
}

/**
 * Where each line of what is rendered comes from, read off the comments of `trainjobc explain`: {comment, file, line} or null;
 * `file` is missing if only a rule made the line. `explain` also shows Secrets that `render` leaves out, and hides values.
 */
export function originsOf(explained, rendered, files) {
  const origins = rendered.split("\n").map(() => null);
  const nameOf = (document) =>
    document.flatMap(({ line }) => line.match(/^(?:kind:|  name:|  namespace:) [^ ]+/)?.[0] ?? []).join();
  const twins = documentsOf(explained);
  for (const document of documentsOf(rendered)) {
    const at = twins.findIndex((twin) => nameOf(twin) === nameOf(document));
    if (at >= 0) alignDocument(document, twins.splice(at, 1)[0], files, origins);
  }
  return origins;
}

/** The findings in a text that a command has printed. */
function findingsInText(text) {
  const findings = [];
  for (const line of text.split("\n")) {
    const [, file, at, column, severity, message, rule] =
      line.match(/^(.+?):(\d+):(\d+): (error|warning|info): (.*) \[([a-z]+\/[a-z0-9-]+)\]$/) ?? [];
    const hint = line.match(/^ +\| [ ~^]*[~^] (.*)$/)?.[1];
    if (file) findings.push({ file, line: Number(at), column: Number(column), severity, message, rule });
    else if (hint && findings.length > 0) findings.at(-1).hint ??= hint;
  }
  return findings;
}

/** Those that a command has printed as JSON or, if that failed, as text. */
export function findingsOf({ out, err }) {
  try {
    return JSON.parse(out).diagnostics;
  } catch {
    return findingsInText(err);
  }
}

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function listItem({ severity, rule, message, hint, file, line, column }, go) {
  const [page, anchor] = rule.split("/");
  return element("li", {},
    element("button", { type: "button", textContent: `${file}:${line}:${column}`, onclick: () => go(file, line, column) }), " ",
    element("strong", { textContent: `${severity}:`, className: severity }), ` ${message} [`,
    element("a", { href: `../reference/rules/${page}/#${anchor}`, textContent: rule, target: "_blank", rel: "noopener" }), "]",
    ...(hint ? [element("span", { className: "hint", textContent: hint })] : []));
}

/** A list of findings; `go(file, line, column)` is called for the one that is chosen. */
export function listFindings(findings, go) {
  if (findings.length === 0) return [element("p", { textContent: "No findings." })];
  const list = element("ol", { className: "findings" }, ...findings.slice(0, MOST_FINDINGS).map((each) => listItem(each, go)));
  const more = findings.length - MOST_FINDINGS;
  return more > 0 ? [list, element("p", { textContent: `And ${more} more.` })] : [list];
}
