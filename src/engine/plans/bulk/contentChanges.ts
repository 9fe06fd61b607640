import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { mapShownTexts } from "../../../internal/secrets/maskSecrets.ts"
import { Growth, replaceTexts, wouldGrow } from "../../../internal/texts.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Content } from "../Change.ts"
import { contentOf } from "../content.ts"
import { resolveCredentials, type Wanted } from "../credentials.ts"
import type { Action, BulkRequest } from "./BulkRequest.ts"

/**
 * The content of a workflow after an action, or the problem that prevents it; nothing where the action does not touch the
 * content.
 */
type Changed =
  | { readonly content: Content; readonly warnings?: ReadonlyArray<string> }
  | { readonly problem: string }
  | undefined

/** The actions that change what is in workflows. */
export type ContentAction = Extract<
  Action,
  { readonly _tag: "replace_credential" | "replace_text" | "set_error_workflow" }
>

/** The change that an action makes to the content of one workflow. */
export const contentChange = (request: BulkRequest, action: ContentAction): ((workflow: Workflow) => Changed) => {
  switch (action._tag) {
    case "replace_credential":
      return replaceCredential(request, action.find, action.value)
    case "replace_text":
      return (workflow) => {
        const content = contentOf(workflow)
        const growth = new Growth()
        const nodes = content.nodes.map((node) =>
          holdsText(node.parameters, action.find)
            ? { ...node, parameters: replaceIn(node.parameters, action, growth) }
            : node
        )
        return growth.isExceeded ? { problem: wouldGrow } : { content: { ...content, nodes } }
      }
    default:
      return setErrorWorkflow(request, action.value)
  }
}

/** Whether an action needs all of a workflow to work out what it becomes; of others an outline is enough. */
export const needsWhole = (action: Action, { nodes }: Workflow): boolean => {
  switch (action._tag) {
    case "delete":
    case "set_error_workflow":
      return true
    case "replace_credential":
      return nodes.some(({ credentials }) =>
        Object.values(objectOf(credentials)).some((one) => isNamed(objectOf(one), action.find))
      )
    case "replace_text":
      return nodes.some(({ parameters }) => holdsText(parameters, action.find))
    default:
      return false
  }
}

const isNamed = ({ id, name }: JsonObject, find: string) => id === find || name === find

/** Whether a text stands anywhere in a value: most hold nothing of it, and to look for secrets takes far longer. */
const holdsText = (value: unknown, text: string, depth = 0): boolean => {
  if (typeof value === "string") return value.includes(text)
  if (typeof value !== "object" || value === null || depth > maxDepth) return false
  return Object.values(value).some((inner) => holdsText(inner, text, depth + 1))
}

/** Nothing deeper is changed either. */
const maxDepth = 60

const setErrorWorkflow = ({ all, instance }: BulkRequest, value: string) => {
  const meant = value === "none" ? undefined : all.filter(({ id, name }) => id === value || name === value)
  const [one, ...more] = meant ?? []
  const problem =
    meant === undefined || (one !== undefined && more.length === 0)
      ? undefined
      : `${value} is ${one === undefined ? "no workflow" : "the name of several workflows"} on ${instance}`
  return (workflow: Workflow): Changed => {
    if (problem !== undefined) return { problem }
    const content = contentOf(workflow)
    const { errorWorkflow: _errorWorkflow, ...settings } = { errorWorkflow: undefined, ...content.settings }
    return { content: { ...content, settings: one === undefined ? settings : { ...settings, errorWorkflow: one.id } } }
  }
}

const replaceCredential = ({ credentials, instance }: BulkRequest, find: string, value: string) => {
  const problemOf =
    (type: string): Wanted["problem"] =>
    (match) =>
      match._tag === "None"
        ? `${instance} has no credential ${value} of type ${type}${match.why}`
        : `${instance} has several credentials ${value} of type ${type}: give the id`
  return (workflow: Workflow): Changed => {
    const content = contentOf(workflow)
    const resolved = content.nodes.map((node) =>
      resolveCredentials(node, { instance, credentials }, (type, given) =>
        isNamed(given, find) ? { id: value, name: value, problem: problemOf(type) } : undefined
      )
    )
    const [problem] = resolved.flatMap(({ problems }) => problems)
    if (problem !== undefined) return { problem }
    const nodes = resolved.map(({ node }) => node)
    return { content: { ...content, nodes }, warnings: resolved.flatMap(({ warnings }) => warnings) }
  }
}

interface Replacement {
  readonly find: string
  readonly value: string
  readonly field?: string | undefined
}

/** Texts with others in place of a part of them; only below a field, where one is named. Secrets stay, and are not looked into. */
const replaceIn = (json: unknown, { field, find, value }: Replacement, growth: Growth): unknown => {
  const replaced = replaceTexts(new Map([[find, value]]), growth)
  return mapShownTexts(json, (text, names) => (field === undefined || names.includes(field) ? replaced(text) : text))
}
