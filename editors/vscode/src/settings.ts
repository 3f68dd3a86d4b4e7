// SPDX-License-Identifier: Apache-2.0
// What the settings say, as the command that starts the server.

import * as os from "node:os";
import * as path from "node:path";

export interface Settings {
  path: string;
  trainerVersion: string; // "": what .trainjobc.yaml says
  extraArgs: readonly string[];
}

/** The program to run: a name for the PATH, or an absolute path. */
export function programOf(settings: Settings, folder: string | undefined): string {
  const program = settings.path.trim() || "trainjobc";
  if (program === "~" || program.startsWith("~/")) {
    return path.join(os.homedir(), program.slice(1));
  }
  if (path.isAbsolute(program) || !/[/\\]/.test(program) || folder === undefined) {
    return program;
  }
  return path.resolve(folder, program);
}

export function argumentsOf(settings: Settings): string[] {
  return ["lsp", ...settings.extraArgs];
}

/** What is added to the editor's own environment. */
export function environmentOf(settings: Settings): Record<string, string> {
  return settings.trainerVersion ? { TRAINJOBC_TRAINER_VERSION: settings.trainerVersion } : {};
}
