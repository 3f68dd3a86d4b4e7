// SPDX-License-Identifier: Apache-2.0

// Parses and draws Mermaid's diagrams, which it reads as a list in JSON, and writes of each: its configuration, how many
// boxes and arrows it has, and the texts that are drawn; or why it can't be.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const dom = new JSDOM("<!DOCTYPE html><body></body>", { pretendToBeVisual: true });
globalThis.window = dom.window;
for (const name of ["document", "Element", "SVGElement", "HTMLElement", "Node", "DOMParser", "XMLSerializer", "CSSStyleSheet"])
  globalThis[name] = dom.window[name];
// Nothing has a size without a browser.
Object.assign(dom.window.SVGElement.prototype, {
  getBBox: () => ({ x: 0, y: 0, width: 80, height: 20 }),
  getComputedTextLength: () => 80,
  getTotalLength: () => 80,
  getPointAtLength: () => ({ x: 0, y: 0 }),
});
globalThis.btoa = (text) => Buffer.from(text).toString("base64"); // of points, which contain their box without sizes

const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false });

// A text as lines.
function linesOf(element) {
  for (const line of element.querySelectorAll("br")) line.replaceWith("\n");
  return element.textContent.split("\n");
}

async function look(text, number) {
  const { diagramType, config } = await mermaid.parse(text);
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  const { svg } = await mermaid.render(`d${number}`, text);
  const drawn = new dom.window.DOMParser().parseFromString(svg, "text/html");
  const texts = [...drawn.querySelectorAll(".nodeLabel, span.edgeLabel")];
  return {
    diagramType,
    config,
    boxes: diagram.db.getVertices().size,
    arrows: diagram.db.getEdges().length,
    labels: texts.map(linesOf),
    others: [...drawn.querySelectorAll("script, a, img, i, iframe, math")].map((each) => each.outerHTML),
  };
}

const seen = [];
for (const [number, text] of JSON.parse(readFileSync(0, "utf8")).entries())
  seen.push(await look(text, number).catch((error) => ({ error: String(error) })));
process.stdout.write(JSON.stringify(seen));
