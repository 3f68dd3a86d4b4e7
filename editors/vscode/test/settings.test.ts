// SPDX-License-Identifier: Apache-2.0
import * as assert from "node:assert/strict";
import * as os from "node:os";
import { test } from "node:test";

import { argumentsOf, environmentOf, programOf, Settings } from "../src/settings";

function settings(changes: Partial<Settings>): Settings {
  return { path: "trainjobc", trainerVersion: "", extraArgs: [], ...changes };
}

test("a name is looked up on the PATH, other programs are absolute paths", () => {
  const programs = ["trainjobc", "", "/opt/trainjobc", "~/bin/trainjobc", "build/trainjobc", "./trainjobc"];
  assert.deepEqual(
    programs.map((path) => programOf(settings({ path }), "/work/repo")),
    ["trainjobc", "trainjobc", "/opt/trainjobc", `${os.homedir()}/bin/trainjobc`, "/work/repo/build/trainjobc", "/work/repo/trainjobc"],
  );
  assert.equal(programOf(settings({ path: "build/trainjobc" }), undefined), "build/trainjobc");
});

test("the user's arguments come after the command", () => {
  assert.deepEqual(argumentsOf(settings({})), ["lsp"]);
  assert.deepEqual(argumentsOf(settings({ extraArgs: ["--stdio"] })), ["lsp", "--stdio"]);
});

test("a version is pinned for the server alone", () => {
  assert.deepEqual(environmentOf(settings({})), {});
  assert.deepEqual(environmentOf(settings({ trainerVersion: "2.2" })), { TRAINJOBC_TRAINER_VERSION: "2.2" });
});
