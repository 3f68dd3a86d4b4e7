// SPDX-License-Identifier: Apache-2.0

// Bundles the page: node bundle.mjs MODULE_FOLDER EXAMPLES SITE

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [folder, examples, site] = process.argv.slice(2);
const page = fileURLToPath(new URL("page", import.meta.url));
mkdirSync(site, { recursive: true });
await build({
  entryPoints: [join(page, "main.js"), join(page, "worker.js")],
  outdir: site,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  alias: { "playground.mjs": join(folder, "playground.mjs") },
  external: ["node:*", "module", "fs", "path", "url"],
  legalComments: "linked",
  logLevel: "warning",
});
for (const name of ["index.html", "style.css"]) copyFileSync(join(page, name), join(site, name));
copyFileSync(join(folder, "playground.wasm"), join(site, "playground.wasm"));
copyFileSync(examples, join(site, "examples.json"));
