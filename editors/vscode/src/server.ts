// SPDX-License-Identifier: Apache-2.0
// The running `trainjobc lsp`, and what is said if it can't run.

import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { LanguageClient, Middleware, RevealOutputChannelOn } from "vscode-languageclient/node";

import { OPENS_RUNTIMES } from "./runtimes";
import { argumentsOf, environmentOf, programOf, Settings } from "./settings";

const IS_RUNNING = "trainjobc.isRunning";

function readSettings(): Settings {
  const values = vscode.workspace.getConfiguration("trainjobc");
  return {
    path: values.get("path", "trainjobc"),
    trainerVersion: values.get("trainerVersion", ""),
    extraArgs: values.get("extraArgs", []),
  };
}

/** Why the program can't serve this editor, undefined if it can. */
function problemOf(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ["lsp", "--help"], { timeout: 10_000 }, (error) => {
      if (error === null) {
        resolve(undefined);
      } else if (error.code === "ENOENT") {
        resolve(`${program} was not found. Install trainjobc, or say where it is.`);
      } else if (typeof error.code === "number") {
        resolve(`${program} has no language server: it is too old, or another program.`);
      } else {
        resolve(`${program} can't be run: ${error.message}`);
      }
    });
  });
}

export class Server implements vscode.Disposable {
  private readonly output = vscode.window.createOutputChannel("trainjobc");
  private client: LanguageClient | undefined;
  private restarting: Promise<void> = Promise.resolve();

  /** The program of the current settings. */
  get program(): string {
    return programOf(readSettings(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }

  /** The client, when it has started. */
  async running(): Promise<LanguageClient> {
    await this.restarting;
    if (this.client === undefined) {
      throw new Error("trainjobc does not run: see its output");
    }
    return this.client;
  }

  dispose(): void {
    this.output.dispose();
  }

  showOutput(): void {
    this.output.show();
  }

  /** Stops what runs and starts it with the current settings. Calls wait for each other. */
  restart(middleware: Middleware): Promise<void> {
    this.restarting = this.restarting.then(() => this.stop()).then(() => this.start(middleware));
    return this.restarting;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await vscode.commands.executeCommand("setContext", IS_RUNNING, false);
    await client?.dispose().catch((error) => this.output.appendLine(`could not stop: ${error}`));
  }

  private async start(middleware: Middleware): Promise<void> {
    const program = this.program;
    const problem = await problemOf(program);
    if (problem !== undefined) {
      void this.report(problem);
      return;
    }
    const settings = readSettings();
    const args = argumentsOf(settings);
    this.output.appendLine(`runs ${[program, ...args].join(" ")}`);
    const client = new LanguageClient(
      "trainjobc",
      "trainjobc",
      { command: program, args, options: { env: { ...process.env, ...environmentOf(settings) } } },
      {
        documentSelector: ["file", "untitled"].map((scheme) => ({ scheme, language: "yaml" })),
        outputChannel: this.output,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        middleware,
      },
    );
    client.registerFeature(OPENS_RUNTIMES);
    try {
      await client.start();
    } catch (error) {
      await client.dispose().catch(() => undefined);
      void this.report(`trainjobc lsp did not start: ${error}`);
      return;
    }
    this.client = client;
    await vscode.commands.executeCommand("setContext", IS_RUNNING, true);
  }

  private async report(problem: string): Promise<void> {
    this.output.appendLine(problem);
    const openSettings = "Open Settings";
    const showOutput = "Show Output";
    const chosen = await vscode.window.showErrorMessage(`trainjobc: ${problem}`, openSettings, showOutput);
    if (chosen === openSettings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "trainjobc.path");
    } else if (chosen === showOutput) {
      this.showOutput();
    }
  }
}
