// SPDX-License-Identifier: Apache-2.0

// The page: files on the left, what they become on the right.

import { EditorView } from "@codemirror/view";
import { difference, goToPlace, lineOf, manifest, mark, rendered, setText } from "./editors.js";
import { Engine } from "./engine.js";
import { drawGraph } from "./graph.js";
import { Language } from "./language.js";
import { findingsOf, listFindings, originsOf } from "./output.js";
import { fromFragment, toFragment } from "./share.js";

const LARGEST_FILE = 1 << 20;
const LARGEST_OUTPUT = 4 << 20; // that is shown
const PAUSE = 1000; // after it, a change is compared with what was there before
const CONFIG = ".trainjobc.yaml";

const $ = (id) => document.getElementById(id);
const say = (text) => $("status").textContent !== text && ($("status").textContent = text);
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

// ----- the state of the page -----

let offered = { versions: [], examples: {} };
let states = new Map(); // of the editor, by the file's name
let current = "";
let shown = { files: {}, result: null, origins: [], text: "" }; // of the last run
const good = { text: null, before: null, at: 0 }; // the objects of the last input without errors, and of those before it

const engine = new Engine(() => language.forget());
const language = new Language(engine);
const editor = new EditorView({ parent: $("editor") });
const output = rendered($("output"), { onCursor: showOrigin, follow: goToOrigin });
let comparison = null;

// ----- files -----

function files() {
  if (current) states.set(current, editor.state);
  return Object.fromEntries([...states].map(([name, { doc }]) => [name, doc.toString()]));
}

function stateOf(name, text) {
  return manifest(name, text, language, { onChange: renderSoon, onCursor: showUses, follow: goToUse });
}

function showFile(name) {
  if (current && states.has(current)) states.set(current, editor.state);
  current = name;
  editor.setState(states.get(name));
  for (const tab of $("files").children) tab.setAttribute("aria-pressed", String(tab.dataset.name === name));
  language.show(editor, name);
}

function showFiles() {
  $("files").replaceChildren(...[...states.keys()].map((name) => {
    const tab = Object.assign(document.createElement("button"), { type: "button", textContent: name, onclick: () => showFile(name) });
    tab.dataset.name = name;
    return tab;
  }));
  $("remove").disabled = states.size < 2;
}

/** Replaces the files; those that stay as they are keep their history. */
function setFiles(input, first = Object.keys(input)[0]) {
  const own = files();
  current = "";
  states = new Map(Object.entries(input).map(([name, text]) => [name, own[name] === text ? states.get(name) : stateOf(name, text)]));
  showFiles();
  showFile(first);
  language.forget();
  return render();
}

function open({ files: input, version = "auto", tab }) {
  good.text = good.before = null;
  states.clear();
  $("version").value = [...$("version").options].some(({ value }) => value === version) ? version : "auto";
  if (tab && $(`tab-${tab}`)) showPanel(tab);
  return setFiles(input);
}

async function addFiles(list) {
  const added = {};
  for (const file of list) {
    if (/\.(ya?ml|json)$/.test(file.name) && file.size <= LARGEST_FILE) added[file.name] = await file.text();
  }
  const [first] = Object.keys(added);
  if (!first) return say("Only .yaml, .yml and .json files of at most 1 MiB can be opened.");
  await setFiles({ ...files(), ...added }, first);
  const left = list.length - Object.keys(added).length;
  if (left > 0) say(`${count(left, "file")} left out: only .yaml, .yml and .json files of at most 1 MiB can be opened.`);
}

function newFile() {
  let number = states.size + 1;
  while (states.has(`file-${number}.yaml`)) number += 1;
  setFiles({ ...files(), [`file-${number}.yaml`]: "" }, `file-${number}.yaml`);
  editor.focus();
}

function removeFile() {
  const { [current]: removed, ...others } = files();
  setFiles(others);
  $("files").firstChild.focus();
}

// ----- rendering -----

const panel = () => document.querySelector("[role=tab][aria-selected=true]").id.slice(4);
let timer = 0;
let running = null; // the promise of the runs in progress
let isStale = false;
let edited = 0; // when the first change was made that isn't shown yet

function renderSoon() {
  edited ||= performance.now();
  clearTimeout(timer);
  timer = setTimeout(render, 15);
}

/** What the page runs for the files: always what the JobSet, its origins and the findings need, the rest if it is looked at. */
function commandsFor(input) {
  const version = $("version").value;
  const rest = ["--", ...Object.keys(input).filter((name) => name !== CONFIG)];
  const config = CONFIG in input ? [] : ["--no-config"];
  const own = CONFIG in input && version === "auto" ? config : [...config, "--trainer-version", version];
  const render_ = ["render", "--ssh-key", "omit"];
  const other = $("against").value;
  return {
    render: [...render_, ...own, ...rest],
    explain: ["explain", ...own, ...rest],
    lint: ["lint", "--format", "json", ...own, ...rest],
    ...{
      plan: { plan: ["plan", ...own, ...rest] },
      graph: { graph: ["graph", ...own, ...rest] },
      difference: other ? { other: [...render_, ...config, "--trainer-version", other, ...rest] } : {},
      migrate: { migrate: ["migrate", "--diff", ...config, "--to", version === "auto" ? offered.versions[0] : version, ...rest] },
    }[panel()],
  };
}

function counted(name) {
  document.body.dataset[name] = String(Number(document.body.dataset[name] ?? 0) + 1);
}

async function runOnce() {
  const input = files();
  const since = edited || performance.now();
  edited = 0;
  try {
    show(await engine.call("run", { files: input, commands: commandsFor(input) }), input, since);
    document.body.dataset.milliseconds = String(Math.round(performance.now() - since));
    document.body.dataset.first ??= String(Math.round(performance.now())); // since the navigation began
    counted("rendered");
    if (language.isForgotten) {
      await language.start(input, $("version").value);
    } else if (current in input) {
      await language.change(current, input[current]);
    }
    if (current) language.show(editor, current);
  } catch (error) {
    say(`Nothing is rendered: ${error.message}`);
    counted("failed");
  }
}

async function runUntilShown() {
  while (isStale) {
    isStale = false;
    await runOnce();
  }
  running = null;
}

/** Until the page shows what is there now: one more run after the one in progress, for all that changed meanwhile. */
function render() {
  isStale = true;
  running ??= runUntilShown();
  return running;
}

function show(result, input, since) {
  const { status, out, err } = result.render;
  const isGood = status === 0;
  const findings = findingsOf(result.lint);
  if (isGood && out !== good.text) {
    if (since - good.at > PAUSE) good.before = good.text;
    good.text = out;
  }
  good.at = since;
  const text = (isGood ? out : good.text ?? "").slice(0, LARGEST_OUTPUT);
  setText(output, text);
  $("stale").hidden = isGood || !good.text;
  shown = { files: input, result, text, origins: isGood ? originsOf(result.explain.out, text, input) : [] };
  $("findings").replaceChildren(...listFindings(findings, goTo));
  $("tab-findings").textContent = findings.length > 0 ? `Findings (${findings.length})` : "Findings";
  showPanelContent();
  const notes = err.split("\n").filter((line) => line.startsWith("note: "));
  say([`${isGood ? "Rendered" : "Refused"}: ${count(findings.length, "finding")}.`, ...notes].join(" "));
}

function showPanelContent() {
  const { result } = shown;
  if (result?.plan && panel() === "plan") $("plan").textContent = result.plan.out || result.plan.err;
  if (result?.graph && panel() === "graph") $("graph").replaceChildren(...drawGraph(result.graph.out));
  if (result?.migrate && panel() === "migrate") showMigration(result.migrate);
  if (result && panel() === "difference") showDifference(result);
}

function showMigration({ out, err }) {
  const findings = findingsOf({ out, err });
  $("left").replaceChildren(...(findings.length > 0 ? listFindings(findings, goTo) : []));
  const said = err.split("\n").filter((line) => /\bmigrate|^note: /.test(line) && !/^ |\[migrate\//.test(line));
  $("migrated").textContent = [...said.map((line) => line.replace(/; --write .*/, "")), "", out].join("\n").trim();
}

/** What the objects are compared with: {old, text}, or why they can't be. */
function sides({ render: { status }, other }) {
  const version = $("against").value;
  if (status !== 0) return { why: "The input is refused: there is nothing to compare." };
  if (!version) return { old: good.before ?? good.text, text: good.text };
  if (!other) return { why: "" };
  if (other.status !== 0) return { why: `Trainer ${version} refuses the input: ${findingsOf(other)[0]?.message ?? other.err}` };
  return { old: other.out, text: good.text };
}

function showDifference(result) {
  const { why, old, text } = sides(result);
  comparison?.destroy();
  comparison = null;
  $("compared").textContent = why ?? (old === text ? "No difference." : "");
  if (why === undefined && old !== text) comparison = difference($("difference"), old, text);
}

// ----- origins, both ways -----

function showOrigin() {
  const line = lineOf(output);
  const origin = shown.origins[line - 1];
  mark(output, [line]);
  const isHere = origin && states.has(origin.file);
  if (isHere && origin.file !== current) showFile(origin.file);
  mark(editor, isHere ? [origin.line] : []);
  say(origin ? `Line ${line} comes from ${origin.comment}.` : `Line ${line} has no value: see the lines below it.`);
}

function goToOrigin() {
  showOrigin();
  const origin = shown.origins[lineOf(output) - 1];
  if (origin && states.has(origin.file)) goToPlace(editor, origin.line);
}

function usesOf(file, line) {
  return shown.origins.flatMap((origin, i) => (origin?.file === file && origin.line === line ? [i + 1] : []));
}

function showUses() {
  const line = lineOf(editor);
  const uses = usesOf(current, line);
  mark(editor, []);
  mark(output, uses);
  if (uses.length > 0) say(`${current}:${line} becomes ${uses.length === 1 ? "line" : "lines"} ${uses.join(", ")}.`);
}

function goToUse() {
  showUses();
  const [first] = usesOf(current, lineOf(editor));
  if (!first) return say(`${current}:${lineOf(editor)} becomes no line of its own.`);
  showPanel("jobset");
  goToPlace(output, first);
}

function goTo(file, line, column) {
  if (!states.has(file)) return;
  if (file !== current) showFile(file);
  goToPlace(editor, line, column);
}

// ----- controls -----

function showPanel(name) {
  for (const tab of $("tabs").children) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
}

function choosePanel(name) {
  showPanel(name);
  render();
}

$("tabs").addEventListener("click", ({ target }) => target.id.startsWith("tab-") && choosePanel(target.id.slice(4)));
$("tabs").addEventListener("keydown", (event) => {
  const tabs = [...$("tabs").children];
  const at = tabs.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  choosePanel(next.id.slice(4));
  next.focus();
});
$("version").onchange = () => {
  language.forget();
  render();
};
$("against").onchange = render;
$("example").onchange = () => {
  const example = offered.examples[$("example").value];
  if (!example) return;
  history.replaceState(null, "", `#example=${encodeURIComponent($("example").value)}`);
  open(example);
};
$("share").onclick = async () => {
  history.replaceState(null, "", await toFragment({ files: files(), version: $("version").value, tab: panel() }));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds the input; no server gets it.");
  } catch {
    say("The link is in the address bar. It holds the input; no server gets it.");
  }
};
$("keys").onclick = () => $("help").showModal();
$("new").onclick = newFile;
$("remove").onclick = removeFile;
$("open").onclick = () => $("choose").click();
$("choose").onchange = () => addFiles([...$("choose").files]);
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  addFiles([...event.dataTransfer.files]);
});

function fill() {
  const versions = offered.versions.map((each) => new Option(each, each));
  $("version").append(new Option("auto", "auto"), ...versions);
  $("against").append(new Option("the last good input", ""), ...offered.versions.map((each) => new Option(`Trainer ${each}`, each)));
  const groups = ["Examples", "Rules"].map((label) => Object.assign(document.createElement("optgroup"), { label }));
  for (const name of Object.keys(offered.examples))
    groups[Number(name.startsWith("rule:"))].append(new Option(name.replace("rule:", ""), name));
  $("example").append(...groups);
}

async function openFragment() {
  const given = await fromFragment(location.hash);
  const name = offered.examples[given.example] ? given.example : Object.keys(offered.examples)[0];
  $("example").value = given.files ? "" : name;
  await open(given.files ? given : offered.examples[name]);
  if (given.broken || (given.example && given.example !== name)) say("The link is damaged or of another version; this is an example.");
}

showPanel("jobset");
offered = await (await fetch(new URL("examples.json", import.meta.url))).json();
fill();
addEventListener("hashchange", openFragment);
await openFragment();
