// SPDX-License-Identifier: Apache-2.0

// Draws what `trainjobc graph` prints (Mermaid) as SVG: boxes in columns, each right of what it follows.

const BOX = /^\s+(j\d+n\d+)[[({]+"(.*)"[\])}]+:::(\w+)$/;
const ARROW = /^\s+(j\d+n\d+) (-->|-\.->)(?:\|"(.*)"\|)? (j\d+n\d+)$/;
const TITLE = /^\s+subgraph j\d+\["(.*)"\]$/;
const LINE = 16;
const PAD = 10;
const GAP = { x: 90, y: 18 };

const plain = (text) => {
  const area = document.createElement("textarea");
  area.innerHTML = text.replaceAll("#quot;", "&quot;").replaceAll(/#(\d+);/g, "&#$1;");
  return area.value;
};

/** [{title, boxes: [{id, lines, shape}], arrows: [{from, to, label, waits}]}] */
export function readGraph(mermaid) {
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
  return jobs;
}

function place(job) {
  const column = new Map(job.boxes.map((box) => [box.id, 0]));
  // As often as there are boxes: a cycle ends, too.
  for (let round = 0; round < job.boxes.length; ++round) {
    for (const { from, to } of job.arrows) {
      column.set(to, Math.max(column.get(to), Math.min(column.get(from) + 1, job.boxes.length)));
    }
  }
  let x = PAD;
  let height = 0;
  for (const index of [...new Set(column.values())].sort((a, b) => a - b)) {
    const boxes = job.boxes.filter((box) => column.get(box.id) === index);
    let y = 40;
    const width = Math.max(...boxes.flatMap((box) => box.lines.map((line) => line.length * 7.2 + 2 * PAD)));
    for (const box of boxes) {
      Object.assign(box, { x, y, width, height: box.lines.length * LINE + 2 * PAD - 4 });
      y += box.height + GAP.y;
    }
    height = Math.max(height, y);
    x += width + GAP.x;
  }
  return { width: x - GAP.x + PAD, height };
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
  const [x1, y1, x2, y2] = [start.x + start.width, start.y + start.height / 2, end.x - 4, end.y + end.height / 2];
  const bend = Math.max(30, (x2 - x1) / 2);
  return [
    element("path", { d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`,
      class: waits ? "waits" : "uses", "marker-end": "url(#tip)" }),
    element("text", { x: x2 - 6, y: y2 - 5, "text-anchor": "end", class: "label" }, label),
  ];
}

/** A figure per job: the picture, and its content as a list for screen readers. */
export function drawJob(job) {
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
