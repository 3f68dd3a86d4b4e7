// SPDX-License-Identifier: Apache-2.0
// The explanation of a rule, which the rule's id in a diagnostic links to: that of the running server, in the editor.

import * as vscode from "vscode";

import { Server } from "./server";

const SCHEME = "trainjobc-rule";

/** The diagnostics, with links to the explanations in place of those to the web. */
export function explainedHere(diagnostics: vscode.Diagnostic[]): vscode.Diagnostic[] {
  for (const found of diagnostics) {
    if (typeof found.code === "object") {
      found.code = { value: found.code.value, target: vscode.Uri.from({ scheme: SCHEME, path: String(found.code.value) }) };
    }
  }
  return diagnostics;
}

export function registerRules(server: Server): vscode.Disposable {
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
      const client = await server.running();
      const { text } = await client.sendRequest<{ text: string }>("trainjobc/explainRule", { rule: uri.path });
      return text;
    },
  });
  const opened = vscode.workspace.onDidOpenTextDocument((document) => {
    if (document.uri.scheme === SCHEME && document.languageId !== "markdown") {
      void vscode.languages.setTextDocumentLanguage(document, "markdown");
    }
  });
  return vscode.Disposable.from(provider, opened);
}
