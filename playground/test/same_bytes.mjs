// SPDX-License-Identifier: Apache-2.0

// The WebAssembly module prints what the command prints, byte by byte: for the examples, for recorded cases, and for the
// seeds of the fuzz targets, on which it must not crash either.
// usage: node same_bytes.mjs TRAINJOBC BUILD_PLAYGROUND

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Trainjobc } from "../page/module.js";

const root = resolve(import.meta.dirname, "../..");
const [command, build] = process.argv.slice(2).map((path) => resolve(path));
globalThis.self = { location: { href: pathToFileURL(build).href } }; // of a worker
const start = (await import(pathToFileURL(join(build, "playground/playground.mjs")))).default;
const wasmBinary = readFileSync(join(build, "playground/playground.wasm"));
const load = () => start({ wasmBinary });
process.chdir(root);

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();

const RUNS = [
  ["render", "--ssh-key", "omit"],
  ["lint", "--format", "json"],
  ["explain"],
  ["plan"],
  ["graph"],
];

let module = new Trainjobc(await load());
let compared = 0;
const problems = [];

async function compare(files, runs) {
  module.clear();
  for (const path of files) module.write(path, readFileSync(path));
  for (const args of runs) {
    const all = [...args, "--no-config", ...files];
    const told = spawnSync(command, all, { encoding: "utf8", env: { PATH: "/usr/bin" }, maxBuffer: 1 << 28 });
    compared += 1;
    let own;
    try {
      own = module.run(all);
    } catch (error) {
      problems.push(`${all.join(" ")}: ${error}`);
      module = new Trainjobc(await load());
      for (const path of files) module.write(path, readFileSync(path));
      continue;
    }
    for (const part of ["status", "out", "err"]) {
      const expected = part === "status" ? told.status : told[part === "out" ? "stdout" : "stderr"];
      if (own[part] !== expected) problems.push(`${all.join(" ")}: ${part}: ${own[part]}\ninstead of ${expected}`);
    }
  }
}

const runtimes = filesBelow("examples/runtimes");
const jobs = filesBelow("examples/jobs");
for (const job of jobs) await compare([job, ...runtimes], RUNS);
await compare([...jobs, ...runtimes], RUNS);

const recorded = filesBelow("tests/conformance").filter((path) => path.endsWith("/input.yaml"));
for (const path of recorded) {
  const version = path.match(/\/v([\d.]+)\//)[1];
  await compare([path], [["render", "--no-catalogue", "--trainer-version", version, "--ssh-key", "omit", "--keep-going"]]);
}

// The command's own timeouts and limits of memory are not those of a browser: seeds are small.
const seeds = filesBelow("tests/fuzz/seeds").filter((path) => statSync(path).size < 100_000);
for (const path of seeds) await compare([path], [["render", "--ssh-key", "omit"], ["lint"]]);

console.log(problems.slice(0, 20).join("\n\n"));
console.log(`${compared} outputs of ${jobs.length} examples, ${recorded.length} recorded cases and ${seeds.length} seeds: ` +
  `${problems.length} differ`);
process.exitCode = problems.length > 0 || recorded.length < 300 ? 1 : 0;
