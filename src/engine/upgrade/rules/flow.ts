import { listOf, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { nameOf } from "../../workflow/nodes.ts"
import type { Sample } from "../Rule.ts"
import { type Definition, inNodes, node, shortTypeOf, wholeType } from "./defining.ts"

const since = "3.0"

/** Types with several main outputs, beside nodes with an output for errors. */
const branching = new Set([
  "if",
  "switch",
  "compareDatasets",
  "splitInBatches",
  "lc.textClassifier",
  "lc.sentimentAnalysis",
  "lc.guardrails"
])

/** Seconds after which a task of code will be stopped. */
const longestTask = 60

/** An If that always gives something, whose outputs lead to nodes of these names. */
const branches = (outputs: ReadonlyArray<ReadonlyArray<string>>): Sample => ({
  nodes: [
    { name: "If", type: wholeType("if"), typeVersion: 2, position: [0, 0], alwaysOutputData: true, parameters: {} },
    ...outputs
      .flat()
      .map((name) => ({ name, type: wholeType("noOp"), typeVersion: 1, position: [200, 0], parameters: {} }))
  ],
  connections: { If: { main: outputs.map((names) => names.map((name) => ({ node: name, type: "main", index: 0 }))) } }
})

export const flow = {
  "U3-each": {
    since,
    severity: "stops",
    title: "Execute Workflow runs once for all items",
    advice: "Put Loop Over Items with a batch of one around it. Where a call returns nothing, the loop ends silently.",
    rewrite: "after review",
    find: inNodes(["executeWorkflow"], (_, { mode }) =>
      mode === "each" ? [{ field: "parameters.mode", message: "It cannot call once for each item any more" }] : []
    ),
    sample: node("executeWorkflow", { workflowId: "called", mode: "each" }),
    counterSample: node("executeWorkflow", { workflowId: "called", mode: "once" })
  },
  "U3-source": {
    since,
    severity: "stops",
    title: "Workflows are called from the database only",
    advice: "Import the workflow into the instance, and call it from the database.",
    rewrite: "none",
    find: inNodes(["executeWorkflow"], (_, { source }) =>
      source === "localFile" || source === "url"
        ? [
            {
              field: "parameters.source",
              message: `A workflow cannot be called from a ${source === "url" ? "URL" : "file"} any more`
            }
          ]
        : []
    ),
    sample: node("executeWorkflow", { source: "url", workflowUrl: "https://example.com/a.json" }),
    counterSample: node("executeWorkflow", { source: "database", workflowId: "called" })
  },
  "U3-always": {
    since,
    severity: "changes results",
    title: "Always Output Data no longer fills the first branch",
    advice: "Its first branch gets an empty item only if all are empty: see that nothing waits for that item.",
    rewrite: "none",
    find: (workflow, facts) =>
      inNodes(undefined, (one) => {
        if (one.alwaysOutputData !== true) return []
        const isBranching = branching.has(shortTypeOf(one)) || one.onError === "continueErrorOutput"
        const [first] = listOf(objectOf(objectOf(workflow.connections)[nameOf(one)]).main)
        return isBranching && listOf(first).length > 0
          ? [
              {
                field: "alwaysOutputData",
                message: "Its first branch gets no empty item any more while another has items"
              }
            ]
          : []
      })(workflow, facts),
    sample: branches([["Yes"], ["No"]]),
    counterSample: branches([[], ["No"]])
  },
  "U3-caller": {
    since,
    severity: "stops",
    title: "Workflows may not be called by everybody any more",
    advice: "Set the caller policy to workflowsFromSameOwner, or to workflowsFromAList with the ids of its callers.",
    rewrite: "after review",
    find: ({ settings }) =>
      textOf(objectOf(settings).callerPolicy) === "any"
        ? [{ field: "settings.callerPolicy", message: "The caller policy any does not exist any more" }]
        : [],
    sample: { nodes: [], settings: { callerPolicy: "any" } },
    counterSample: { nodes: [], settings: { callerPolicy: "workflowsFromSameOwner" } }
  },
  "U3-minute": {
    since,
    severity: "stops",
    title: "Code is stopped after a minute",
    advice: "Let it do less at a time, or let whoever runs the engine lengthen the time of a task.",
    rewrite: "none",
    find: inNodes(["code"], (one, _, { facts }) => {
      const seconds = facts.seconds.get(nameOf(one)) ?? 0
      return seconds > longestTask
        ? [
            {
              field: "parameters",
              message: `It ran for ${Math.round(seconds)} seconds lately, of which 60 are allowed`
            }
          ]
        : []
    }),
    sample: { ...node("code", { jsCode: "return items" }), seconds: { Step: 75 } },
    counterSample: { ...node("code", { jsCode: "return items" }), seconds: { Step: 15 } }
  }
} satisfies Readonly<Record<string, Definition>>
