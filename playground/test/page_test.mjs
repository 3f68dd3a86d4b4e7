// SPDX-License-Identifier: Apache-2.0

// Drives the real page in headless Chromium: page_test.mjs SITE [SCREENSHOTS]

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const [site, pictures] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const LARGEST_DOWNLOAD = 1.5 * 1024 * 1024;

const asked = [];
const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  asked.push(path);
  const file = join(site, path === "/" ? "index.html" : path);
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
const problems = [];

async function opened(fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`${fragment}: ${error.message}`));
  page.on("request", (request) => request.url().startsWith("http") && !request.url().startsWith(url) && problems.push(`asks ${request.url()}`));
  await page.goto(url + fragment);
  await settled(page, 1);
  return page;
}

const count = (page) => page.evaluate(() => Number(document.body.dataset.rendered ?? 0));
const settled = (page, least) => page.waitForFunction((n) => Number(document.body.dataset.rendered ?? 0) >= n, least, { timeout: 20000 });
const jobSet = (page) => page.evaluate(() => document.querySelector("#output .cm-content").cmTile?.view?.state.doc.toString()
  ?? document.querySelector("#output .cm-content").innerText);

async function after(page, act) {
  const before = await count(page);
  await act();
  await settled(page, before + 1);
}

const tests = {
  async "opens an example, and draws, plans and lists findings"() {
    const page = await opened();
    assert.match(await jobSet(page), /kind: JobSet/);
    await page.click("#tab-graph");
    assert.ok((await page.locator("#graph svg rect").count()) > 2);
    await page.click("#tab-plan");
    assert.match(await page.innerText("#plan"), /NODES/);
    await page.click("#tab-findings");
    assert.match(await page.innerText("#findings"), /No findings/);
    return page;
  },

  async "renders what is typed, and undoes it"() {
    const page = await opened();
    await page.click("#editor .cm-content");
    await page.keyboard.press("Control+End");
    const before = await jobSet(page);
    await after(page, () => page.keyboard.type("\nnonsense: 1\n"));
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Refused"));
    await page.waitForSelector("#editor .cm-lintRange-error");
    for (let i = 0; i < 4; ++i) await page.keyboard.press("Control+z");
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Rendered"));
    assert.equal(await jobSet(page), before);
    return page;
  },

  async "marks where a line comes from, and back"() {
    const page = await opened();
    await page.click("#output .cm-line:has-text('name: bert-pretrain')");
    await page.waitForSelector("#editor .marked");
    assert.match(await page.innerText("#status"), /comes from bert-pretrain\.yaml:\d+/);
    assert.match(await page.innerText("#editor .marked"), /bert-pretrain/);
    await page.click("#editor .marked");
    await page.waitForFunction(() => document.getElementById("status").textContent.includes("becomes line"));
    return page;
  },

  async "a rule's mistake has its finding and a fix, its mend has none"() {
    const page = await opened("#example=rule%3Ainput%2Funknown-field");
    await page.click("#tab-findings");
    assert.match(await page.innerText("#findings"), /input\/unknown-field/);
    await page.click("#findings button");
    await after(page, () => page.keyboard.press("Control+."));
    await page.waitForFunction(() => !document.getElementById("findings").innerText.includes("input/unknown-field"));
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
    await page.keyboard.type("\nnu");
    await page.keyboard.press("Control+Space");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    assert.match(await page.innerText(".cm-tooltip-autocomplete"), /numProcPerNode|numNodes/);
    return page;
  },

  async "compares with another Trainer, and with the last good input"() {
    const page = await opened("#example=ml-research%2Ft5-deepspeed");
    await page.click("#tab-difference");
    await after(page, () => page.selectOption("#against", "2.0"));
    await page.waitForSelector("#difference .cm-content");
    return page;
  },

  async "another version of Trainer"() {
    const page = await opened();
    await after(page, () => page.selectOption("#version", "2.1"));
    assert.match(await page.innerText("#status"), /Rendered|Refused/);
    return page;
  },

  async "a link holds the input, and sends it nowhere"() {
    const page = await opened();
    await page.click("#editor .cm-content");
    await page.keyboard.press("Control+Home");
    await after(page, () => page.keyboard.type("# shared\n"));
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#in="));
    const other = await opened(await page.evaluate(() => location.hash));
    assert.match(await other.innerText("#editor .cm-content"), /# shared/);
    assert.deepEqual(asked.filter((path) => path.includes("in=")), []);
    return other;
  },

  async "takes files that are dropped"() {
    const page = await opened();
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: dropped}\n" +
        "spec: {runtimeRef: {name: torch-distributed}}\n"], "dropped.yaml"));
      return transfer;
    });
    await after(page, () => page.dispatchEvent("main", "drop", { dataTransfer: dropped }));
    await page.waitForFunction(() => [...document.querySelectorAll("#files button")].some((tab) => tab.textContent === "dropped.yaml"));
    return page;
  },

  async "a hostile input neither hangs nor crashes the tab"() {
    const page = await opened();
    // A hundred levels of aliases, and deep nesting.
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]", ...Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`)].join("\n");
    for (const text of [bomb, "[".repeat(100000), "{a: ".repeat(50000), "\u0000\ufffd\u2028"]) {
      const fragment = await page.evaluate(async (hostile) => {
        const bytes = new Uint8Array(await new Response(new Blob([JSON.stringify({ files: { "job.yaml": hostile }, version: "auto" })]).stream()
          .pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
        let binary = "";
        for (const byte of bytes) binary += String.fromCharCode(byte);
        return `#in=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
      }, text);
      const before = await page.evaluate(() => Number(document.body.dataset.rendered ?? 0) + Number(document.body.dataset.failed ?? 0));
      await page.evaluate((hash) => (location.hash = hash), fragment);
      await page.waitForFunction((n) => Number(document.body.dataset.rendered ?? 0) + Number(document.body.dataset.failed ?? 0) > n, before, { timeout: 10000 });
    }
    await after(page, () => page.selectOption("#example", "scratch/smoke"));
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Rendered"), null, { timeout: 15000 });
    return page;
  },

  async "axe-core finds nothing, light and dark, wide and narrow"() {
    const axe = readFileSync(resolve(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        const page = await opened("#example=rule%3Ainput%2Funknown-field", { colorScheme, viewport, bypassCSP: true });
        await page.evaluate(axe);
        for (const tab of ["jobset", "findings", "plan", "graph", "difference"]) {
          await page.click(`#tab-${tab}`);
          const { violations } = await page.evaluate(() => axe.run(document));
          for (const { id, nodes } of violations) problems.push(`${tab}, ${colorScheme}, ${viewport.width}: axe: ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
          if (pictures) await page.screenshot({ path: join(pictures, `${tab}-${colorScheme}-${viewport.width}.png`) });
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        if (wide) problems.push(`${viewport.width}: the page scrolls sideways`);
        await page.context().close();
      }
    }
  },

  async "the keyboard alone reaches everything"() {
    const page = await opened();
    await page.focus("#tab-jobset");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#tab-findings", "aria-selected"), "true");
    return page;
  },

  async "without JavaScript there is a sentence"() {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    assert.match(await page.innerText("noscript"), /needs JavaScript/);
    return page;
  },

  async "size and speed"() {
    const sizes = readdirSync(site).map((name) => gzipSync(readFileSync(join(site, name)), { level: 9 }).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    console.log(`  ${size} bytes, compressed by gzip`);
    if (size > LARGEST_DOWNLOAD) problems.push(`${size} bytes are more than ${LARGEST_DOWNLOAD}`);
    const started = performance.now();
    const page = await opened();
    console.log(`  first render: ${Math.round(performance.now() - started)} ms with a new context`);
    await page.click("#editor .cm-content");
    const times = [];
    for (const letter of "# abcdefgh") {
      await after(page, () => page.keyboard.type(letter));
      times.push(Number(await page.evaluate(() => document.body.dataset.milliseconds)));
    }
    console.log(`  after a keystroke: ${times.sort((a, b) => a - b)[5]} ms (median), ${times.at(-1)} ms (largest)`);
    return page;
  },
};

for (const [name, test] of Object.entries(tests)) {
  try {
    const page = await test();
    await page?.context().close();
    console.log(`ok: ${name}`);
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
    console.log(`failed: ${name}`);
  }
}
await browser.close();
server.close();
console.log(problems.join("\n"));
process.exitCode = problems.length > 0 ? 1 : 0;
