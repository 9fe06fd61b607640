import { existsSync, globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"

import { Parser } from "acorn"
import { Effect, Schema } from "effect"
import { assert, describe, inject, it } from "vitest"

import { readFolder } from "../../src/cli/nodes/folder.ts"
import { checkWorkflow } from "../../src/engine/nodes/check/checkWorkflow.ts"
import { inWords } from "../../src/engine/nodes/check/Finding.ts"
import { boundedParser } from "../../src/engine/nodes/check/javaScript.ts"
import { checkParameters, describedNode } from "../../src/engine/nodes/check/node.ts"
import { collectNodeTypes } from "../../src/engine/nodes/collectNodeTypes.ts"
import { search } from "../../src/engine/nodes/searchNodes.ts"
import { suggestTypes } from "../../src/engine/nodes/suggestNodes.ts"
import { codeReader } from "../../src/engine/upgrade/code.ts"
import { findingsIn, rulesOn } from "../../src/engine/upgrade/rules.ts"
import { nodeKind } from "../../src/engine/workflow/naming.ts"
import { brokenDrafts } from "../engine/nodes/broken.ts"
import { catalogOf } from "../engine/nodes/catalog.ts"
import type { Draft } from "../engine/nodes/drafts.ts"
import { meaningless, meantQuestions, meantTypes } from "../engine/nodes/meant.ts"
import { soundDrafts } from "../engine/nodes/sound.ts"
import packageFindings from "../engine/upgrade/packageFindings.json" with { type: "json" }
import { engineFolder } from "../engines/install.ts"

const JsonObject = Schema.Record(Schema.String, Schema.Unknown)
const Workflow = Schema.Struct({ nodes: Schema.Array(JsonObject), connections: JsonObject })
const readWorkflow = Schema.decodeUnknownOption(Schema.fromJsonString(Workflow))
const Choice = Schema.Struct({ value: Schema.optionalKey(Schema.Unknown) })
const Description = Schema.Struct({
  properties: Schema.Array(Schema.Struct({ name: Schema.String, options: Schema.optionalKey(Schema.Array(Choice)) }))
})
const decodeDescription = Schema.decodeUnknownOption(Description)

/** Descriptions of an engine's own node types, under their full names. */
const typesOf = (version: string) =>
  Effect.runPromise(
    Effect.map(readFolder(engineFolder(version))(version), (packages) =>
      packages.flatMap(({ name, nodes }) =>
        nodes.map((node) => ({ ...Object(node), name: `${name}.${String(Object(node).name)}` }))
      )
    ).pipe(
      // The engine 1.82.3 of these tests is installed without its AI nodes.
      Effect.orElseSucceed(() => {
        const file = path.join(engineFolder(version), "node_modules/n8n-nodes-base/dist/types/nodes.json")
        const nodes: ReadonlyArray<{ readonly name: string }> = JSON.parse(readFileSync(file, "utf8"))
        return nodes.map((node) => ({ ...node, name: `n8n-nodes-base.${node.name}` }))
      })
    )
  )

/** The workflows that engine packages bring for their own tests, which the engine runs. */
const samples = (version: string) =>
  globSync(path.join(engineFolder(version), "node_modules/n8n-nodes-base/dist/nodes/**/test/**/*.json")).flatMap(
    (file) => {
      const workflow = readWorkflow(readFileSync(file, "utf8"))
      return workflow._tag === "Some" && workflow.value.nodes.length > 0 ? [{ file, workflow: workflow.value }] : []
    }
  )

interface Helpers {
  readonly getNodeParameters: (...args: ReadonlyArray<unknown>) => object
  readonly getNodeParametersIssues: (
    ...args: ReadonlyArray<unknown>
  ) => { parameters?: Record<string, string[]> } | null
}

for (const { version } of inject("engines")) {
  describe(`check_workflow, held against the packages of ${version}`, () => {
    it("finds nothing in the workflows that the engine runs itself", async () => {
      const catalog = catalogOf(await typesOf(version), "packages", version)
      const all = samples(version)
      const found: Array<string> = []
      for (const { file, workflow } of all) {
        const findings = await Effect.runPromise(checkWorkflow(workflow, catalog))
        // Some are only parts of workflows, of which the engine's tests start a node themselves.
        const isPart = (line: string) => /no trigger (?:starts|leads)|serves no node/.test(line)
        // One sends what is no JSON on purpose: it shows what an error output is for.
        const isMeant = (line: string) => file.endsWith("use_error_output.json") && line.includes("is no JSON")
        const others = findings.map(inWords).filter((line) => !isPart(line) && !isMeant(line))
        if (others.length > 0) found.push(`${path.basename(file)}: ${others.join("\n")}`)
      }
      assert.deepStrictEqual(found, [])
      // Engines of generation 2 bring none.
      if (version.startsWith("1.")) assert.isAbove(all.length, 200)
    })

    it("finds what is wrong in broken workflows, and nothing in sound ones", async () => {
      const catalog = catalogOf(await typesOf(version), "packages", version)
      // Some installations of these tests have no AI nodes.
      const isKnown = ({ nodes }: Draft, said: ReadonlyArray<RegExp> = []) =>
        catalog.packages.length > 1 ||
        [...nodes.map(({ type }) => String(type)), ...said.map(String)].every((text) => !text.includes("langchain"))
      const linesOf = async (draft: Draft) => (await Effect.runPromise(checkWorkflow(draft, catalog))).map(inWords)
      let looked = 0
      for (const { draft, said, title } of brokenDrafts.filter((one) => isKnown(one.draft, one.said))) {
        const lines = await linesOf(draft)
        for (const one of said) {
          assert.isTrue(one.test("") || lines.some((line) => one.test(line)), `${title}: ${one}\n${lines.join("\n")}`)
        }
        for (const line of lines)
          assert.isTrue(
            said.some((one) => one.test(line)),
            `${title}: ${line}`
          )
        looked++
      }
      for (const [title, draft] of soundDrafts.filter(([, one]) => isKnown(one))) {
        assert.deepStrictEqual(await linesOf(draft), [], title)
        looked++
      }
      assert.isAbove(looked, 140)
    })

    it("finds what is meant among all of its node types, by questions and by types that are not there", async () => {
      const { entries } = catalogOf(await typesOf(version), "packages", version)
      const has = (kind: string) => entries.some(({ type }) => nodeKind(type) === kind)
      const questions = meantQuestions.filter(([, kind]) => has(kind))
      const missed = [
        ...questions.map(([query, kind]) => [query, kind, search(entries, query, undefined, () => 0)[0]?.entry.type]),
        ...meantTypes
          .filter(([written, kind]) => has(kind) && !has(written))
          .map(([written, kind]) => [written, kind, suggestTypes(written, entries)[0]]),
        ...meaningless.map((written) => [written, "", suggestTypes(written, entries)[0]])
      ].filter(([, kind, type = "."]) => nodeKind(type) !== kind)
      assert.deepStrictEqual(missed, [])
      assert.isAbove(questions.length, 40)
    })

    it("misses the required parameters that the engine misses, for every operation of every node", async () => {
      const helpersFile = path.join(engineFolder(version), "node_modules/n8n-workflow")
      assert.isTrue(existsSync(helpersFile))
      const { NodeHelpers }: { NodeHelpers: Helpers } = createRequire(import.meta.url)(helpersFile)
      let compared = 0
      const different: Array<string> = []
      for (const described of await typesOf(version)) {
        const type = collectNodeTypes([described])[0]?.versions[0]
        const read = decodeDescription(described)
        const [typeVersion] = type?.versions.slice(-1) ?? []
        if (type === undefined || read._tag === "None" || typeVersion === undefined) continue
        const { properties } = read.value
        const valuesOf = (name: string) => [
          ...new Set([
            undefined,
            ...properties
              .filter((one) => one.name === name)
              .flatMap(({ options = [] }) => options.map((one) => one.value))
          ])
        ]
        for (const resource of valuesOf("resource")) {
          for (const operation of valuesOf("operation")) {
            const parameters = {
              ...(resource === undefined ? {} : { resource }),
              ...(operation === undefined ? {} : { operation })
            }
            const node = { name: "N", type: type.type, typeVersion, position: [0, 0], parameters }
            const full = NodeHelpers.getNodeParameters(described.properties, parameters, true, false, node, described)
            const extra = version.startsWith("1.") ? [] : [described]
            const issues = NodeHelpers.getNodeParametersIssues(
              described.properties,
              { ...node, parameters: full },
              ...extra
            )
            const theirs = Object.entries(issues?.parameters ?? {})
              .filter(([, words]) => words.some((word) => word.includes("is required")))
              .map(([name]) => name)
            const known = describedNode(node, [type])
            const ours = (known === undefined ? [] : checkParameters(node, known))
              .filter(({ problem }) => problem.includes("is required"))
              .map(({ field = "" }) => field.split(".").at(-1) ?? "")
            compared++
            if ([...new Set(ours)].toSorted().join() !== [...new Set(theirs)].toSorted().join()) {
              different.push(`${type.type} ${String(resource)} ${String(operation)}: ${ours.join()} / ${theirs.join()}`)
            }
          }
        }
      }
      assert.isAbove(compared, 4000)
      assert.isBelow(different.length / compared, 0.005, different.slice(0, 20).join("\n"))
    })
  })
}

describe("the rules of upgrades", () => {
  // Each finding was looked at by hand; the file says how many a rule has in the file of a workflow.
  it("find in the workflows of the packages of 1.82.3 what was looked at, and nothing else", () => {
    const facts = {
      code: codeReader(boundedParser({ Parser })),
      outlines: new Map<string, never>(),
      seconds: new Map<string, never>()
    }
    const counts: Record<string, Record<string, number>> = {}
    for (const { file, workflow } of samples("1.82.3")) {
      const name = file.split("/dist/nodes/")[1] ?? ""
      for (const { rule } of findingsIn(workflow, facts, rulesOn({ from: "1.82.3", to: "3.0" }))) {
        counts[rule] ??= {}
        counts[rule][name] = (counts[rule][name] ?? 0) + 1
      }
    }
    assert.deepStrictEqual(counts, packageFindings)
  })
})
