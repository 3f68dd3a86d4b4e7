// SPDX-License-Identifier: Apache-2.0

// CodeMirror, as the page uses it: the editor of a manifest, the rendered objects, and differences between them.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentService, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { getChunks, unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content], color: "var(--value)" },
  { tag: tags.comment, color: "var(--comment)" },
]);

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, { effects, state, changes }) {
    const effect = effects.find((each) => each.is(setMarks));
    if (!effect) return value.map(changes);
    const lines = [...new Set(effect.value)].filter((line) => line <= state.doc.lines).sort((a, b) => a - b);
    return Decoration.set(lines.map((line) => Decoration.line({ class: "marked" }).range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

// After "key:" a new line begins deeper, after the first field of a list's item below that field.
const indentation = indentService.of((context, position) => {
  const { text } = context.lineAt(position, -1);
  const own = text.search(/\S|$/) + (/^ *- +[^ :]+:( |$)/.test(text) ? 2 : 0);
  return own + (/:( +[|>][-+\d]*)? *(#.*)?$/.test(text) ? 2 : 0);
});

const common = [lineNumbers(), drawSelection(), yaml(), syntaxHighlighting(colours), marks, search(), EditorView.lineWrapping];
const named = (label) => EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" });
const readOnly = [common, EditorState.readOnly.of(true), keymap.of([...searchKeymap, ...defaultKeymap])];

// Calls it for what a person selects, not for what the page does.
const onSelect = (select) => EditorView.updateListener.of(({ selectionSet, transactions }) => {
  if (selectionSet && transactions.some((each) => each.isUserEvent("select"))) select();
});

/** The state of an editor of the file; `language` gives completion, hover and fixes. */
export function manifest(name, text, language, { onChange, onCursor, follow }) {
  const keys = [
    { key: "Mod-.", run: (view) => (language.fixAt(view, name), true) },
    { key: "Mod-i", run: (view) => (language.hoverAt(view, name), true) },
    { key: "F12", run: () => (follow(), true) },
    ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap,
  ];
  return EditorState.create({ doc: text, extensions: [
    keymap.of(keys), history(), closeBrackets(), lintGutter(), indentUnit.of("  "), indentation, common, language.extensions(name),
    named(`Manifest ${name}`), onSelect(onCursor),
    EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
  ] });
}

/** A view of rendered objects. */
export function rendered(parent, { onCursor, follow }) {
  return new EditorView({ parent, state: EditorState.create({ extensions: [
    keymap.of([{ key: "F12", run: () => (follow(), true) }]), readOnly, named("Rendered objects"), onSelect(onCursor)] }) });
}

/** A view of what is different. */
export function difference(parent, original, text) {
  const merge = unifiedMergeView({ original, mergeControls: false, gutter: true });
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions: [readOnly, named("Difference"), merge] }) });
  const first = getChunks(view.state)?.chunks[0];
  if (first) view.dispatch({ effects: EditorView.scrollIntoView(Math.min(first.fromB, view.state.doc.length), { y: "center" }) });
  return view;
}

export const lineOf = ({ state }) => state.doc.lineAt(state.selection.main.head).number;

export function mark(view, lines) {
  const effects = [setMarks.of(lines)];
  const { doc } = view.state;
  if (lines.length > 0 && lines[0] <= doc.lines) effects.push(EditorView.scrollIntoView(doc.line(lines[0]).from, { y: "center" }));
  view.dispatch({ effects });
}

export function goToPlace(view, line, column = 1) {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  const anchor = Math.min(at.from + Math.max(column - 1, 0), at.to);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  view.focus();
}

export function setText(view, text) {
  if (text !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
