// SPDX-License-Identifier: Apache-2.0
// Starts `trainjobc lsp` for YAML files, and shows the JobSets that it renders.

import * as vscode from "vscode";
import { Middleware } from "vscode-languageclient/node";

import { isJobSet, JobSets, SHOW_JOBSET } from "./jobset";
import { explainedHere, registerRules } from "./rules";
import { registerRuntimes } from "./runtimes";
import { Server } from "./server";

const NEEDS_RESTART = ["trainjobc.path", "trainjobc.trainerVersion", "trainjobc.extraArgs"];

let server: Server | undefined;

/** Runs the lens of the TrainJob at the cursor. */
async function openJobSet(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || isJobSet(editor.document)) {
    return;
  }
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>(
    "vscode.executeCodeLensProvider",
    editor.document.uri,
    1000,
  );
  const jobs = (lenses ?? [])
    .filter((lens) => lens.command?.command === SHOW_JOBSET)
    .sort((one, other) => one.range.start.line - other.range.start.line);
  const line = editor.selection.active.line;
  const command = (jobs.filter((lens) => lens.range.start.line <= line).at(-1) ?? jobs[0])?.command;
  if (command === undefined) {
    void vscode.window.showInformationMessage("trainjobc: this file has no TrainJob that can be rendered.");
    return;
  }
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const current = new Server();
  server = current;
  const jobSets = new JobSets(current, context.workspaceState);
  const middleware: Middleware = {
    async executeCommand(command, args, next) {
      const result = await next(command, args);
      if (command === SHOW_JOBSET && result) {
        await jobSets.show(result, args);
      }
      return result;
    },
    handleDiagnostics(uri, diagnostics, next) {
      next(uri, explainedHere(diagnostics));
    },
  };
  const restart = async (): Promise<void> => {
    await current.restart(middleware);
    jobSets.refresh();
  };
  context.subscriptions.push(
    current,
    jobSets,
    registerRules(current),
    registerRuntimes(current),
    vscode.commands.registerCommand("trainjobc.openJobSet", openJobSet),
    vscode.commands.registerCommand("trainjobc.restart", restart),
    vscode.commands.registerCommand("trainjobc.showOutput", () => current.showOutput()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (NEEDS_RESTART.some((name) => event.affectsConfiguration(name))) {
        await restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
