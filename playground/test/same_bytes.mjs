// SPDX-License-Identifier: Apache-2.0

// In headless Chromium, the page's worker prints what the command prints, byte by byte: for the examples, for recorded cases, and
// for the seeds of the fuzz targets. The page shows the same: the objects, and the findings of each rule's mistake and mend.
// usage: node same_bytes.mjs TRAINJOBC BUILD_PLAYGROUND

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { openInput, start, textOf } from "./browser.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [command, build] = process.argv.slice(2).map((path) => resolve(path));
const { versions, examples } = JSON.parse(readFileSync(join(build, "examples.json"), "utf8"));
const problems = [];
const { opened, stop } = await start(join(build, "site"), problems);
const page = await opened();

const filesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(root, folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
const inputOf = (path) => ({ [basename(path)]: readFileSync(path, "utf8") });

// ----- what the command prints -----

const folder = mkdtempSync(join(tmpdir(), "same-bytes-"));

function byCommand(files, args) {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", env: { PATH: "/usr/bin" }, maxBuffer: 1 << 28 });
  return { status, out: stdout, err: stderr };
}

// ----- in the worker -----

await page.evaluate(async () => {
  const worker = new Worker("worker.js", { type: "module" });
  globalThis.ask = (method, params) => new Promise((resolve_, reject) => {
    worker.onmessage = ({ data: { result, error } }) => (error === undefined ? resolve_(result) : reject(new Error(error)));
    worker.postMessage({ method, params });
  });
  await ask("load", await WebAssembly.compileStreaming(fetch("playground.wasm")));
});

const ALL = [["render", "--ssh-key", "omit"], ["lint", "--format", "json"], ["lint"], ["explain"], ["plan"], ["graph"]];
let outputs = 0;

async function compareOutputs(files, runs) {
  const commands = Object.fromEntries(runs.map((args) => [args.join(" "), [...args, "--no-config", "--", ...Object.keys(files)]]));
  const own = await page.evaluate((params) => ask("run", params), { files, commands });
  for (const [name, args] of Object.entries(commands)) {
    const told = byCommand(files, args);
    outputs += 1;
    for (const part of ["status", "out", "err"]) {
      if (own[name][part] !== told[part]) problems.push(`${args.join(" ")}: ${part}: ${own[name][part]}\ninstead of ${told[part]}`);
    }
  }
}

// ----- on the page -----

let shown = 0;

async function compareShown(input) {
  await openInput(page, input);
  const args = ["--no-config", "--trainer-version", input.version, "--", ...Object.keys(input.files)];
  const rendered = byCommand(input.files, ["render", "--ssh-key", "omit", ...args]);
  const linted = JSON.parse(byCommand(input.files, ["lint", "--format", "json", ...args]).out).diagnostics;
  shown += 1;
  const expected = rendered.status === 0 ? rendered.out : "";
  const text = await textOf(page, "#output");
  if (text !== expected) problems.push(`${Object.keys(input.files)} for ${input.version} shows ${text}\ninstead of ${expected}`);
  const found = await page.evaluate(() => [...document.querySelectorAll(".findings li")].map((item) =>
    `${item.querySelector("button").textContent} ${item.querySelector("a").textContent}`));
  const wanted = linted.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`).slice(0, 200);
  if (found.join("\n") !== wanted.join("\n")) problems.push(`${Object.keys(input.files)} for ${input.version} finds ${found}\ninstead of ${wanted}`);
}

/** The rules that the page names, for what is picked from its list. */
async function rulesOf(name) {
  const before = await page.evaluate(() => Number(document.body.dataset.rendered));
  await page.evaluate((hash) => (location.hash = hash), `#example=${encodeURIComponent(name)}`);
  await page.waitForFunction((n) => Number(document.body.dataset.rendered) > n, before, { timeout: 20000 });
  return page.evaluate(() => [...document.querySelectorAll(".findings a")].map((link) => link.textContent));
}

// ----- all of it -----

const jobs = Object.entries(examples).filter(([name]) => !name.startsWith("rule:")).map(([, example]) => example);
for (const { files } of jobs) await compareOutputs(files, ALL);
await compareOutputs(Object.assign({}, ...jobs.map(({ files }) => files)), ALL);
for (const { files } of jobs) for (const version of ["auto", ...versions]) await compareShown({ files, version });

const recorded = filesBelow("tests/conformance").filter((path) => path.endsWith("/input.yaml"));
for (const path of recorded) {
  const version = path.match(/\/v([\d.]+)\//)[1];
  await compareOutputs(inputOf(path), [["render", "--no-catalogue", "--trainer-version", version, "--ssh-key", "omit", "--keep-going"]]);
  await compareShown({ files: inputOf(path), version });
}

const seeds = filesBelow("tests/fuzz/seeds");
for (const path of seeds) await compareOutputs(inputOf(path), ALL);

const rules = Object.keys(examples).filter((name) => name.startsWith("rule:") && !name.endsWith(" (mended)"));
for (const name of rules) {
  const rule = name.slice("rule:".length);
  if (!(await rulesOf(name)).includes(rule)) problems.push(`the mistake of ${rule} is not found`);
  if ((await rulesOf(`${name} (mended)`)).includes(rule)) problems.push(`the mend of ${rule} is refused`);
}

await stop();
rmSync(folder, { recursive: true });
console.log(problems.slice(0, 20).map((each) => each.slice(0, 4000)).join("\n\n"));
console.log(`${outputs} outputs and ${shown} pages of ${jobs.length} examples, ${recorded.length} recorded cases and ${seeds.length} seeds, ` +
  `${rules.length} rules: ${problems.length} differ`);
process.exitCode = problems.length > 0 || recorded.length < 300 ? 1 : 0;
