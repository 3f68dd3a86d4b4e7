// SPDX-License-Identifier: Apache-2.0
// Writes dist/NOTICES.txt: the licences of the packages that dist/extension.js contains.

import * as fs from "node:fs";

const { inputs } = JSON.parse(fs.readFileSync("build/bundle.json", "utf8"));
const names = new Set(Object.keys(inputs).flatMap((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/)?.[1] ?? []));
const notices = [...names].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const licence = fs.readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (licence === undefined) throw new Error(`${name} has no licence file`);
  const { version } = JSON.parse(fs.readFileSync(`${folder}/package.json`, "utf8"));
  return `${name} ${version}\n\n${fs.readFileSync(`${folder}/${licence}`, "utf8").trim()}\n`;
});
fs.writeFileSync("dist/NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
