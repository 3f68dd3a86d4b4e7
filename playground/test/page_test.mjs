// SPDX-License-Identifier: Apache-2.0

// Drives the page in headless Chromium: page_test.mjs SITE [SCREENSHOTS]

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { after, openInput, said, start, textOf } from "./browser.mjs";

const [site, pictures] = process.argv.slice(2).map((path) => resolve(path));
if (pictures) mkdirSync(pictures, { recursive: true });
const root = fileURLToPath(new URL("../..", import.meta.url));
const LARGEST_DOWNLOAD = 1_500_000;
const FIRST_RENDER = 1000; // milliseconds
const AFTER_KEYSTROKE = 100;
const TABS = ["jobset", "findings", "plan", "graph", "difference", "migrate"];
const MISTAKE = "#example=rule%3Ainput%2Funknown-field";
const UNREADABLE = "\u0000\ufffd\u2028";

const problems = [];
const { asked, browser, url, opened, stop } = await start(site, problems);
const { examples } = JSON.parse(readFileSync(join(site, "examples.json"), "utf8"));
const DROPPED = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: dropped}\nspec: {runtimeRef: {name: torch-distributed}}\n";

const inFirstLine = async (page) => {
  await page.click("#editor .cm-content");
  await page.keyboard.press("Control+Home");
};
/** The text of an editor, once it is as wanted. */
async function becomes(page, selector, wanted) {
  for (let i = 0; i < 100 && !wanted.test(await textOf(page, selector)); ++i) await page.waitForTimeout(50);
  assert.match(await textOf(page, selector), wanted);
}
const status = (page) => page.innerText("#status");

const tests = {
  async "draws labels as they were written"() {
    const source = readFileSync(fileURLToPath(new URL("../page/graph.js", import.meta.url)));
    const { plain } = await import(`data:text/javascript;base64,${source.toString("base64")}`);
    assert.equal(plain("#lt;img src=x#gt; #amp;lt; #quot;a#quot; #35;gt; 100#37;"), '<img src=x> &lt; "a" #gt; 100%');
  },

  async "opens an example, and plans, draws and lists findings"() {
    const page = await opened();
    assert.match(await textOf(page, "#output"), /^kind: JobSet$/m);
    await after(page, () => page.click("#tab-graph"));
    assert.match(await page.getAttribute("#graph svg", "aria-label"), /TrainJob ml-research\/bert-pretrain: .*node: 4 pods/);
    assert.ok((await page.locator("#graph svg rect").count()) > 2);
    await after(page, () => page.selectOption("#example", "climate/weather-emulator"));
    for (const kind of ["PersistentVolumeClaim", "ConfigMap", "Secret", "headless Service"])
      assert.ok(await page.isVisible(`#graph svg text:has-text("${kind}")`), kind);
    await after(page, () => page.click("#tab-plan"));
    assert.match(await page.innerText("#plan"), /NODES/);
    await after(page, () => page.click("#tab-findings"));
    assert.equal(await page.innerText("#findings"), "No findings.");
    await after(page, () => page.selectOption("#example", "scratch/smoke"));
    assert.match(await textOf(page, "#output"), /^  name: smoke$/m);
    assert.ok(page.url().endsWith("#example=scratch%2Fsmoke"));
    return page;
  },

  async "renders what is typed, and undoes it"() {
    const page = await opened();
    const before = await textOf(page, "#output");
    await page.click("#editor .cm-content");
    await page.keyboard.press("Control+End");
    await after(page, () => page.keyboard.type("\nnonsense: 1\n"));
    await said(page, "Refused");
    await page.waitForSelector("#editor .cm-lintRange-error");
    assert.equal(await textOf(page, "#output"), before);
    assert.ok(await page.isVisible("#stale"));
    for (let i = 0; i < 4; ++i) await page.keyboard.press("Control+z");
    await said(page, "Rendered");
    assert.equal(await textOf(page, "#output"), before);
    assert.ok(!(await page.isVisible("#stale")));
    return page;
  },

  async "marks where a line comes from, and back"() {
    const page = await opened();
    await page.click("#output .cm-line:has-text('name: bert-pretrain')");
    await page.waitForSelector("#editor .marked");
    assert.equal(await status(page), "Line 4 comes from bert-pretrain.yaml:6:9, metadata.name, trainjob/name.");
    assert.equal(await page.innerText("#editor .marked"), "  name: bert-pretrain");
    await page.click("#editor .marked");
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("bert-pretrain.yaml:6 becomes lines 4, "));
    assert.ok((await page.locator("#output .marked").count()) >= 1);
    // A line of another file shows that.
    await page.click("#output .cm-line:has-text('nvidia.com/gpu.product')");
    assert.match(await status(page), /comes from torch-h100\.yaml:\d+/);
    assert.equal(await page.innerText("#files [aria-pressed=true]"), "torch-h100.yaml");
    return page;
  },

  async "marks the origin of each part of an MPI job, whose key is left out"() {
    const page = await opened("#example=climate%2Fweather-emulator");
    await page.click("#output .cm-line:has-text('mountPath: /shared')");
    assert.match(await status(page), /comes from openmpi-gpu\.yaml:\d+/);
    assert.match(await page.innerText("#editor .marked"), /mountPath: \/shared/);
    assert.doesNotMatch(await textOf(page, "#output"), /ssh-privatekey:/);
    return page;
  },

  async "fixes a rule's mistake"() {
    const page = await opened(MISTAKE);
    await after(page, () => page.click("#tab-findings"));
    assert.match(await page.innerText("#findings"), /input\/unknown-field/);
    assert.match(await page.getAttribute("#findings a", "href"), /reference\/rules\/input\/#unknown-field$/);
    await page.click("#findings button");
    await page.waitForSelector("#editor .cm-lintRange-error");
    await after(page, () => page.keyboard.press("Control+."));
    await page.waitForFunction(() => document.getElementById("findings").innerText === "No findings.");
    return page;
  },

  async "hover and completion come from the language server"() {
    const page = await opened();
    await page.locator("#editor .cm-line:has-text('runtimeRef')").first().locator("span").first().hover();
    await page.waitForSelector(".hover");
    assert.match(await page.innerText(".hover"), /runtime/i);
    await page.mouse.move(0, 0);
    await page.locator("#editor .cm-line:has-text('trainer:')").first().click();
    await page.keyboard.press("End");
    await page.keyboard.type("\nnumPr");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    assert.equal(await page.innerText(".cm-tooltip-autocomplete [aria-selected] .cm-completionLabel"), "numProcPerNode");
    await page.waitForTimeout(200); // CodeMirror accepts none that has just appeared
    await page.keyboard.press("Enter");
    await becomes(page, "#editor", /^    numProcPerNode: $/m);
    return page;
  },

  async "a snippet is indented once"() {
    const page = await opened();
    await page.click("#new");
    await page.waitForFunction(() => document.querySelector("#files [aria-pressed=true]").textContent.startsWith("file-"));
    await page.keyboard.press("Control+Space");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await becomes(page, "#editor", /^apiVersion: trainer.kubeflow.org\/v1alpha1\nkind: TrainJob\nmetadata:\n  name: .*\n  namespace: .*\nspec:\n  runtimeRef:\n    name: /);
    return page;
  },

  async "a link holds the input, and sends it nowhere"() {
    const page = await opened();
    await inFirstLine(page);
    await after(page, () => page.keyboard.type("# shared\n"));
    await page.selectOption("#version", "2.2");
    await after(page, () => page.click("#tab-plan"));
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#in="));
    const other = await opened(await page.evaluate(() => location.hash));
    assert.equal(await textOf(other, "#editor"), await textOf(page, "#editor"));
    assert.match(await textOf(other, "#editor"), /^# shared/);
    assert.equal(await other.inputValue("#version"), "2.2");
    assert.ok(await other.isVisible("#plan"));
    assert.deepEqual(asked.filter((path) => path.includes("in=") || path.includes("?")), []);
    return other;
  },

  async "a damaged link opens an example, and says so"() {
    for (const fragment of ["#in=AAAA", "#in=%", "#example=none", "#example=%"]) {
      const page = await opened(fragment);
      await said(page, "The link is damaged");
      assert.match(await textOf(page, "#output"), /^  name: bert-pretrain$/m);
      await page.context().close();
    }
  },

  async "takes files that are dropped, beside those that are there"() {
    const page = await opened();
    const dropped = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "dropped.yaml"));
      transfer.items.add(new File(["\x89PNG"], "picture.png"));
      return transfer;
    }, DROPPED);
    await after(page, () => page.dispatchEvent("main", "drop", { dataTransfer: dropped }));
    assert.equal(await page.innerText("#files [aria-pressed=true]"), "dropped.yaml");
    assert.deepEqual((await textOf(page, "#output")).match(/^  name: .*$/gm), ["  name: dropped", "  name: bert-pretrain"]);
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("1 file left out"));
    await after(page, () => page.click("#remove"));
    assert.doesNotMatch(await textOf(page, "#output"), /dropped/);
    return page;
  },

  async "reads several documents, and .trainjobc.yaml"() {
    const page = await opened();
    await openInput(page, { files: { "two.yaml": `${DROPPED}---\n${DROPPED.replace("dropped", "second")}` }, version: "auto" });
    assert.deepEqual((await textOf(page, "#output")).match(/^  name: .*$/gm), ["  name: dropped", "  name: second"]);
    await openInput(page, { files: { "job.yaml": DROPPED, ".trainjobc.yaml": "trainerVersion: '2.0'\n" }, version: "auto" });
    const configured = await textOf(page, "#output");
    await openInput(page, { files: { "job.yaml": DROPPED }, version: "2.0" });
    assert.equal(await textOf(page, "#output"), configured);
    return page;
  },

  async "compares with the last good input, and with another version"() {
    const page = await opened();
    await after(page, () => page.click("#tab-difference"));
    assert.equal(await page.innerText("#compared"), "No difference.");
    await page.waitForTimeout(1100);
    await inFirstLine(page);
    await page.locator("#editor .cm-line:has-text('numNodes: 4')").click();
    await page.keyboard.press("End");
    await after(page, () => page.keyboard.type("2"));
    await page.waitForSelector("#difference .cm-changedLine");
    assert.equal(await page.innerText("#compared"), "");
    assert.match(await page.innerText("#difference .cm-deletedChunk"), /4/);
    await after(page, () => page.selectOption("#against", "2.0"));
    await page.waitForSelector("#difference .cm-editor, #compared:not(:empty)");
    await after(page, () => page.selectOption("#against", ""));
    assert.match(await page.innerText("#difference .cm-deletedChunk"), /4/);
    return page;
  },

  async "does not compare what is refused"() {
    const page = await opened(MISTAKE);
    await after(page, () => page.click("#tab-difference"));
    assert.equal(await page.innerText("#compared"), "The input is refused: there is nothing to compare.");
    return page;
  },

  async "migrates"() {
    const page = await opened("#example=rule%3Aadvice%2Fv1-difference");
    assert.ok(await page.isVisible("#panel-migrate"));
    assert.match(await page.innerText("#migrated"), /^-kind: PyTorchJob\n\+apiVersion: trainer/m);
    assert.match(await page.innerText("#left"), /advice\/v1-difference/);
    return page;
  },

  async "a hostile input neither hangs nor crashes the tab"() {
    const page = await opened();
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]", ...Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`)].join("\n");
    const seeds = readdirSync(join(root, "tests/fuzz/seeds"), { recursive: true }).map((name) => join(root, "tests/fuzz/seeds", name));
    const hostile = [bomb, "[".repeat(100000), "{a: ".repeat(50000), UNREADABLE, `a: ${"x".repeat(900000)}`, `${DROPPED}---\n`.repeat(3000),
      ...seeds.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, "utf8"))];
    for (const text of hostile) {
      await openInput(page, { files: { "job.yaml": text }, version: "auto" });
      const answered = await page.evaluate(() => new Promise((done) => setTimeout(() => done(true), 0)));
      assert.ok(answered);
    }
    await openInput(page, { files: { "-x.yaml": DROPPED, "../../a/..": DROPPED, "__proto__": "a: [", "con\u0000": "" }, version: "9.9" });
    // 100 MB in a link of 100 kB.
    const long = await page.evaluate(async () => {
      const stream = new Blob([`{"files":{"a.yaml":"${"a".repeat(100e6)}"}}`]).stream().pipeThrough(new CompressionStream("deflate-raw"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")).replaceAll("+", "-").replaceAll("/", "_");
    });
    await page.evaluate((hash) => (location.hash = hash), `#in=${long}`);
    await said(page, "The link is damaged");
    await after(page, () => page.selectOption("#example", "scratch/smoke"));
    await said(page, "Rendered");
    return page;
  },

  async "a run of more than two seconds is ended, and the next one works"() {
    const page = await opened();
    await page.evaluate(() => {
      // A worker that never answers again.
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        if (message.method === "run") Worker.prototype.postMessage = post;
        else post.call(this, message);
      };
    });
    await page.selectOption("#example", "scratch/smoke");
    await said(page, "Nothing is rendered: it took longer than two seconds");
    await after(page, () => page.selectOption("#example", "vision/detector-volcano"));
    await said(page, "Rendered");
    assert.match(await textOf(page, "#output"), /^  name: detector$/m);
    return page;
  },

  async "axe-core finds nothing, light and dark, wide and narrow"() {
    const axe = readFileSync(join(root, "playground/node_modules/axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        for (const fragment of ["#example=climate%2Fweather-emulator", MISTAKE, "#example=rule%3Aadvice%2Fv1-difference"]) {
          const page = await opened(fragment, { colorScheme, viewport, bypassCSP: true });
          const where = (tab) => `${fragment.replaceAll(/.*%2F/g, "")}-${tab}-${colorScheme}-${viewport.width}`;
          await page.evaluate(axe);
          const check = async (tab) => {
            const { violations } = await page.evaluate(() => axe.run(document));
            for (const { id, nodes } of violations) problems.push(`${where(tab)}: axe: ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
            if (pictures) await page.screenshot({ path: join(pictures, `${where(tab)}.png`) });
          };
          for (const tab of TABS) {
            await after(page, () => page.click(`#tab-${tab}`));
            if (tab === "difference") await after(page, () => page.selectOption("#against", "2.1"));
            await check(tab);
          }
          await page.click("#keys");
          await check("keys");
          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
          if (isWide) problems.push(`${where("page")} scrolls sideways`);
          await page.context().close();
        }
      }
    }
  },

  async "the keyboard alone does everything"() {
    const page = await opened(MISTAKE);
    const tabTo = async (selector) => {
      for (let i = 0; i < 40; ++i) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((wanted) => Boolean(document.activeElement?.matches(wanted)), selector)) return;
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    for (const control of ["#example", "#version", "#share", "#keys", "#files button", "#new", "#open", "#editor .cm-content", "#tab-jobset"])
      await tabTo(control);
    for (const tab of [...TABS.slice(1), TABS[0]]) {
      await after(page, () => page.keyboard.press("ArrowRight"));
      assert.equal(await page.getAttribute(`#tab-${tab}`, "aria-selected"), "true");
    }
    // From a finding to its line, and fixed.
    await after(page, () => page.keyboard.press("ArrowRight"));
    await tabTo("#findings button");
    await page.keyboard.press("Enter");
    assert.ok(await page.evaluate(() => document.querySelector("#editor").contains(document.activeElement)));
    await page.waitForSelector("#editor .cm-lintRange-error");
    await after(page, () => page.keyboard.press("Control+."));
    await said(page, "Rendered");
    // What the field means.
    await page.keyboard.press("Control+i");
    await page.waitForSelector(".hover[role=status]");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".hover", { state: "detached" });
    // To the JobSet, and back.
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F12");
    assert.ok(await page.evaluate(() => document.querySelector("#output").contains(document.activeElement)), await status(page));
    await page.keyboard.press("F12");
    assert.ok(await page.evaluate(() => document.querySelector("#editor").contains(document.activeElement)));
    return page;
  },

  async "without JavaScript there is a sentence"() {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    assert.equal(await page.innerText("noscript"), "This page needs JavaScript: it compiles in your browser. The command does the same.");
    return page;
  },

  async "is small and fast"() {
    const size = readdirSync(site).reduce((sum, name) => sum + gzipSync(readFileSync(join(site, name)), { level: 9 }).length, 0);
    const first = [];
    for (let i = 0; i < 3; ++i) {
      const page = await opened();
      first.push(Number(await page.evaluate(() => document.body.dataset.first)));
      await page.context().close();
    }
    const sizeOf = ({ files }) => Object.values(files).join("").length;
    const [largest] = Object.keys(examples).filter((name) => !name.startsWith("rule:")).sort((a, b) => sizeOf(examples[b]) - sizeOf(examples[a]));
    const page = await opened(`#example=${encodeURIComponent(largest)}`);
    await inFirstLine(page);
    const times = [];
    for (const letter of "# abcdefghijklmnopqrs") {
      await after(page, () => page.keyboard.type(letter));
      times.push(Number(await page.evaluate(() => document.body.dataset.milliseconds)));
    }
    times.sort((a, b) => a - b);
    const median = times[times.length >> 1];
    console.log(`  ${size} bytes, compressed by gzip; first render after ${first.join(", ")} ms; after a keystroke in ${largest} ${median} ms (median), ${times.at(-1)} ms (longest)`);
    if (size > LARGEST_DOWNLOAD) problems.push(`${size} bytes are more than ${LARGEST_DOWNLOAD}`);
    // The fastest: other programs run on this machine, too.
    if (Math.min(...first) > FIRST_RENDER) problems.push(`the first render takes ${Math.min(...first)} ms`);
    if (median > AFTER_KEYSTROKE) problems.push(`a keystroke takes ${median} ms`);
    return page;
  },
};

for (const [name, test] of Object.entries(tests)) {
  const known = problems.length;
  try {
    const page = await test();
    await page?.context().close();
  } catch (error) {
    problems.push(`${name}: ${error.stack}`);
  }
  console.log(`${problems.length === known ? "ok" : "failed"}: ${name}`);
}
await stop();
console.log(problems.join("\n"));
process.exitCode = problems.length > 0 ? 1 : 0;
