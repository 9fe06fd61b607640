import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { Growth, wouldGrow } from "../../../internal/texts.ts"
import type { Workflow } from "../../workflow/models.ts"
import type { Content } from "../Change.ts"
import { contentOf } from "../content.ts"
import { resolveCredentials, type Wanted } from "../credentials.ts"
import { holdsText, replacingIn } from "../replacing.ts"
import type { Action, BulkRequest } from "./BulkRequest.ts"

/**
 * The content of a workflow after an action, or the problem that prevents it; nothing where the action does not touch the
 * content.
 */
type Changed =
  | {
      readonly content: Content
      readonly warnings?: ReadonlyArray<string>
      /** Texts that hold what is looked for, and stay as they are. */
      readonly stays?: ReadonlyArray<string>
    }
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
      return replaceText(action)
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
      return nodes.some((node) => holdsText(node, action.find))
    default:
      return false
  }
}

const isNamed = ({ id, name }: JsonObject, find: string) => id === find || name === find

const replaceText = ({ find, match, scope, value }: Extract<Action, { readonly _tag: "replace_text" }>) => {
  const replaced = replacingIn({ texts: new Map([[find, value]]), match, scope })
  return (workflow: Workflow): Changed => {
    const content = contentOf(workflow)
    const growth = new Growth()
    const stays: Array<string> = []
    const nodes = content.nodes.map((node) => {
      if (!holdsText(node, find)) return node
      const result = replaced(node, growth)
      stays.push(...result.stays)
      return result.node
    })
    return growth.isExceeded ? { problem: wouldGrow } : { content: { ...content, nodes }, stays }
  }
}

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
