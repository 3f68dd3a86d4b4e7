// SPDX-License-Identifier: Apache-2.0
// A runtime of the catalogue, to which definitions lead, as a read-only document.

import * as vscode from "vscode";
import { ClientCapabilities, StaticFeature } from "vscode-languageclient/node";

import { Server } from "./server";

const SCHEME = "trainjobc-runtime";

/** Says that this client opens virtual documents, as version 3.18 of the protocol has it. */
export const OPENS_RUNTIMES: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.workspace = Object.assign(capabilities.workspace ?? {}, { textDocumentContent: {} });
  },
  initialize(): void {},
  getState: () => ({ kind: "static" }),
  clear(): void {},
};

export function registerRuntimes(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
      const client = await server.running();
      const { text } = await client.sendRequest<{ text: string }>("workspace/textDocumentContent", { uri: uri.toString() });
      return text;
    },
  });
}
