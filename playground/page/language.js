// SPDX-License-Identifier: Apache-2.0

// The language server as CodeMirror knows it: diagnostics, hover, completion, fixes.

import { autocompletion, snippet } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import { hoverTooltip } from "@codemirror/view";

const ROOT = "file:///playground";
const uriOf = (name) => `${ROOT}/${encodeURIComponent(name)}`;
const SEVERITIES = ["error", "error", "warning", "info", "hint"];

const positionAt = (doc, offset) => {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
};
const offsetAt = (doc, { line, character }) => {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.from + character, found.to);
};

const changesOf = (doc, edits) =>
  edits.map(({ range, newText }) => ({ from: offsetAt(doc, range.start), to: offsetAt(doc, range.end), insert: newText }));

export class Language {
  #engine;
  #id = 1;
  #version = 1;
  #texts = {};
  #diagnostics = new Map();

  constructor(engine) {
    this.#engine = engine;
  }

  #take(messages) {
    for (const { method, params } of messages) {
      if (method === "textDocument/publishDiagnostics") this.#diagnostics.set(params.uri, params.diagnostics);
    }
    return messages;
  }

  async #tell(...messages) {
    return this.#take(await this.#engine.call("tell", messages.map((each) => ({ jsonrpc: "2.0", ...each }))));
  }

  async #ask(method, params) {
    const id = this.#id++;
    const answers = await this.#tell({ id, method, params });
    return answers.find((answer) => answer.id === id)?.result;
  }

  /** A new session for these files. */
  async start(files, version) {
    this.#texts = { ...files };
    this.#diagnostics.clear();
    await this.#engine.call("start", { files, version });
    const completionItem = { snippetSupport: true, documentationFormat: ["markdown"] };
    await this.#tell(
      { id: this.#id++, method: "initialize", params: { processId: null, rootUri: ROOT,
        workspaceFolders: [{ uri: ROOT, name: "playground" }],
        capabilities: { textDocument: { completion: { completionItem },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
          publishDiagnostics: { relatedInformation: true } } } } },
      { method: "initialized", params: {} },
      ...Object.entries(files).map(([name, text]) => ({ method: "textDocument/didOpen",
        params: { textDocument: { uri: uriOf(name), languageId: "yaml", version: this.#version++, text } } })));
    this.#take(await this.#engine.call("rest"));
  }

  async change(name, text) {
    if (this.#texts[name] === text) return;
    this.#texts[name] = text;
    await this.#tell({ method: "textDocument/didChange",
      params: { textDocument: { uri: uriOf(name), version: this.#version++ }, contentChanges: [{ text }] } });
    this.#take(await this.#engine.call("rest"));
  }

  /** The diagnostics of a file, with fixes that the server suggests, in its editor. */
  show(view, name) {
    const doc = view.state.doc;
    const shown = (this.#diagnostics.get(uriOf(name)) ?? []).map((diagnostic) => ({
      from: offsetAt(doc, diagnostic.range.start),
      to: offsetAt(doc, diagnostic.range.end),
      severity: SEVERITIES[diagnostic.severity],
      source: diagnostic.code,
      message: diagnostic.message,
      actions: diagnostic.data?.fixes || diagnostic.data ? [{ name: "Fix", apply: (editor) => this.fix(editor, name, diagnostic) }] : [],
    }));
    view.dispatch(setDiagnostics(view.state, shown));
  }

  async fix(view, name, diagnostic) {
    const actions = await this.#ask("textDocument/codeAction", { textDocument: { uri: uriOf(name) }, range: diagnostic.range,
      context: { diagnostics: [diagnostic], only: ["quickfix"] } });
    const edits = actions?.find((action) => action.edit?.changes?.[uriOf(name)])?.edit.changes[uriOf(name)];
    if (edits) view.dispatch({ changes: changesOf(view.state.doc, edits), userEvent: "input.fix" });
    return Boolean(edits);
  }

  async fixAt(view, name) {
    const doc = view.state.doc;
    const at = positionAt(doc, view.state.selection.main.head);
    const found = (this.#diagnostics.get(uriOf(name)) ?? [])
      .filter(({ range }) => range.start.line <= at.line && range.end.line >= at.line);
    for (const diagnostic of found) if (await this.fix(view, name, diagnostic)) return;
  }

  extensions(name) {
    return [
      hoverTooltip(async (view, offset) => {
        const hover = await this.#ask("textDocument/hover",
          { textDocument: { uri: uriOf(name) }, position: positionAt(view.state.doc, offset) });
        if (!hover) return null;
        const dom = document.createElement("div");
        dom.className = "hover";
        dom.textContent = hover.contents.value ?? hover.contents;
        const pos = hover.range ? offsetAt(view.state.doc, hover.range.start) : offset;
        return { pos, create: () => ({ dom }) };
      }),
      autocompletion({ override: [(context) => this.#complete(context, name)] }),
    ];
  }

  async #complete(context, name) {
    const doc = context.state.doc;
    await this.change(name, doc.toString());
    const answer = await this.#ask("textDocument/completion",
      { textDocument: { uri: uriOf(name) }, position: positionAt(doc, context.pos), context: { triggerKind: context.explicit ? 1 : 2 } });
    const items = answer?.items ?? answer ?? [];
    const word = context.matchBefore(/[\w./-]*/);
    if (items.length === 0 || (!context.explicit && word.from === word.to)) return null;
    return { from: word.from, options: items.map((item) => ({
      label: item.label,
      detail: item.detail,
      info: item.documentation?.value ?? item.documentation,
      apply: (view, completion, from, to) => {
        const text = item.textEdit?.newText ?? item.insertText ?? item.label;
        const range = item.textEdit?.range ?? item.textEdit?.replace;
        const start = range ? offsetAt(view.state.doc, range.start) : from;
        // CodeMirror indents the lines of a snippet itself.
        if (item.insertTextFormat === 2) snippet(text.replaceAll(/\$(\d+)/g, "${$1}"))(view, completion, start, to);
        else view.dispatch({ changes: { from: start, to, insert: text }, selection: { anchor: start + text.length } });
      },
    })) };
  }
}
