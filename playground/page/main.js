// SPDX-License-Identifier: Apache-2.0

// The page: files on the left, what they become on the right.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Engine } from "./engine.js";
import { drawJob, readGraph } from "./graph.js";
import { Language } from "./language.js";
import { findingsOf, listFindings, originsOf } from "./output.js";
import { fromFragment, toFragment } from "./share.js";

const LARGEST_FILE = 1 << 20;
const $ = (id) => document.getElementById(id);
const say = (text) => ($("status").textContent = text);

// ----- colours and marks of both editors -----

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content], color: "var(--value)" },
  { tag: tags.comment, color: "var(--comment)" },
]);
const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const lines = [...new Set(effect.value)].filter((line) => line <= transaction.state.doc.lines).sort((a, b) => a - b);
      return Decoration.set(lines.map((line) => Decoration.line({ class: "marked" }).range(transaction.state.doc.line(line).from)));
    }
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
const common = [lineNumbers(), drawSelection(), yaml(), syntaxHighlighting(colours), marks, search(), EditorView.lineWrapping];

function mark(view, lines) {
  view.dispatch({ effects: setMarks.of(lines) });
  if (lines.length > 0 && lines[0] <= view.state.doc.lines)
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(lines[0]).from, { y: "center" }) });
}

// ----- the state of the page -----

let examples = {};
let states = new Map(); // of the editor, by the file's name
let current = "";
let origins = [];
let lastGood = null; // the objects of the last input without errors
let before = null; // the same, of the one before that differs
let shownResult = null;
let isForgotten = false; // the language server was ended with its worker
const engine = new Engine(() => (isForgotten = true));
const language = new Language(engine);

const editor = new EditorView({ parent: $("editor") });
const output = new EditorView({
  parent: $("output"),
  state: EditorState.create({ extensions: [common, EditorState.readOnly.of(true), keymap.of([...defaultKeymap, ...searchKeymap]),
    EditorView.contentAttributes.of({ "aria-label": "Rendered objects" }),
    EditorView.updateListener.of((update) => {
      if (update.selectionSet && update.transactions.some((each) => each.isUserEvent("select"))) showOrigin();
    })] }),
});
let difference = null;

const version = () => $("version").value;
function files() {
  if (current) states.set(current, editor.state);
  return Object.fromEntries([...states].map(([name, state]) => [name, state.doc.toString()]));
}

function stateOf(name, text) {
  return EditorState.create({ doc: text, extensions: [
    keymap.of([{ key: "Mod-.", run: (view) => (language.fixAt(view, name), true) },
      ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    history(), closeBrackets(), lintGutter(), indentUnit.of("  "), common, language.extensions(name),
    EditorView.contentAttributes.of({ "aria-label": `Manifest ${name}` }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) renderSoon();
      if (update.selectionSet && update.transactions.some((each) => each.isUserEvent("select"))) showUses();
    })] });
}

function showFile(name) {
  if (current && states.has(current)) states.set(current, editor.state);
  current = name;
  editor.setState(states.get(name));
  for (const tab of $("files").children) tab.setAttribute("aria-pressed", String(tab.dataset.name === name));
  language.show(editor, name);
}

function showTabs() {
  $("files").replaceChildren(...[...states.keys()].map((name) => {
    const tab = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    tab.dataset.name = name;
    tab.onclick = () => showFile(name);
    return tab;
  }));
}

function open(input) {
  current = "";
  states = new Map(Object.entries(input).map(([name, text]) => [name, stateOf(name, text)]));
  lastGood = before = null;
  showTabs();
  showFile(states.keys().next().value);
  restart();
}

function restart() {
  isForgotten = true;
  render();
}

const showDiagnostics = () => current && language.show(editor, current);

// ----- rendering -----

let timer = 0;
let running = false;
let again = false;
function renderSoon() {
  clearTimeout(timer);
  timer = setTimeout(render, 15);
}

function commandsFor(other) {
  const with_ = (...args) => [...args, "--no-config", "--trainer-version", version()];
  const commands = {
    render: with_("render", "--ssh-key", "omit"),
    explain: with_("explain"),
    lint: with_("lint", "--format", "json"),
    plan: with_("plan"),
    graph: with_("graph"),
  };
  if (other) commands.other = ["render", "--ssh-key", "omit", "--no-config", "--trainer-version", other];
  return commands;
}

async function render() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  const input = files();
  const started = performance.now();
  try {
    show(await engine.call("run", { files: input, commands: commandsFor($("against").value) }), input);
    document.body.dataset.milliseconds = String(Math.round(performance.now() - started));
    document.body.dataset.rendered = String(Number(document.body.dataset.rendered ?? 0) + 1);
    if (isForgotten) {
      isForgotten = false;
      await language.start(input, version());
    } else if (current) {
      await language.change(current, input[current]);
    }
    showDiagnostics();
  } catch (error) {
    say(`Nothing is rendered: ${error.message}`);
    document.body.dataset.failed = String(Number(document.body.dataset.failed ?? 0) + 1);
  }
  running = false;
  if (again) {
    again = false;
    render();
  }
}

function show(result, input) {
  shownResult = result;
  const findings = findingsOf(result.lint.out);
  const errors = findings.filter((each) => each.severity === "error").length;
  const text = result.render.out;
  if (text !== output.state.doc.toString())
    output.dispatch({ changes: { from: 0, to: output.state.doc.length, insert: text } });
  origins = originsOf(result.explain.out, text, input);
  if (result.render.status === 0 && text !== lastGood) {
    before = lastGood;
    lastGood = text;
  }
  $("findings").replaceChildren(...listFindings(findings, goTo));
  $("tab-findings").textContent = findings.length > 0 ? `Findings (${findings.length})` : "Findings";
  $("plan").textContent = result.plan.out || result.plan.err;
  const jobs = readGraph(result.graph.out);
  $("graph").replaceChildren(...(jobs.length > 0 ? jobs.map(drawJob) : [document.createTextNode("Nothing to draw.")]));
  showDifference();
  const notes = result.render.err.split("\n").filter((line) => line.startsWith("note: ")).join(" ");
  say(`${errors === 0 ? "Rendered" : "Refused"}: ${findings.length} ${findings.length === 1 ? "finding" : "findings"}. ${notes}`);
}

function showDifference() {
  if ($("panel-difference").hidden) return;
  const other = $("against").value;
  const [old, text] = other
    ? [shownResult?.other?.out ?? "", shownResult?.render.out ?? ""]
    : shownResult?.render.status === 0 ? [before ?? lastGood ?? "", lastGood ?? ""] : [lastGood ?? "", shownResult?.render.out ?? ""];
  difference?.destroy();
  difference = new EditorView({ parent: $("difference"), state: EditorState.create({ doc: text, extensions: [
    common, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": "Difference" }),
    unifiedMergeView({ original: old, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 } })] }) });
  $("same").hidden = old !== text;
}

// ----- origins, both ways -----

const lineOf = (view) => view.state.doc.lineAt(view.state.selection.main.head).number;

function showOrigin() {
  const line = lineOf(output);
  const origin = origins[line - 1];
  mark(output, [line]);
  if (!origin) {
    say(`Line ${line} comes from no file here: a rule or the catalogue made it.`);
    return mark(editor, []);
  }
  if (origin.file !== current) showFile(origin.file);
  mark(editor, [origin.line]);
  say(`Line ${line} comes from ${origin.file}:${origin.line}.`);
}

function showUses() {
  const line = lineOf(editor);
  const uses = origins.flatMap((origin, i) => (origin?.file === current && origin.line === line ? [i + 1] : []));
  mark(output, uses);
  if (uses.length > 0) say(`${current}:${line} becomes ${uses.length === 1 ? "line" : "lines"} ${uses.join(", ")}.`);
}

function goTo(file, line, column) {
  if (!states.has(file)) return;
  if (file !== current) showFile(file);
  const at = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines));
  editor.dispatch({ selection: { anchor: Math.min(at.from + Math.max(column - 1, 0), at.to) }, scrollIntoView: true });
  editor.focus();
}

// ----- controls -----

function showPanel(name) {
  for (const tab of $("tabs").children) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !chosen;
  }
  showDifference();
}

$("tabs").addEventListener("click", (event) => event.target.id.startsWith("tab-") && showPanel(event.target.id.slice(4)));
$("tabs").addEventListener("keydown", (event) => {
  const tabs = [...$("tabs").children];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  showPanel(next.id.slice(4));
  next.focus();
});
$("version").onchange = restart;
$("against").onchange = render;
$("example").onchange = () => {
  if (examples[$("example").value]) open(examples[$("example").value]);
};
$("share").onclick = async () => {
  history_.replaceState(null, "", await toFragment({ files: files(), version: version() }));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds the input; no server gets it.");
  } catch {
    say("The link is in the address bar. It holds the input; no server gets it.");
  }
};
$("add").onclick = () => $("choose").click();
$("choose").onchange = () => addFiles($("choose").files);
const history_ = window.history;

async function addFiles(list) {
  const added = {};
  for (const file of list) {
    if (/\.(ya?ml|json)$/.test(file.name) && file.size <= LARGEST_FILE) added[file.name] = await file.text();
  }
  const names = Object.keys(added);
  if (names.length === 0) return say("Only .yaml, .yml and .json files of at most 1 MiB can be opened.");
  open({ ...files(), ...added });
  showFile(names[0]);
}
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length > 0) addFiles(event.dataTransfer.files);
});

function fill(select, options) {
  select.append(...Object.entries(options).map(([value, text]) => new Option(text, value)));
}

function fillExamples() {
  const groups = { examples: document.createElement("optgroup"), rules: document.createElement("optgroup") };
  groups.examples.label = "Examples";
  groups.rules.label = "Rules";
  for (const name of Object.keys(examples)) groups[name.startsWith("rule:") ? "rules" : "examples"].append(new Option(name.replace("rule:", ""), name));
  $("example").append(groups.examples, groups.rules);
}

async function openFragment() {
  const given = await fromFragment(location.hash);
  if (given.broken) say("The link is damaged; this is an example.");
  if (given.files) {
    if ([...$("version").options].some((option) => option.value === given.version)) $("version").value = given.version;
    return open(given.files);
  }
  const name = examples[given.example] ? given.example : Object.keys(examples)[0];
  $("example").value = name;
  open(examples[name]);
}

fill($("version"), { auto: "auto", ...Object.fromEntries(["2.3", "2.2", "2.1", "2.0"].map((each) => [each, each])) });
fill($("against"), { "": "the last good input", ...Object.fromEntries(["2.3", "2.2", "2.1", "2.0"].map((each) => [each, `Trainer ${each}`])) });
showPanel("jobset");
examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
fillExamples();
window.addEventListener("hashchange", openFragment);
await openFragment();
