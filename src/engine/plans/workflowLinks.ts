import { Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/models.ts"
import type { Path } from "../workflow/valuePaths.ts"
import type { Content } from "./Change.ts"

/** A text inside of a workflow that holds ids of other workflows. */
export interface LinkedText {
  readonly path: Path
  readonly parts: ReadonlyArray<string | { readonly workflow: string }>
  /** The purpose of the link. */
  readonly use: "caller" | "error" | "sub"
}

/** The links of a workflow to others: texts with their ids, and nodes that only know at run time whom they call. */
export interface Links {
  readonly texts: ReadonlyArray<LinkedText>
  readonly dynamic: ReadonlyArray<string>
}

const isExpression = (text: string) => text.startsWith("=")

/** The places at which a content names other workflows: nodes that call them, the error workflow, and who may call it. */
export const linksOf = ({ nodes, settings }: Content): Links => {
  const called = nodes.map((node, index) => ofNode(node, ["nodes", index, "parameters", "workflowId"]))
  const { callerIds, errorWorkflow } = settings
  const error =
    Predicate.isString(errorWorkflow) && errorWorkflow.trim() !== ""
      ? [{ path: ["settings", "errorWorkflow"], parts: [{ workflow: errorWorkflow.trim() }], use: "error" } as const]
      : []
  const callers = Predicate.isString(callerIds) && callerIds.trim() !== "" ? [ofCallers(callerIds)] : []
  return {
    texts: [...called.flatMap(({ texts }) => texts), ...error, ...callers],
    dynamic: called.flatMap(({ dynamic }) => dynamic)
  }
}

const none: Links = { texts: [], dynamic: [] }

const ofNode = (node: JsonObject, path: Path): Links => {
  const parameters = objectOf(node.parameters)
  const given = parameters["workflowId"]
  const isElsewhere = Predicate.isString(parameters["source"]) && parameters["source"] !== "database"
  if (isElsewhere || given === undefined) return none
  if (Predicate.isString(given)) return ofText(node, given, path)
  if (!isJsonObject(given) || !Predicate.isString(given["value"])) return none
  const { texts, dynamic } = ofText(node, given["value"], [...path, "value"])
  const [link] = texts
  const id = link?.parts.find((part) => typeof part !== "string")?.workflow
  const url = given["cachedResultUrl"]
  if (id === undefined || !Predicate.isString(url) || !url.includes(id)) return { texts, dynamic }
  const parts = url.split(id).flatMap((text, index) => [...(index === 0 ? [] : [{ workflow: id }]), text])
  return { texts: [...texts, { path: [...path, "cachedResultUrl"], parts, use: "sub" }], dynamic }
}

const ofText = (node: JsonObject, text: string, path: Path): Links => {
  if (text.trim() === "") return none
  if (isExpression(text)) return { texts: [], dynamic: [nameOf(node)] }
  const [, before = "", id = text.trim(), after = ""] = editorAddress.exec(text) ?? []
  const parts = [before, { workflow: id }, after].filter((part) => part !== "")
  return { texts: [{ path, parts, use: "sub" }], dynamic: [] }
}

/** The address of a workflow in an editor, which engines take for its id. */
const editorAddress = /^(.*\/workflow\/)([A-Za-z0-9_-]+)(.*)/s

/** A list with commas between. */
const ofCallers = (ids: string): LinkedText => ({
  path: ["settings", "callerIds"],
  parts: ids
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "")
    .flatMap((workflow, index) => [...(index === 0 ? [] : [", "]), { workflow }]),
  use: "caller"
})

/** The ids of the workflows that a workflow runs or that are run when it fails, each once; not of those that may call it. */
export const calledIds = ({ texts }: Links): ReadonlyArray<string> => idsIn(texts.filter(({ use }) => use !== "caller"))

/** The ids of the workflows that texts are about, each once. */
export const idsIn = (texts: ReadonlyArray<LinkedText>): ReadonlyArray<string> => [
  ...new Set(texts.flatMap(({ parts }) => parts.flatMap((part) => (typeof part === "string" ? [] : [part.workflow]))))
]
