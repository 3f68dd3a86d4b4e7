// SPDX-License-Identifier: Apache-2.0
// The JobSet of a TrainJob as a read-only document beside it, which follows what is typed.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";

import { Server } from "./server";

export const SHOW_JOBSET = "trainjobc.showJobSet";

const SCHEME = "trainjobc-jobset";
const MEMORY = "jobSets";
const DELAY_MS = 200;

/** What the server returns for SHOW_JOBSET. */
interface RenderedJobSet {
  uri: string;
  text: string;
}

/** Its last part is the title of the tab, beside that of the TrainJob. */
function addressOf(rendered: RenderedJobSet): vscode.Uri {
  const uri = vscode.Uri.parse(rendered.uri, true);
  return uri.with({ path: uri.path.replace(/([^/]*)$/, "JobSet $1") });
}

export function isJobSet(document: vscode.TextDocument): boolean {
  return document.uri.scheme === SCHEME;
}

export class JobSets implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly disposables: vscode.Disposable[];
  private readonly lastTexts = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  readonly onDidChange = this.changes.event;

  /** `memory` says after a reload of the window which TrainJobs the open documents show. */
  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {
    this.disposables = [
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.languageId === "yaml" && !isJobSet(document)) {
          this.refreshSoon();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  /** Opens what the command of a lens returned, beside the editor. */
  async show(rendered: RenderedJobSet, commandArguments: unknown[]): Promise<void> {
    const uri = addressOf(rendered);
    await this.memory.update(MEMORY, { ...this.remembered(), [uri.toString()]: commandArguments });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    this.changes.fire(uri);
  }

  /** Renders what is open. */
  refresh(): void {
    vscode.workspace.textDocuments.filter(isJobSet).forEach((document) => this.changes.fire(document.uri));
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const name = uri.toString();
    try {
      const text = await this.render(name, token);
      this.lastTexts.set(name, text);
      return text;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `# ${why.replaceAll("\n", "\n# ")}\n${this.lastTexts.get(name) ?? ""}`;
    }
  }

  private async render(name: string, token: vscode.CancellationToken): Promise<string> {
    const commandArguments = this.remembered()[name];
    if (commandArguments === undefined) {
      throw new Error("open it from the lens above its TrainJob");
    }
    const client = await this.server.running();
    const rendered: RenderedJobSet = await client.sendRequest(
      ExecuteCommandRequest.type,
      { command: SHOW_JOBSET, arguments: commandArguments },
      token,
    );
    return rendered.text;
  }

  private remembered(): Record<string, unknown[]> {
    return this.memory.get(MEMORY, {});
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), DELAY_MS);
  }
}
