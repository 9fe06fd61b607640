import { Option, Predicate } from "effect"

import { parseJson } from "../../../internal/json/values.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { filesFolder } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { isEnabled } from "../../workflow/triggers.ts"
import type { Reference } from "../code.ts"
import type { Facts, Outline } from "../Rule.ts"
import { type Definition, fixedText, type InNode, inNodes, node, ofTypes, shortTypeOf } from "./defining.ts"

/** Kinds that wait for somebody or something in the middle of a run. */
const waitingTypes = new Set(["wait", "form", "respondToWebhook", "lc.chat"])
const waitingOperations = new Set(["sendAndWait", "dispatchAndWait"])

/** The names of the nodes at which a workflow waits. */
export const waitingNodes = (nodes: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  nodes
    .filter(
      (one) =>
        isEnabled(one) &&
        (waitingTypes.has(shortTypeOf(one)) || waitingOperations.has(textOf(objectOf(one.parameters).operation)))
    )
    .map(nameOf)

/** The findings at references in the expressions and code of all nodes. */
export const inCode = (
  isMeant: (reference: Reference, type: string) => boolean,
  message: (reference: Reference) => string
): Definition["find"] =>
  inNodes(undefined, (one, _, { facts }) => {
    const { references } = facts.code(one)
    if (references.length === 0) return []
    const places = new Map<string, InNode>()
    for (const reference of references) {
      const { field, line } = reference
      const place = `${field} ${line}`
      if (isMeant(reference, shortTypeOf(one)) && !places.has(place)) {
        places.set(place, { field, ...(line === undefined ? {} : { line }), message: message(reference) })
      }
    }
    return [...places.values()]
  })

/** The form of a reference in the text. */
export const written = ({ isCalled, name, path }: Reference): string =>
  `${[name, ...path.slice(0, 3)].join(".").slice(0, 60)}${isCalled ? "()" : ""}`

/** Whether a reference reads variables of the environment. */
const readsEnvironment = ({ name, path }: Reference) =>
  name === "$env" || (name === "process" && (path[0] === undefined || path[0] === "env"))

const readsFiles = ["readWriteFile", "readBinaryFile", "readBinaryFiles", "writeBinaryFile"]

const filePlace = ({ fileName, filePath, fileSelector, operation }: JsonObject, type: string) => {
  if (type === "readBinaryFile") return { name: "filePath", value: filePath }
  if (type === "writeBinaryFile" || (type === "readWriteFile" && operation === "write")) {
    return { name: "fileName", value: fileName }
  }
  return { name: "fileSelector", value: fileSelector }
}

/** The workflow that a node calls: one of the instance, or one that stands in the node. */
const calledBy = (
  one: JsonObject,
  { outlines }: Facts
): { readonly name: string; readonly waiting: ReadonlyArray<string> } | undefined => {
  const { source, workflowJson } = objectOf(one.parameters)
  if (source === "parameter" && Predicate.isString(workflowJson)) {
    const inline = objectOf(Option.getOrUndefined(parseJson(workflowJson)))
    return { name: "the workflow in its parameters", waiting: waitingNodes(objectsOf(inline.nodes)) }
  }
  return outlines.get(subWorkflowOf(one)?.id ?? "")
}

const outline = (more: Partial<Outline>): Outline => ({
  id: "called",
  name: "Called",
  isActive: true,
  calls: [],
  errorWorkflow: undefined,
  waiting: [],
  ...more
})

const caller = (parameters: JsonObject = {}) => node("executeWorkflow", { workflowId: "called", ...parameters })

export const toVersion2 = {
  "U2-start": {
    since: "2.0",
    severity: "stops",
    title: "Start is gone",
    advice:
      "Use a Manual Trigger, or Execute Workflow Trigger where other workflows call this one; delete it if disabled.",
    rewrite: "proved possible",
    find: ofTypes(["start"], () => "The node type Start does not exist any more"),
    sample: node("start"),
    counterSample: node("manualTrigger")
  },
  "U2-retired": {
    since: "2.0",
    severity: "stops",
    title: "Nodes of services that have ended are gone",
    advice: "There is no successor: take the node out, or call the service by HTTP Request.",
    rewrite: "none",
    find: ofTypes(
      ["spontit", "crowdDev", "crowdDevTrigger", "kitemaker", "automizy"],
      (type) => `The node type ${type} does not exist any more`
    ),
    sample: node("kitemaker"),
    counterSample: node("orbitly")
  },
  "U2-python": {
    since: "2.0",
    severity: "stops",
    title: "Python of the browser is gone",
    advice:
      "Set language to pythonNative and rewrite the code: only _items or _item, no dots on items. A Python runner is needed.",
    rewrite: "none",
    find: inNodes(["code", "lc.toolCode"], (_, { language }) =>
      language === "python" ? [{ field: "parameters.language", message: "This Python does not run any more" }] : []
    ),
    sample: node("code", { language: "python", pythonCode: "return []" }),
    counterSample: node("code", { language: "pythonNative", pythonCode: "return []" })
  },
  "U2-env": {
    since: "2.0",
    until: "2.0",
    severity: "stops",
    title: "Variables of the environment are out of reach",
    advice:
      "Put the value into a credential, a variable or Edit Fields, or let whoever runs the engine permit access to them again.",
    rewrite: "none",
    find: inCode(readsEnvironment, (one) => `${written(one)} is refused`),
    sample: node("set", { value: "={{ $env.HOST }}" }),
    counterSample: node("code", { jsCode: "// $env.HOST\nreturn [{ json: { text: '$env', process: { env: 1 } } }]" })
  },
  "U2-off": {
    since: "2.0",
    until: "2.0",
    severity: "stops",
    title: "Execute Command and Local File Trigger are switched off",
    advice: "Work without it, or let whoever runs the engine take it out of the list of excluded nodes.",
    rewrite: "none",
    find: ofTypes(
      ["executeCommand", "localFileTrigger"],
      (type) => `The node type ${type} is switched off: the workflow cannot be published`
    ),
    sample: node("executeCommand", { command: "date" }),
    counterSample: node("ssh", { command: "date" })
  },
  "U2-files": {
    since: "2.0",
    until: "2.0",
    severity: "stops",
    title: "Files can be read and written in one folder only",
    advice: `Move the files into ${filesFolder} with the upgrade (1.x keeps out of it), or let whoever runs the engine permit their folder.`,
    rewrite: "none",
    find: inNodes(readsFiles, (one, parameters): ReadonlyArray<InNode> => {
      const { name, value } = filePlace(parameters, shortTypeOf(one))
      const field = `parameters.${name}`
      const path = fixedText(value)
      if (path === "" || value === undefined) return []
      if (path === undefined) {
        return [
          {
            field,
            severity: "cosmetic",
            message: `The path is worked out in the run: it must lead into ${filesFolder}`
          }
        ]
      }
      const folder = filesFolder.replace("~", "")
      const isInside = path.includes(`${folder}/`) && !path.includes("/..")
      return isInside ? [] : [{ field, message: `A file outside of ${filesFolder} is refused` }]
    }),
    sample: node("readWriteFile", { fileSelector: "/data/in.csv" }),
    counterSample: node("readWriteFile", { fileSelector: `${filesFolder}/in.csv` })
  },
  "U2-wait": {
    since: "2.0",
    until: "2.0",
    severity: "changes results",
    title: "A called workflow that waits gives its own output",
    advice: "Look at what follows the node: it gets the output of the called workflow, no longer its own input.",
    rewrite: "none",
    isAcross: true,
    find: inNodes(["executeWorkflow"], (one, { options }, { facts }) => {
      const called = calledBy(one, facts)
      const waits = called?.waiting[0]
      return called === undefined || waits === undefined || objectOf(options).waitForSubWorkflow === false
        ? []
        : [
            {
              field: "parameters.workflowId",
              message: `${called.name} waits at its node ${waits}: what it gives in the end is passed on`
            }
          ]
    }),
    sample: { ...caller(), outlines: [outline({ waiting: ["Wait"] })] },
    counterSample: { ...caller({ options: { waitForSubWorkflow: false } }), outlines: [outline({ waiting: ["Wait"] })] }
  },
  "U2-publish": {
    since: "2.0",
    until: "2.0",
    severity: "stops",
    title: "Called workflows and error workflows have to be published",
    advice: "Publish the workflow that is called after the upgrade, before this one runs.",
    rewrite: "none",
    isAcross: true,
    find: (workflow, { outlines }) => {
      if (workflow.active !== true) return []
      const draft = (id: string | undefined) => {
        const called = outlines.get(id ?? "")
        return called === undefined || called.isActive ? undefined : called
      }
      const error = draft(errorWorkflowOf({ settings: workflow.settings }))
      return [
        ...workflow.nodes.filter(isEnabled).flatMap((one) => {
          const called = draft(subWorkflowOf(one)?.id)
          const message = `It calls ${called?.name} (${called?.id}), which is not published`
          return called === undefined ? [] : [{ node: nameOf(one), field: "parameters.workflowId", message }]
        }),
        ...(error === undefined
          ? []
          : [
              {
                field: "settings.errorWorkflow",
                message: `Its error workflow ${error.name} (${error.id}) is not published, and will not run`
              }
            ])
      ]
    },
    sample: { ...caller(), active: true, outlines: [outline({ isActive: false })] },
    counterSample: { ...caller(), active: true, outlines: [outline({})] }
  },
  "U2-evalcode": {
    since: "2.0",
    severity: "stops",
    title: "Code cannot evaluate expressions",
    advice: "Evaluate the expression in a field of Edit Fields before the node, and read that field.",
    rewrite: "none",
    find: inCode(
      ({ isProgram, name }, type) => isProgram && type === "code" && name === "$evaluateExpression",
      () => "$evaluateExpression fails in code"
    ),
    sample: node("code", { jsCode: "return [{ json: { a: $evaluateExpression('{{ 1 + 1 }}') } }]" }),
    counterSample: node("set", { value: "={{ $evaluateExpression('{{ 1 }}') }}" })
  }
} satisfies Readonly<Record<string, Definition>>
