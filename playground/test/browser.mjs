// SPDX-License-Identifier: Apache-2.0

// The built page in headless Chromium, for the tests.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { toFragment } from "../page/share.js";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** Serves the folder and starts Chromium. `problems` gets the errors of pages, and what they ask of other servers. */
export async function start(site, problems) {
  const asked = []; // paths
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    asked.push(request.url);
    const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });

  async function opened(fragment = "", options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15000);
    page.on("pageerror", (error) => problems.push(`${fragment.slice(0, 80)}: ${error.message}`));
    page.on("request", (request) => request.url().startsWith("http") && !request.url().startsWith(url) && problems.push(`asks ${request.url()}`));
    await page.goto(url + fragment);
    await settled(page, 1);
    return page;
  }
  const stop = async () => (await browser.close(), server.close());
  return { asked, browser, url, opened, stop };
}

const runs = (page) => page.evaluate(() => Number(document.body.dataset.rendered ?? 0) + Number(document.body.dataset.failed ?? 0));
const settled = (page, least) => page.waitForFunction((n) =>
  Number(document.body.dataset.rendered ?? 0) + Number(document.body.dataset.failed ?? 0) >= n, least, { timeout: 20000 });

/** Until the page has shown what the act brings about. */
export async function after(page, act) {
  const before = await runs(page);
  await act();
  await settled(page, before + 1);
}

/** The whole text of an editor of the page: of "#editor" or "#output". */
export const textOf = (page, editor) => page.evaluate((selector) => {
  const { cmTile, cmView } = document.querySelector(`${selector} .cm-content`);
  return (cmTile ?? cmView).root.view.state.doc.toString();
}, editor);

/** Opens the input by a link. */
export async function openInput(page, input) {
  const fragment = await toFragment(input);
  await after(page, () => page.evaluate((hash) => (location.hash = hash), fragment));
}

export const said = (page, text) => page.waitForFunction((start) => document.getElementById("status").textContent.startsWith(start), text, { timeout: 10000 });
