import { assert, describe, it } from "vitest"

import { outputName } from "../../../src/engine/workflow/outputs.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"

const node = (kind: string, parameters: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: "N",
  type: `n8n-nodes-base.${kind}`,
  typeVersion: 3,
  parameters,
  ...more
})
const namesOf = (one: JsonObject | undefined, count: number) =>
  Array.from({ length: count }, (_, index) => outputName(one, index))

describe("outputName", () => {
  it.each<readonly [string, JsonObject | undefined, ReadonlyArray<string>]>([
    ["a node with one output", node("set"), ["", "1"]],
    ["no node", undefined, ["", "1"]],
    ["a branch", node("if"), ["true", "false"]],
    ["a branch with an error output", node("if", {}, { onError: "continueErrorOutput" }), ["true", "false", "error"]],
    ["a node with an error output", node("httpRequest", {}, { onError: "continueErrorOutput" }), ["", "error"]],
    ["a loop", node("splitInBatches"), ["done", "loop"]],
    ["a loop of an older version", node("splitInBatches", {}, { typeVersion: 2 }), ["loop", "done"]],
    [
      "rules with names and a fallback",
      node("switch", { rules: { values: [{ outputKey: "red" }, {}] }, options: { fallbackOutput: "extra" } }),
      ["red", "1", "fallback", "3"]
    ],
    [
      "a renamed fallback",
      node("switch", { rules: { values: [] }, options: { fallbackOutput: "extra", renameFallbackOutput: "rest" } }),
      ["rest"]
    ],
    ["classes of texts", node("textClassifier", { categories: { categories: [{ category: "spam" }] } }), ["spam", "1"]],
    ["broken rules", node("switch", { rules: { values: [null, 3] }, options: [] }), ["0", "1"]]
  ])("says what the outputs of %s are called", (_, one, names) => {
    assert.deepStrictEqual(namesOf(one, names.length), names)
  })
})
