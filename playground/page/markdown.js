// SPDX-License-Identifier: Apache-2.0

// The Markdown of the language server: paragraphs, code, bold, links. Everything else is text.

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/g;

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const { 0: all, 1: code, 2: bold, 3: words, 4: href, index } of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, index));
    const made = document.createElement(code ? "code" : bold ? "strong" : "a");
    made.textContent = code ?? bold ?? words;
    if (href) Object.assign(made, { href, target: "_blank", rel: "noopener" });
    nodes.push(made);
    end = index + all.length;
  }
  return [...nodes, text.slice(end)];
}

/** Its elements. */
export function fromMarkdown(text) {
  return text.split(/^(```[\s\S]*?^```)$/m).flatMap((part) => {
    if (part.startsWith("```")) {
      const code = document.createElement("pre");
      code.textContent = part.replace(/^```.*\n/, "").replace(/\n?```$/, "");
      return [code];
    }
    return part.split(/\n{2,}/).filter((each) => each.trim()).map((each) => {
      const paragraph = document.createElement("p");
      paragraph.append(...inline(each.trim().replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")));
      return paragraph;
    });
  });
}
