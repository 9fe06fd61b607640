import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { flagNames } from "../../../../src/cli/configuration/flags.ts"
import { filesIn, readInput, splitCommandLine } from "../../../../src/cli/tasks/call/callArguments.ts"

const schema = {
  type: "object",
  properties: {
    id: { type: "string" },
    workflowId: { type: "string" },
    dry_run: { type: "boolean" },
    limit: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    nodes: { type: "array", items: { type: "object" } },
    settings: { type: "object" }
  },
  required: ["id"]
}
const input = (...words: ReadonlyArray<string>) => Result.getOrThrow(readInput(schema, words))
const refusal = (...words: ReadonlyArray<string>) =>
  Result.match(readInput(schema, words), { onFailure: ({ message }) => message, onSuccess: () => "" })

describe("the words of a call", () => {
  it("are split where the tool begins, and our own flags are found on either side", () => {
    assert.deepStrictEqual(
      splitCommandLine(["--config", "call", "call", "--json", "get_tag", "--id", "5", "--read-only", "--print=name"]),
      {
        commandWords: ["--config", "call", "call", "--json", "get_tag", "--read-only", "--print=name"],
        toolWords: ["--id", "5"],
        toolHelp: false
      }
    )
  })

  it("say that a person has agreed, in either spelling, wherever they stand", () => {
    const agreed = { id: "5", confirm_protected: true }
    assert.deepStrictEqual(input("--confirm-protected", "5"), agreed)
    assert.deepStrictEqual(input("5", "--confirm_protected"), agreed)
  })

  it("ask for help about the tool behind its name, and about the command before it", () => {
    assert.isTrue(splitCommandLine(["call", "get_tag", "-h"]).toolHelp)
    assert.deepStrictEqual(splitCommandLine(["call", "--help"]), {
      commandWords: ["call", "--help"],
      toolWords: [],
      toolHelp: false
    })
  })

  it("are all ours where another command or none is called", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("--help", "check", "--port", "-x"))), (words) => {
        fc.pre(!words.includes("call"))
        assert.deepStrictEqual(splitCommandLine(words), { commandWords: words, toolWords: [], toolHelp: false })
      })
    )
  })

  it("are each given to one reader, in their order, whatever they are", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("call", "get_tag", "--id", ...flagNames.map((name) => `--${name}`))
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const { commandWords, toolHelp, toolWords } = splitCommandLine(["call", "get_tag", ...words])
        const helps = words.length + 2 - commandWords.length - toolWords.length
        assert.strictEqual(helps > 0, toolHelp)
        const rest = [...commandWords]
        for (const one of ["call", "get_tag", ...words]) if (rest[0] === one) rest.shift()
        assert.deepStrictEqual(rest, [])
      })
    )
  })
})

describe("the arguments of a tool", () => {
  it("take texts as they are, behind a space or an equals sign", () => {
    assert.deepStrictEqual(input("--id", "-5", "--workflowId=a=b\n--c"), { id: "-5", workflowId: "a=b\n--c" })
  })

  it("are found by their name in kebab case as well", () => {
    assert.deepStrictEqual(input("--id", "1", "--workflow-id", "2", "--dry-run"), {
      id: "1",
      workflowId: "2",
      dry_run: true
    })
  })

  it("make a list of repeated flags, and take a whole list as JSON", () => {
    assert.deepStrictEqual(input("1", "--tags", "a,b", "--tags", "[c"), { id: "1", tags: ["a,b", "[c"] })
    assert.deepStrictEqual(input("1", "--tags", '["a"]'), { id: "1", tags: '["a"]' })
  })

  it("are switched on, off, or said", () => {
    assert.deepStrictEqual(input("1", "--no-dry_run"), { id: "1", dry_run: false })
    assert.deepStrictEqual(input("--dry_run", "false", "1"), { id: "1", dry_run: false })
    assert.deepStrictEqual(input("--dry_run", "1"), { id: "1", dry_run: true })
    assert.deepStrictEqual(input("1", "--dry_run=maybe"), { id: "1", dry_run: "maybe" })
  })

  it("go on to the tool where it does not know them, so that its own words refuse them", () => {
    assert.deepStrictEqual(input("1", "--limt", "5"), { id: "1", limt: "5" })
  })

  it("name files that hold the JSON of an object or a list of objects, and of nothing else", () => {
    const given = input("@id", "--tags", "@tags", "--nodes", "@nodes.json", "--settings", "@s.json")
    assert.deepStrictEqual(filesIn(schema, given), [
      { name: "nodes", file: "nodes.json" },
      { name: "settings", file: "s.json" }
    ])
  })

  it("are refused where a value is missing, or has no name and no place", () => {
    assert.strictEqual(refusal("1", "--limit"), "--limit needs a value: --limit NUMBER")
    assert.strictEqual(refusal("--limit", "--tags", "a"), "--limit needs a value: --limit NUMBER")
    assert.match(
      refusal("1", "2"),
      /^Nothing to do with "2": give values as --name value\. Arguments: --id, --workflowId/
    )
  })

  it("arrive whole, whatever texts they hold", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { minLength: 2 }), (id, tags) => {
        fc.pre(!/^\s*\[|^@/.test(tags[0] ?? ""))
        assert.deepStrictEqual(input(`--id=${id}`, ...tags.map((tag) => `--tags=${tag}`)), { id, tags })
      })
    )
  })
})
