// SPDX-License-Identifier: Apache-2.0

// What the commands print, as the page shows it.

/** Where each line of the JobSet comes from: [{file, line} or null], read off the comments of `trainjobc explain`. */
export function originsOf(explained, rendered, files) {
  const lines = explained.split("\n");
  const names = Object.keys(files);
  return rendered.split("\n").map((line, index) => {
    const comment = lines[index]?.startsWith(line) ? lines[index].slice(line.length) : "";
    const found = comment.match(/^\s+# (.*?):(\d+):\d+(?: |$)/);
    return found && names.includes(found[1]) ? { file: found[1], line: Number(found[2]) } : null;
  });
}

export function findingsOf(linted) {
  try {
    return JSON.parse(linted).diagnostics;
  } catch {
    return [];
  }
}

/** A list of findings; `go(file, line, column)` is called for the one that is chosen. */
export function listFindings(findings, go) {
  if (findings.length === 0) return [Object.assign(document.createElement("p"), { textContent: "No findings." })];
  const list = document.createElement("ol");
  list.className = "findings";
  for (const { severity, rule, message, hint, file, line, column } of findings) {
    const item = document.createElement("li");
    const place = Object.assign(document.createElement("button"), { type: "button", textContent: `${file}:${line}:${column}` });
    place.onclick = () => go(file, line, column);
    const [page, anchor] = rule.split("/");
    const link = Object.assign(document.createElement("a"),
      { href: `../reference/rules/${page}/#${anchor}`, textContent: rule, target: "_blank", rel: "noopener" });
    const level = Object.assign(document.createElement("strong"), { textContent: `${severity}:`, className: severity });
    item.append(place, " ", level, ` ${message} [`, link, "]");
    if (hint) item.append(Object.assign(document.createElement("span"), { className: "hint", textContent: hint }));
    list.append(item);
  }
  return [list];
}
