// SPDX-License-Identifier: Apache-2.0

// Draws what `trainjobc graph` prints (Mermaid) as SVG: boxes in rows, each below what it follows.

const BOX = /^\s+(j\d+n\d+)\W+?"(.*)"\W+:::(\w+)$/; // the brackets are its shape
const ARROW = /^\s+(j\d+n\d+) (-->|-\.->)(?:\|"(.*)"\|)? (j\d+n\d+)$/;
const TITLE = /^\s+subgraph j\d+\["(.*)"\]$/;
const MOST_JOBS = 40;
const LINE = 16;
const LETTER = 7.3; // its width
const PAD = 10;
const GAP = { x: 24, y: 48 };
const WIDTH = 620; // of a row, if its boxes are small enough

const ENTITIES = { quot: '"', lt: "<", gt: ">", amp: "&" };

// A label without Mermaid's entities. It never becomes HTML.
export const plain = (text) =>
  text.replaceAll(/#(\d+|quot|lt|gt|amp);/g, (_, entity) => ENTITIES[entity] ?? String.fromCodePoint(Number(entity)));

/** [{title, boxes: [{id, lines, shape}], arrows: [{from, to, label, waits}]}] */
function readGraph(mermaid) {
  const jobs = [];
  for (const line of mermaid.split("\n")) {
    const title = line.match(TITLE);
    const box = line.match(BOX);
    const arrow = line.match(ARROW);
    if (title) jobs.push({ title: plain(title[1]), boxes: [], arrows: [] });
    else if (box) jobs.at(-1)?.boxes.push({ id: box[1], lines: box[2].split("<br/>").map(plain), shape: box[3] });
    else if (arrow)
      jobs.at(-1)?.arrows.push({ from: arrow[1], to: arrow[4], label: plain(arrow[3] ?? ""), waits: arrow[2] === "-->" });
  }
  for (const job of jobs) {
    const known = new Set(job.boxes.map(({ id }) => id));
    job.arrows = job.arrows.filter(({ from, to }) => known.has(from) && known.has(to));
  }
  return jobs;
}

// How many boxes are above each.
function depths(job) {
  const depth = new Map(job.boxes.map((box) => [box.id, 0]));
  // As often as there are boxes: a cycle ends, too.
  for (let round = 0; round < job.boxes.length; ++round) {
    for (const { from, to } of job.arrows)
      depth.set(to, Math.max(depth.get(to), Math.min(depth.get(from) + 1, job.boxes.length)));
  }
  return depth;
}

function place(job) {
  const depth = depths(job);
  const rows = [...new Set(depth.values())].sort((a, b) => a - b).map((each) => job.boxes.filter(({ id }) => depth.get(id) === each));
  let y = 40;
  let width = job.title.length * LETTER + 2 * PAD;
  for (const boxes of rows) {
    let x = PAD;
    let below = y;
    for (const box of boxes) {
      box.width = Math.max(...box.lines.map((line) => line.length * LETTER + 2 * PAD));
      box.height = box.lines.length * LINE + 2 * PAD - 4;
      if (x > PAD && x + box.width > WIDTH) [x, y] = [PAD, below + GAP.y / 2];
      Object.assign(box, { x, y });
      x += box.width + GAP.x;
      below = Math.max(below, y + box.height);
      width = Math.max(width, x - GAP.x + PAD);
    }
    y = below + GAP.y;
  }
  return { width, height: y - GAP.y + PAD };
}

function element(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function drawArrow(boxes, { from, to, label, waits }) {
  const start = boxes.get(from);
  const end = boxes.get(to);
  const [x1, y1, x2, y2] = [start.x + Math.min(start.width, end.width) / 2, start.y + start.height, end.x + end.width / 2, end.y - 4];
  const bend = Math.max(20, (y2 - y1) / 2);
  return [
    element("path", { d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`,
      class: waits ? "waits" : "uses", "marker-end": "url(#tip)" }),
    element("text", { x: x2 + 6, y: y2 - 6, class: "label" }, label),
  ];
}

/** The picture, whose label says the same in words. */
function drawJob(job) {
  const { width, height } = place(job);
  const boxes = new Map(job.boxes.map((box) => [box.id, box]));
  const tip = element("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" },
    element("path", { d: "M0,0 L8,4 L0,8 z", class: "tip" }));
  const name = (id) => boxes.get(id).lines[0];
  const words = [...job.boxes.map((box) => box.lines.join(", ")),
    ...job.arrows.map((arrow) => `${name(arrow.from)} ${arrow.waits ? "before" : "uses"} ${name(arrow.to)} ${arrow.label}`)];
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${job.title}: ${words.join("; ")}` },
    element("defs", {}, tip), element("text", { x: PAD, y: 24, class: "title" }, job.title),
    ...job.arrows.flatMap((arrow) => drawArrow(boxes, arrow)),
    ...job.boxes.map((box) => element("g", { class: `box ${box.shape}` },
      element("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.shape === "pods" ? 3 : 10 }),
      ...box.lines.map((line, i) => element("text", { x: box.x + PAD, y: box.y + PAD + 9 + i * LINE }, line)))));
  return svg;
}

/** A picture per job of what `trainjobc graph` prints. */
export function drawGraph(mermaid) {
  const jobs = readGraph(mermaid);
  if (jobs.length === 0) return ["Nothing to draw."];
  return [...jobs.slice(0, MOST_JOBS).map(drawJob), ...(jobs.length > MOST_JOBS ? [`And ${jobs.length - MOST_JOBS} more.`] : [])];
}
