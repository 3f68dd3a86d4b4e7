// SPDX-License-Identifier: Apache-2.0
// Tries the extension of editors/vscode in a real VS Code: code-server in headless Chromium. Types, looks at what is
// shown, and takes a screenshot of each step.
//
// usage: node vscode_trial.mjs TRAINJOBC [FOLDER]
//   FOLDER (build/vscode-trial) keeps the installation for the next run, and the screenshots in FOLDER/shots.
// needs: Node 20 with npm and access to npm's registry; g++, make and python3 for code-server's native modules;
//   Debian's packages chromium, ripgrep and fonts-dejavu-core. The first run takes some minutes.

import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const CODE_SERVER = "4.100.3"; // the last one that runs on Node 20
const PLAYWRIGHT = "1.65.1";
const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../..");
const [BINARY, FOLDER] = [process.argv[2] ?? "trainjobc", process.argv[3] ?? path.join(ROOT, "build/vscode-trial")].map(
  (name) => path.resolve(name),
);
const SHOTS = path.join(FOLDER, "shots");
const SERVER = path.join(FOLDER, "node_modules/code-server");
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((name) => fs.existsSync(name));

function run(command, args, folder) {
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** What is missing on this machine. */
function missing() {
  const found = (name) => {
    try {
      execFileSync("which", [name], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  const list = ["npm", "rg", "g++", "make", "python3"].filter((name) => !found(name));
  if (CHROMIUM === undefined) list.push("chromium");
  if (!fs.existsSync(BINARY)) list.push(BINARY);
  if (Number(process.versions.node.split(".")[0]) !== 20) list.push("Node 20");
  return list;
}

function install() {
  const done = path.join(FOLDER, "installed");
  if (fs.existsSync(done)) return;
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(path.join(FOLDER, "package.json"), "{}\n");
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  // Their own install scripts want more than is needed here; what must be built is built below.
  run("npm", ["install", ...quiet, "--ignore-scripts", `code-server@${CODE_SERVER}`, `playwright-core@${PLAYWRIGHT}`], FOLDER);
  const vscode = path.join(SERVER, "lib/vscode");
  run("npm", ["install", ...quiet, "--ignore-scripts", "--omit=dev"], vscode);
  run("npm", ["rebuild", ...quiet, "argon2", "--build-from-source"], FOLDER);
  run("npm", ["rebuild", ...quiet, "@vscode/spdlog", "native-watchdog", "@parcel/watcher"], vscode);
  const ripgrep = path.join(vscode, "node_modules/@vscode/ripgrep/bin");
  fs.mkdirSync(ripgrep, { recursive: true });
  fs.rmSync(path.join(ripgrep, "rg"), { force: true });
  fs.symlinkSync(execFileSync("which", ["rg"], { encoding: "utf8" }).trim(), path.join(ripgrep, "rg"));
  fs.writeFileSync(done, "");
}

/** Builds the extension and installs it into an empty profile; returns the folder that VS Code opens. */
function prepare() {
  const extension = path.join(FOLDER, "extension");
  const vsix = path.join(extension, "trainjobc.vsix");
  const sources = fs.readdirSync(path.join(ROOT, "editors/vscode"), { recursive: true, withFileTypes: true });
  const changed = Math.max(...sources.map((file) => fs.statSync(path.join(file.path, file.name)).mtimeMs));
  if (!fs.existsSync(vsix) || fs.statSync(vsix).mtimeMs < changed) {
    run(path.join(ROOT, "editors/vscode/check.sh"), ["--package", extension], ROOT);
  }
  for (const name of ["profile", "extensions", "llama", "shots"]) {
    fs.rmSync(path.join(FOLDER, name), { recursive: true, force: true });
  }
  const work = path.join(FOLDER, "llama");
  fs.cpSync(path.join(HERE, "workspace"), work, { recursive: true });
  fs.writeFileSync(path.join(work, "jobs/new.yaml"), "");
  fs.mkdirSync(SHOTS, { recursive: true });
  const settings = path.join(FOLDER, "profile/User/settings.json");
  fs.mkdirSync(path.dirname(settings), { recursive: true });
  fs.writeFileSync(
    settings,
    JSON.stringify({
      "trainjobc.path": BINARY,
      "workbench.colorTheme": "Default Light Modern",
      "workbench.startupEditor": "none",
      "workbench.tips.enabled": false,
      "workbench.layoutControl.enabled": false,
      "chat.commandCenter.enabled": false,
      "window.commandCenter": false,
      "editor.minimap.enabled": false,
      "editor.fontSize": 13,
      "editor.stickyScroll.enabled": false,
      "editor.cursorBlinking": "solid",
      "editor.hover.delay": 100,
      "security.workspace.trust.enabled": false,
      "telemetry.telemetryLevel": "off",
    }),
  );
  run(process.execPath, [...serverArguments(), "--install-extension", vsix], FOLDER);
  return work;
}

function serverArguments() {
  return [
    path.join(SERVER, "out/node/entry.js"),
    "--config", path.join(FOLDER, "config.yaml"),
    "--user-data-dir", path.join(FOLDER, "profile"),
    "--extensions-dir", path.join(FOLDER, "extensions"),
  ];
}

function freePort() {
  return new Promise((resolve) => {
    const listener = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = listener.address();
      listener.close(() => resolve(port));
    });
  });
}

async function startServer() {
  const port = await freePort();
  const log = fs.openSync(path.join(FOLDER, "code-server.log"), "w");
  const server = spawn(
    process.execPath,
    [...serverArguments(), "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check",
      "--disable-getting-started-override"],
    { stdio: ["ignore", log, log], env: { ...process.env, HOME: FOLDER } },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300; tries++) {
    try {
      if ((await fetch(`${url}/healthz`)).ok) return { server, url };
    } catch {
      // not yet
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  server.kill();
  throw new Error(`code-server does not answer: ${path.join(FOLDER, "code-server.log")}`);
}

let passed = 0;
let failed = 0;

function check(what, got, wanted) {
  const [one, other] = [got, wanted].map((value) => JSON.stringify(value, undefined, 2));
  if (one === other) {
    passed++;
  } else {
    failed++;
    console.log(`${what}\nwanted: ${other}\ngot: ${one}`);
  }
}

/** A page of VS Code, as a person uses it. */
class Editor {
  constructor(page) {
    this.page = page;
  }

  async shot(name) {
    await this.page.waitForTimeout(300);
    await this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  async keys(...names) {
    for (const name of names) await this.page.keyboard.press(name);
  }

  /** Types into the quick input, and chooses the entry with a label. */
  async choose(text, label) {
    await this.keys("Control+P");
    await this.page.fill(".quick-input-widget input", text);
    await this.page.click(`.quick-input-list .monaco-list-row[aria-label*="${label}"]`);
    await this.page.waitForSelector(".quick-input-widget", { state: "hidden" });
  }

  async open(name) {
    await this.choose(name, path.basename(name));
    await this.page.waitForSelector(`.tab.active[aria-label^="${path.basename(name)}"]`);
  }

  async goTo(line, column) {
    await this.choose(`:${line}:${column}`, `line ${line}`);
  }

  /** Waits until `look` returns what is wanted, and checks it. */
  async expect(what, look, wanted) {
    let got = await look();
    for (let tries = 0; tries < 60 && JSON.stringify(got) !== JSON.stringify(wanted); tries++) {
      await this.page.waitForTimeout(250);
      got = await look();
    }
    check(what, got, wanted);
  }

  texts(selector) {
    return this.page.$$eval(selector, (all) => all.map((one) => one.innerText.replaceAll("\u00a0", " ").trim()).filter((text) => text));
  }

  lenses() {
    return this.texts(".codelens-decoration");
  }

  /** The visible lines of an editor, from 0. */
  lines(number) {
    return this.page.$$eval(".editor-group-container", (groups, index) =>
      [...(groups[index]?.querySelectorAll(".view-line") ?? [])]
        .map((row) => ({ top: parseInt(row.style.top, 10), text: row.innerText.replaceAll("\u00a0", " ") }))
        .sort((one, other) => one.top - other.top)
        .map((row) => row.text), number);
  }

  /** What the hover at a place says. */
  async hover(line, column) {
    await this.goTo(line, column);
    await this.keys("Control+K", "Control+I");
    await this.page.waitForSelector(".monaco-hover:not(.hidden) .hover-contents");
    await this.page.waitForTimeout(1000);
    return this.texts(".monaco-hover:not(.hidden) .hover-contents");
  }

  async problems() {
    await this.keys("Control+Shift+M");
    await this.page.waitForSelector(".markers-panel .monaco-list-row");
    await this.page.waitForTimeout(500);
    return this.page.$$eval(".markers-panel .monaco-list-row", (all) => all.map((row) => row.getAttribute("aria-label")));
  }
}

async function tryExtension(page, url, work) {
  const editor = new Editor(page);
  await page.goto(`${url}/?folder=${encodeURIComponent(work)}`);
  await page.waitForSelector(".monaco-workbench .part.editor", { timeout: 120_000 });
  await page.waitForTimeout(5000);
  await editor.open("jobs/llama.yaml");
  await page.waitForSelector(".squiggly-error", { timeout: 60_000 });
  await editor.shot("squiggles");
  await editor.expect("problems", () => editor.problems(), [
    "3 problems in file llama.yaml of folder jobs",
    "Error: nvidia.com/gpu is requested without a limit; extended resources need an equal limit; add limits: {nvidia.com/gpu: 8} at line 16 and character 9. generated by trainjobc",
    "Error: container \"trainer\" has no image; add it to the runtime, with an image: a patch has no field for one at line 29 and character 23. generated by trainjobc",
    "Warning: the patch names container \"trainer\", which runtime \"torch-pool\" does not have; a new one without an image would be added; did you mean \"node\"? at line 29 and character 29. generated by trainjobc",
  ]);
  await editor.shot("problems");
  await editor.keys("Control+J");
  await editor.expect("lenses", () => editor.lenses(), ["4 nodes × 8 GPUs = 32 GPUs, 32 processes · show JobSet"]);

  check("hover", await editor.hover(12, 6), [
    "spec.trainer.numNodes · integer\n\nNumber of nodes: pods that train.\n\n" +
      "Becomes PET_NNODES=4, parallelism: 4, completions: 4; from spec.trainer.numNodes.",
  ]);
  await editor.shot("hover");
  await editor.keys("Escape");

  check("hover on a finding", (await editor.hover(16, 12))[0],
    "nvidia.com/gpu is requested without a limit; extended resources need an equal limit; add limits: {nvidia.com/gpu: 8}trainjobcjob/gpu-limit");
  await editor.shot("hover-finding");
  await page.click('.monaco-hover:not(.hidden) a:has-text("job/gpu-limit")');
  await page.waitForSelector('.tab.active[aria-label^="gpu-limit"]');
  await editor.expect("the rule's explanation", async () => (await editor.lines(0))[0], "# job/gpu-limit");
  await editor.shot("rule");
  await editor.open("jobs/llama.yaml");

  await editor.goTo(12, 16);
  await page.keyboard.type("\nnum");
  await page.waitForSelector(".suggest-widget.visible .monaco-list-row");
  await editor.expect("completion", () => editor.texts(".suggest-widget.visible .monaco-list-row .label-name"), ["numProcPerNode"]);
  await editor.shot("completion");
  await editor.keys("Escape", "Control+Shift+K");

  await editor.goTo(16, 12);
  await editor.keys("Control+.");
  await page.waitForSelector(".action-widget .action");
  const fix = "Fix: extended resources need an equal limit; add limits: {nvidia.com/gpu: 8}";
  check("actions", await editor.texts(".action-widget .action"), [fix, "Ignore job/gpu-limit here, with a reason"]);
  await editor.shot("actions");
  await editor.keys("Enter"); // the first one is preferred
  await editor.expect("the fixed lines", async () => (await editor.lines(0)).slice(13, 17), [
    "    resourcesPerNode:",
    "      limits: {nvidia.com/gpu: 8}",
    "      requests:",
    "        nvidia.com/gpu: 8",
  ]);
  await editor.goTo(15, 1);
  await editor.keys("Control+Shift+K");

  await editor.keys("Control+B"); // without the side bar
  await page.click(".codelens-decoration a");
  const nodes = async () => (await editor.lines(1)).filter((line) => /parallelism/.test(line));
  await editor.expect("the JobSet", nodes, ["        parallelism: 4"]);
  await page.click(".editor-group-container >> nth=0 >> .view-line >> nth=11");
  await editor.hover(12, 6);
  await editor.shot("jobset");
  await editor.keys("Escape");
  await editor.goTo(12, 16);
  await editor.keys("Backspace");
  await page.keyboard.type("6");
  await editor.expect("the JobSet follows what is typed", nodes, ["        parallelism: 6"]);
  await editor.shot("followed");
  await tryNewJob(page, editor);
}

/** A snippet, filled in, and the definition of its runtime, which is in no file. */
async function tryNewJob(page, editor) {
  await editor.open("jobs/new.yaml");
  await editor.keys("Control+Space");
  await page.waitForSelector(".suggest-widget.visible .monaco-list-row");
  await page.click('.suggest-widget.visible .monaco-list-row[aria-label^="TrainJob with a patch"]');
  await page.keyboard.type("first");
  await editor.keys("Tab");
  await page.keyboard.type("team-a");
  await editor.keys("Tab", "Escape", "Escape");
  const filled = async () => (await editor.lines(0)).filter((line) => /^  (name|namespace|- manager|  name):/.test(line));
  await editor.expect("the snippet", filled, ["  name: first", "  namespace: team-a", "    name: torch-distributed", "  - manager: example.com/me"]);
  await editor.shot("snippet");
  await editor.goTo(8, 14);
  await editor.keys("F12");
  await page.waitForSelector('.tab.active[aria-label^="torch-distributed.yaml"]');
  await editor.expect("the definition", async () => (await editor.lines(0)).slice(0, 3), [
    "# Plain PyTorch for torchrun, on any number of nodes.",
    "apiVersion: trainer.kubeflow.org/v1alpha1",
    "kind: ClusterTrainingRuntime",
  ]);
  await editor.shot("definition");
}

async function main() {
  const lacks = missing();
  if (lacks.length > 0) {
    console.log(`skipped: not here: ${lacks.join(", ")}`);
    return 77;
  }
  install();
  const work = prepare();
  const { chromium } = createRequire(path.join(FOLDER, "package.json"))("playwright-core");
  const { server, url } = await startServer();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1180, height: 700 } });
    page.setDefaultTimeout(30_000);
    await tryExtension(page, url, work).catch(async (error) => {
      failed++;
      console.log(String(error));
      await page.screenshot({ path: path.join(SHOTS, "failed.png") });
    });
  } finally {
    await browser.close();
    server.kill();
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main();
