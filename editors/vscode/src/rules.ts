// SPDX-License-Identifier: Apache-2.0
// The explanation of a rule, which the rule's id in a diagnostic links to.

import * as vscode from "vscode";

import { Server } from "./server";

const SCHEME = "trainjobc-rule";

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
