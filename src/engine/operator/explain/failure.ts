import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { maskText } from "../../../internal/secrets/maskSecrets.ts"
import { textsIn } from "./inputFields.ts"
import { inputOf, jsonOf, nodeNamed, type NodeRun, type RunData, textIn } from "./runData.ts"

/** The failure of a run, and its place. Fields are undefined where the engine does not say. */
export interface Failure {
  readonly error: JsonObject
  /** The node run that failed; undefined if no node had begun. */
  readonly at: NodeRun | undefined
  /** The sub-node (a model, memory or tool) whose failure made its agent fail. */
  readonly part: NodeRun | undefined
  readonly input: ReadonlyArray<unknown>
  /** The index of the input item that failed. */
  readonly item: number | undefined
}

/** The failure that ended a run, if one did. */
export const failureOf = (data: RunData): Failure | undefined => {
  const failed = data.runs.filter(({ error }) => error !== undefined)
  const at = failed.findLast(({ node }) => node === data.lastNode) ?? failed.at(-1)
  const error = data.error ?? at?.error
  if (error === undefined) return undefined
  const part = failed.findLast((run) => run !== at && !isMain(run))
  return { error, at, part, input: at === undefined ? [] : inputOf(data, at), item: itemOf(at?.error ?? error) }
}

/** Whether a node run belongs to the main flow; sub-nodes of agents give out under connection types of their own. */
const isMain = ({ whole }: NodeRun): boolean =>
  whole.inputOverride === undefined && Object.keys(objectOf(whole.data)).every((type) => type === "main")

/** The failures of an agent's tools, after which the agent went on: as errors, or as the text that the tool gave in its place. */
export const failedTools = (data: RunData): ReadonlyArray<Failure> =>
  data.runs.flatMap((at) => {
    const output = jsonOf(at.outputs[0]?.[0])
    const text = textIn(output.error) ?? textIn(output.response)
    const said = text?.startsWith("There was an error") === true ? { message: text } : undefined
    const error = isMain(at) ? undefined : (at.error ?? said)
    return error === undefined ? [] : [{ error, at, part: undefined, input: inputOf(data, at), item: 0 }]
  })

const itemOf = (error: JsonObject): number | undefined => {
  const itemIndex = objectOf(error.context).itemIndex ?? error.itemIndex
  if (Predicate.isNumber(itemIndex)) return itemIndex
  const [, said] = /\b(?:for )?item (\d+)\]/.exec(textIn(error.message) ?? "") ?? []
  return said === undefined ? undefined : Number(said)
}

/** Characters of a text that are searched. */
const longest = 4000

/** The error in its own words: without stacks, paths of the engine's server and secrets. */
export const wordsOf = (error: JsonObject, room: number): JsonObject => {
  const message = messageOf(error)
  const description = textIn(error.description)
  const upstream = listOf(error.messages).map(textIn)[0]
  const code = error.httpCode ?? objectOf(error.cause).status ?? objectOf(error.context).httpCode
  const maskedText = (text: string | undefined, most: number) =>
    text === undefined || text === message
      ? undefined
      : clipped(maskText(withoutHtml(withoutPaths(text.slice(0, longest)))), most)
  return {
    message: clipped(maskText(withoutPaths(message.slice(0, longest))), room),
    ...defined("description", maskedText(description, room / 2)),
    ...defined(
      "answer",
      description === undefined || upstream === undefined ? maskedText(upstream, room / 2) : undefined
    ),
    ...defined("httpCode", code === null ? undefined : code)
  }
}

/** The place in the node at which the error arose, as far as it says: the line of code, the parameter, the request. */
export const placeOf = (node: JsonObject | undefined, error: JsonObject): JsonObject => {
  const parameters = objectOf(node?.parameters)
  const { nodeCause, parameter, request } = objectOf(error.context)
  const line = Number(error.lineNumber ?? /\[line (\d+)/.exec(messageOf(error))?.[1])
  const code = textIn(parameters.jsCode) ?? textIn(parameters.functionCode)
  const text = code?.split("\n")[line - 1]?.trim()
  const { method, uri, url } = objectOf(request)
  const address = textIn(uri) ?? textIn(url)
  const maskedText = (text: string) => clipped(maskText(text.slice(0, longest)), 160)
  return {
    ...defined("code", text === undefined || text === "" ? undefined : maskedText(`${line}: ${text}`)),
    ...defined("request", address === undefined ? undefined : maskedText(`${textIn(method) ?? "GET"} ${address}`)),
    ...defined("parameter", short(parameter)),
    ...defined("refersTo", short(nodeCause)),
    ...defined("expression", shownExpression(parameters, textIn(nodeCause), maskedText)),
    ...defined("calls", short(objectOf(parameters.workflowId).value) ?? short(parameters.workflowId))
  }
}

const short = (value: unknown): string | undefined => {
  const text = textIn(value)
  return text === undefined ? undefined : clipped(text, 200)
}

/** The expression that names a node. */
const shownExpression = (parameters: JsonObject, node: string | undefined, maskedText: (text: string) => string) => {
  const expression = node === undefined ? undefined : textsIn(parameters).find((text) => text.includes(node))
  return expression === undefined ? undefined : maskedText(expression)
}

export const defined = (name: string, value: unknown): JsonObject => (value === undefined ? {} : { [name]: value })

/** The message of an error; engines leave the text out where there is none. */
export const messageOf = (error: JsonObject): string =>
  textIn(error.message) ?? textIn(error.description) ?? textIn(error.name) ?? "an error without a message"

/** Removes the HTML that some errors contain. */
const withoutHtml = (text: string): string =>
  /<\/(?:p|li|ol|ul|code|a|b|strong)>/.test(text)
    ? text
        .replace(/<[^<>]{1,200}>/g, " ")
        .replace(/\s+/g, " ")
        .trim()
    : text

/** Removes paths of the engine's server, and stack traces. */
const withoutPaths = (text: string): string =>
  text
    .replace(/\n[^\S\n]*at .*/g, "")
    .replace(/(?:file:\/\/)?\/[\w.@+/-]+(?::\d+){0,2}/g, withoutFolders)
    .trim()

/** The file of a script that lies in some folders; other texts with slashes as they are. */
const withoutFolders = (text: string): string => {
  const begin = text.lastIndexOf("//") + 1
  const [, ...folders] = text.slice(begin).split("/")
  const file = folders.pop()
  if (file === undefined || folders.length < 2 || folders.includes("")) return text
  const before = text.startsWith("file:///") ? "" : text.slice(0, begin)
  return /\.[cm]?[jt]s(?![\w/])/.test(file) ? before + (file.split(":", 1)[0] ?? file) : text
}

/** A key that is equal for errors that differ only in numbers, ids and quoted texts. */
export const kindOfMessage = (message: string): string =>
  withoutPaths(message.slice(0, longest))
    .slice(0, 300)
    .replace(/\b[\da-f]{8}-[\da-f-]{27}\b/gi, "#")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\w{12,}/g, (word) => (/\d/.test(word) ? "#" : word))
    .replace(/\d+/g, "#")
    .toLowerCase()

/** The sub-workflow's run in which the failure arose. */
export const childOf = ({ at, error, part }: Failure): JsonObject | undefined => {
  const { executionId, workflowId } = [
    objectOf(error.errorResponse),
    error,
    objectOf(at?.error?.errorResponse),
    objectOf(at?.error),
    objectOf(objectOf(at?.whole.metadata).subExecution),
    objectOf(part?.error?.errorResponse),
    objectOf(part?.error),
    objectOf(objectOf(part?.whole.metadata).subExecution)
  ].find((place) => textIn(place.executionId) !== undefined) ?? { executionId: undefined, workflowId: undefined }
  return executionId === undefined
    ? undefined
    : { execution: Number(executionId), ...defined("workflowId", workflowId) }
}

/** The failed run that this one was started for, with its node and error, if it is the run of an error workflow. */
export const startedBy = (data: RunData): JsonObject => {
  const [first] = data.runs
  const { execution, workflow } = jsonOf(first?.outputs[0]?.[0])
  const { error, lastNodeExecuted } = objectOf(execution)
  const isOfError = textIn(nodeNamed(data, first?.node)?.type)?.endsWith(".errorTrigger") === true
  return isOfError
    ? {
        startedByFailureOf: {
          ...defined("execution", objectOf(execution).id),
          ...defined("workflow", objectOf(workflow).name),
          ...defined("node", lastNodeExecuted),
          ...(isJsonObject(error) ? wordsOf(error, 200) : {})
        }
      }
    : {}
}
