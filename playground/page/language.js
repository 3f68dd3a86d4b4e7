// SPDX-License-Identifier: Apache-2.0

// The language server as CodeMirror knows it: diagnostics, hover, completion, fixes.

import { autocompletion, snippet } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import { StateEffect, StateField } from "@codemirror/state";
import { hoverTooltip, keymap, showTooltip } from "@codemirror/view";
import { fromMarkdown } from "./markdown.js";

const ROOT = "file:///playground";
const uriOf = (name) => `${ROOT}/${encodeURIComponent(name)}`;
const SEVERITIES = ["error", "error", "warning", "info", "hint"];
const SNIPPET = 2;

const positionAt = (doc, offset) => {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
};
const offsetAt = (doc, { line, character }) => {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.from + character, found.to);
};
const isSame = (one, other) =>
  one.code === other.code && one.message === other.message && JSON.stringify(one.range) === JSON.stringify(other.range);

// The server indents the lines of a snippet as they are to be, CodeMirror like the line in which it starts.
function forCodeMirror(text, doc, at) {
  const indent = doc.lineAt(at).text.match(/^ */)[0];
  return text.replaceAll(`\n${indent}`, "\n").replaceAll(/\$(\d+)/g, "${$1}");
}

// A hover that a key shows; it stays until something changes.
const setTip = StateEffect.define();
const tip = StateField.define({
  create: () => null,
  update: (value, { effects, docChanged, selection }) => {
    const effect = effects.find((each) => each.is(setTip));
    return effect ? effect.value : docChanged || selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

export class Language {
  #engine;
  #id = 1;
  #version = 1;
  #texts = {};
  #diagnostics = new Map(); // by URI
  #actions = new Map(); // by URI: the quick fixes of its diagnostics
  #started; // a promise; hover and completion wait for it
  #setStarted;
  isForgotten = true; // the server knows nothing, and is to be started

  constructor(engine) {
    this.#engine = engine;
    this.forget();
  }

  /** The worker has ended, or there are other files. */
  forget() {
    this.isForgotten = true;
    this.#setStarted?.();
    this.#started = new Promise((resolve) => (this.#setStarted = resolve));
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

  async #findActions(name) {
    const whole = { start: { line: 0, character: 0 }, end: { line: 1 << 30, character: 0 } };
    this.#actions.set(uriOf(name), !this.#diagnostics.get(uriOf(name))?.length ? [] :
      (await this.#ask("textDocument/codeAction", { textDocument: { uri: uriOf(name) }, range: whole,
        context: { diagnostics: [], only: ["quickfix"] } })) ?? []);
  }

  /** A new session for these files. */
  async start(files, version) {
    this.isForgotten = false;
    const setStarted = this.#setStarted; // forget() may replace it meanwhile
    try {
      await this.#begin(files, version);
    } catch (error) {
      this.isForgotten = true;
      throw error;
    }
    setStarted();
    for (const name of Object.keys(files)) await this.#findActions(name);
  }

  async #begin(files, version) {
    this.#texts = { ...files };
    this.#diagnostics.clear();
    this.#actions.clear();
    await this.#engine.call("start", { files, version });
    const completionItem = { snippetSupport: true, documentationFormat: ["markdown"] };
    await this.#tell(
      { id: this.#id++, method: "initialize", params: { processId: null, rootUri: ROOT,
        workspaceFolders: [{ uri: ROOT, name: "playground" }],
        capabilities: { textDocument: { completion: { completionItem }, hover: { contentFormat: ["markdown"] },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
          publishDiagnostics: { relatedInformation: true } } } } },
      { method: "initialized", params: {} },
      ...Object.entries(files).map(([name, text]) => ({ method: "textDocument/didOpen",
        params: { textDocument: { uri: uriOf(name), languageId: "yaml", version: this.#version++, text } } })));
    this.#take(await this.#engine.call("rest"));
  }

  /** Tells the server a file's text; `rests` if findings on all files are wanted at once. */
  async change(name, text, rests = true) {
    if (this.#texts[name] !== text) {
      this.#texts[name] = text;
      await this.#tell({ method: "textDocument/didChange",
        params: { textDocument: { uri: uriOf(name), version: this.#version++ }, contentChanges: [{ text }] } });
    }
    if (!rests) return;
    this.#take(await this.#engine.call("rest"));
    await this.#findActions(name);
  }

  /** The diagnostics of a file, with what the server would do about them, in its editor. */
  show(view, name) {
    const { doc } = view.state;
    const uri = uriOf(name);
    if (doc.toString() !== this.#texts[name]) return; // they are of an older text
    view.dispatch(setDiagnostics(view.state, (this.#diagnostics.get(uri) ?? []).map((diagnostic) => ({
      from: offsetAt(doc, diagnostic.range.start),
      to: offsetAt(doc, diagnostic.range.end),
      severity: SEVERITIES[diagnostic.severity],
      source: diagnostic.code,
      message: diagnostic.message,
      actions: this.#actionsFor(uri, diagnostic).map((action) => ({ name: action.title, apply: (editor) => this.#apply(editor, name, action) })),
    }))));
  }

  #actionsFor(uri, diagnostic) {
    return (this.#actions.get(uri) ?? []).filter((action) => isSame(action.diagnostics[0], diagnostic));
  }

  #apply(view, name, action) {
    const { doc } = view.state;
    if (doc.toString() !== this.#texts[name]) return;
    const changes = (action.edit.changes[uriOf(name)] ?? []).map(({ range, newText }) =>
      ({ from: offsetAt(doc, range.start), to: offsetAt(doc, range.end), insert: newText }));
    view.dispatch({ changes, userEvent: "input.fix" });
  }

  /** Fixes the first finding in the line of the cursor that has a fix. */
  fixAt(view, name) {
    const { line } = positionAt(view.state.doc, view.state.selection.main.head);
    const uri = uriOf(name);
    const found = (this.#diagnostics.get(uri) ?? []).filter(({ range }) => range.start.line <= line && range.end.line >= line);
    const fix = found.flatMap((diagnostic) => this.#actionsFor(uri, diagnostic)).find(({ isPreferred }) => isPreferred);
    if (fix) this.#apply(view, name, fix);
  }

  async #hover(view, name, offset) {
    const { doc } = view.state;
    await this.#started;
    await this.change(name, doc.toString(), false);
    const hover = await this.#ask("textDocument/hover", { textDocument: { uri: uriOf(name) }, position: positionAt(doc, offset) });
    if (!hover) return null;
    const dom = document.createElement("div");
    dom.className = "hover";
    dom.append(...fromMarkdown(hover.contents.value ?? hover.contents));
    return { pos: hover.range ? offsetAt(doc, hover.range.start) : offset, create: () => ({ dom }) };
  }

  /** Shows what the field under the cursor means, and says it: a key asks for it, so perhaps nobody looks. */
  async hoverAt(view, name) {
    const found = await this.#hover(view, name, view.state.selection.main.head).catch(() => null);
    if (!found) return;
    const tooltip = { ...found, create: () => {
      const made = found.create();
      made.dom.setAttribute("role", "status");
      return made;
    } };
    view.dispatch({ effects: setTip.of(tooltip) });
  }

  extensions(name) {
    return [
      tip,
      keymap.of([{ key: "Escape", run: (view) =>
        view.state.field(tip) !== null && (view.dispatch({ effects: setTip.of(null) }), true) }]),
      hoverTooltip((view, offset) => this.#hover(view, name, offset).catch(() => null)),
      autocompletion({ override: [(context) => this.#complete(context, name).catch(() => null)] }),
    ];
  }

  async #complete(context, name) {
    const { doc } = context.state;
    if (!context.explicit && !context.matchBefore(/[\w./-]+/)) return null;
    await this.#started;
    await this.change(name, doc.toString(), false);
    const answer = await this.#ask("textDocument/completion",
      { textDocument: { uri: uriOf(name) }, position: positionAt(doc, context.pos), context: { triggerKind: context.explicit ? 1 : 2 } });
    const items = answer?.items ?? answer ?? [];
    if (items.length === 0) return null;
    const { range } = items[0].textEdit;
    return { from: offsetAt(doc, range.start), to: offsetAt(doc, range.end), options: items.map((item, index) => ({
      label: item.filterText ?? item.label,
      displayLabel: item.label,
      sortText: item.sortText,
      boost: Math.max(-99, 99 - index), // the server's order
      detail: item.detail,
      info: item.documentation && (() => {
        const dom = document.createElement("div");
        dom.append(...fromMarkdown(item.documentation.value ?? item.documentation));
        return dom;
      }),
      apply: (view, completion, from, to) => {
        const { newText } = item.textEdit;
        if (item.insertTextFormat === SNIPPET) snippet(forCodeMirror(newText, view.state.doc, from))(view, completion, from, to);
        else view.dispatch({ changes: { from, to, insert: newText }, selection: { anchor: from + newText.length }, userEvent: "input.complete" });
      },
    })) };
  }
}
