// SPDX-License-Identifier: Apache-2.0
// All snippets of the server, expanded by VS Code's own engine. TRAINJOBC is the program.
import * as assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
// @ts-expect-error: VS Code publishes no types of its parts.
import { SnippetParser } from "monaco-editor-core/esm/vs/editor/contrib/snippet/browser/snippetParser.js";
import { CompletionItem, createProtocolConnection, InsertTextFormat, StreamMessageReader, StreamMessageWriter, TextEdit } from "vscode-languageserver-protocol/node";

const PROGRAM = process.env["TRAINJOBC"] ?? "";
const SETTINGS = JSON.parse(fs.readFileSync("package.json", "utf8")).contributes.configuration.properties;
const VERSIONS: string[] = SETTINGS["trainjobc.trainerVersion"].enum.slice(2);  // without "" and auto
const JOB = `apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: llama
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: registry.example.com/train:1.0.0
    command: [torchrun, /workspace/train.py]
`;

interface Placeholder {
  index: number;
  toString(): string;
}

interface Stop {
  index: number;
  offset: number;
  text: string;
}

/** What VS Code inserts, and where the cursor goes. */
function expand(snippet: string): { text: string; stops: Stop[] } {
  const parsed = new SnippetParser().parse(snippet, true, true);
  const stops = parsed.placeholders.map((one: Placeholder) => ({
    index: one.index,
    offset: parsed.offset(one),
    text: one.toString(),
  }));
  return { text: parsed.toString(), stops };
}

/** The text after each stop was typed over; VS Code types at all places of one number. */
function typedOver({ text, stops }: { text: string; stops: Stop[] }, words: (stop: Stop) => string): string {
  const places = stops.filter((stop) => stop.index > 0).sort((one, other) => other.offset - one.offset);
  return places.reduce((all, stop) => all.slice(0, stop.offset) + words(stop) + all.slice(stop.offset + stop.text.length), text);
}

/** The snippets at the end of a line that ends the text. */
async function snippetsAt(folder: string, text: string): Promise<CompletionItem[]> {
  const server = spawn(PROGRAM, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.listen();
  const uri = pathToFileURL(path.join(folder, "new.yaml")).href;
  const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
  await connection.sendRequest("initialize", { processId: null, rootUri: pathToFileURL(folder).href, capabilities });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
  const lines = text.split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const found = await connection.sendRequest<{ items: CompletionItem[] }>("textDocument/completion", { textDocument: { uri }, position });
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  connection.dispose();
  return found.items.filter((item) => item.insertTextFormat === InsertTextFormat.Snippet);
}

function lint(folder: string): unknown[] {
  const done = spawnSync(PROGRAM, ["lint", "--format", "json", folder], { encoding: "utf8" });
  return (JSON.parse(done.stdout) as { diagnostics: unknown[] }).diagnostics;
}

const DOCUMENTS = ["TrainJob", "TrainJob with a patch", "ClusterTrainingRuntime", "TrainingRuntime"];
const CASES = [
  { where: "an empty file", before: "", labels: (version: string) => DOCUMENTS.filter((label) => version >= "2.2" || !label.endsWith("patch")) },
  { where: "spec of a TrainJob", before: `${JOB}  `, labels: () => ["patch a container"] },
  { where: "a comment", before: `${JOB}    numNodes: 1  # `, labels: () => ["trainjobc:ignore"] },
];

for (const version of VERSIONS.filter((one) => !one.endsWith("-preview"))) {
  for (const { where, before, labels } of CASES) {
    test(`snippets in ${where}, Trainer ${version}`, { skip: PROGRAM === "" && "TRAINJOBC names no program" }, async (context) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "trainjobc-snippets-"));
      context.after(() => fs.rmSync(folder, { recursive: true }));
      fs.mkdirSync(path.join(folder, ".git"));
      fs.writeFileSync(path.join(folder, ".trainjobc.yaml"), `trainerVersion: "${version}"\n`);
      const items = await snippetsAt(folder, before);
      assert.deepEqual(items.map((item) => item.label).sort(), labels(version).sort());
      for (const item of items) {
        const snippet = (item.textEdit as TextEdit).newText;
        const expanded = expand(snippet);
        const indices = expanded.stops.map((stop) => stop.index).filter((index) => index > 0);
        assert.deepEqual(indices, indices.map((_, at) => at + 1), `${item.label}: each place has a number of its own, in their order`);
        const written = snippet.replace(/\$\{\d+:([^}]*)\}|\$0/g, "$1");
        assert.equal(expanded.text, written, item.label);
        const typed = snippet.replace(/\$\{(\d+):[^}]*\}|\$0/g, (_, index?: string) => (index === undefined ? "" : `typed-${index}`));
        assert.equal(typedOver(expanded, (stop) => `typed-${stop.index}`), typed, `${item.label}: typed over`);
        if (where === "a comment") continue; // its default is not a rule
        fs.writeFileSync(path.join(folder, "new.yaml"), before + expanded.text);
        assert.deepEqual(lint(folder), [], `${item.label}: findings`);
      }
    });
  }
}
