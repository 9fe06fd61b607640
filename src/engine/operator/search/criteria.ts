import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { masked, maskSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { pathTest } from "../../workflow/addresses.ts"
import { nameOf, type WorkflowId } from "../../workflow/models.ts"
import { toEngineType } from "../../workflow/naming.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { summaryOf } from "../../workflow/summary.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { type Leaf, leavesOf } from "../../workflow/valuePaths.ts"

/** What a workflow is to be like; all of it must hold, and what is said of nodes, of one node together. */
export interface Criteria {
  readonly text?: string
  readonly nodeType?: string
  readonly credential?: string
  readonly path?: string
  readonly calls?: string
  readonly calledBy?: WorkflowId
  readonly errorWorkflow?: string
  readonly tags?: ReadonlyArray<string>
  readonly active?: boolean
  readonly archived?: boolean
  readonly changedSince?: string
}

/** Why a workflow was found. Without a node it is the workflow itself. */
export interface Match {
  readonly node?: string
  readonly field: string
  readonly snippet: string
  /** Whether field and snippet say no more than what was asked for. */
  readonly isAsked: boolean
}

/** Criteria as they are asked of many workflows. */
interface Search extends Criteria {
  /** The ids of the workflows that `calledBy` runs. */
  readonly called?: ReadonlySet<string> | undefined
}

/** Why a workflow fits; nothing where it does not. */
export type Matcher = (workflow: JsonObject) => ReadonlyArray<Match> | undefined

/** Looks for what fits criteria in one workflow after the other; what was asked for may be long, and is read once. */
export const matcherOf = (search: Search): Matcher => {
  const tests = nodeTests(search)
  const words = search.text === undefined ? undefined : folded(search.text)
  const isInState = stateTest(search)
  return (workflow) => (isInState(workflow) ? matchesIn(workflow, search, tests, words) : undefined)
}

const matchesIn = (
  workflow: JsonObject,
  search: Search,
  tests: ReadonlyArray<NodeTest>,
  words: string | undefined
): ReadonlyArray<Match> | undefined => {
  const own = words === undefined ? [] : textMatches(headOf(workflow), words)
  if (tests.length === 0 && words === undefined) return errorMatch(search)
  const found = nodesOf(workflow).flatMap((node) => {
    const matches = tests.map((test) => test(node))
    if (matches.some((match) => match === undefined)) return []
    const inText = words === undefined ? [] : textMatches(textsOf(node), words)
    if (words !== undefined && inText.length === 0 && own.length === 0) return []
    const named = clipped(nameOf(node), 80)
    return [...matches.filter(Predicate.isNotUndefined), ...inText].map((match) => ({ node: named, ...match }))
  })
  const isFound = tests.length === 0 ? own.length + found.length > 0 : found.length > 0
  return isFound ? [...errorMatch(search), ...own, ...found] : undefined
}

const errorMatch = ({ errorWorkflow }: Search): ReadonlyArray<Match> =>
  errorWorkflow === undefined ? [] : [{ field: "settings.errorWorkflow", snippet: errorWorkflow, isAsked: true }]

const stateTest = (search: Search): ((workflow: JsonObject) => boolean) => {
  const { active, archived, called, changedSince, errorWorkflow, tags = [] } = search
  const wanted = tags.map(folded)
  return (workflow) => {
    const { id, isArchived, updatedAt } = workflow
    const names = listOf(workflow.tags).map((tag: unknown) =>
      isJsonObject(tag) ? folded(Predicate.isString(tag.name) ? tag.name : "") : ""
    )
    return (
      (active === undefined || workflow.active === active) &&
      (archived === undefined || (isArchived === true) === archived) &&
      (changedSince === undefined ||
        (Predicate.isString(updatedAt) && Date.parse(updatedAt) >= Date.parse(changedSince))) &&
      (called === undefined || (Predicate.isString(id) && called.has(id))) &&
      (errorWorkflow === undefined || errorWorkflowOf(workflow) === errorWorkflow) &&
      wanted.every((tag) => names.includes(tag))
    )
  }
}

type NodeTest = (node: JsonObject) => Match | undefined

const nodeTests = ({ calls, credential, nodeType, path }: Search): ReadonlyArray<NodeTest> => [
  ...(nodeType === undefined ? [] : [hasType(nodeType)]),
  ...(credential === undefined ? [] : [hasCredential(credential)]),
  ...(path === undefined ? [] : [listensAt(path)]),
  ...(calls === undefined ? [] : [runs(calls)])
]

/** A type with its package, or only what stands behind it. */
const hasType = (wanted: string): NodeTest => {
  const [whole, kind] = [folded(toEngineType(wanted)), folded(wanted)]
  return (node) => {
    const type = Predicate.isString(node.type) ? toEngineType(node.type) : ""
    const isMeant = folded(type) === whole || (!kind.includes(".") && folded(kindOf(node)) === kind)
    return isMeant
      ? { field: "type", snippet: clipped(summaryOf(node) || kindOf(node), snippetRoom), isAsked: true }
      : undefined
  }
}

const hasCredential = (wanted: string): NodeTest => {
  const words = folded(wanted)
  return (node) => {
    const entries = isJsonObject(node.credentials) ? Object.entries(node.credentials) : []
    for (const [type, credential] of entries) {
      const { id, name } = isJsonObject(credential) ? credential : { id: undefined, name: credential }
      const named = Predicate.isString(name) ? name : ""
      if (id === wanted || [type, named].some((word) => folded(word) === words)) {
        return {
          field: `credentials.${type}`,
          snippet: clipped(named || (Predicate.isString(id) ? id : type), snippetRoom),
          isAsked: true
        }
      }
    }
    return undefined
  }
}

const listensAt = (wanted: string): NodeTest => {
  const isMeant = pathTest(wanted)
  return (node) => {
    const { httpMethod, path } = objectOf(node.parameters)
    if (!isMeant(node)) return undefined
    const methods = (Array.isArray(httpMethod) ? httpMethod : [httpMethod ?? "GET"]).filter(Predicate.isString)
    const method = kindOf(node) === "webhook" ? `${methods.join("|")} ` : ""
    return {
      field: "path",
      snippet: clipped(`${method}${Predicate.isString(path) ? path : ""}`, snippetRoom),
      isAsked: true
    }
  }
}

const runs =
  (wanted: string): NodeTest =>
  (node) => {
    const found = subWorkflowOf(node)
    return found?.id === wanted
      ? { field: "workflowId", snippet: clipped(found.name ?? wanted, snippetRoom), isAsked: true }
      : undefined
  }

/** Values that may be searched, each under the name of its field. */
type Searched = ReadonlyArray<readonly [field: string, value: unknown]>

const headOf = ({ description, name }: JsonObject): Searched => Object.entries({ name, description })

/** Parameters stand under their own names. */
const textsOf = ({ name, notes, parameters }: JsonObject): Searched => [
  ["name", name],
  ["notes", notes],
  ["", parameters]
]

const snippetRoom = 90

/** Secrets are not looked into: whoever guessed would be told, letter by letter, how one begins. */
const textMatches = (searched: Searched, words: string): ReadonlyArray<Match> => {
  const holdsWords = ({ text }: Leaf) => text.split(masked).some((part) => folded(part).includes(words))
  return searched.flatMap(([field, value]) => {
    // Most values hold nothing of it, and to mask them takes longer than to look.
    if (!leavesOf(value, field, field).some(holdsWords)) return []
    return leavesOf(maskSecrets(value, field), field, field)
      .filter(holdsWords)
      .map(({ path, text }) => ({ field: clipped(path, 80), snippet: snippetOf(text, words), isAsked: false }))
  })
}

/** What stands around the words in a text. */
const snippetOf = (text: string, words: string): string => {
  const line = inOneLine(text)
  const at = Math.max(line.toLowerCase().indexOf(words), 0)
  const from = Math.max(at - Math.floor(Math.max(snippetRoom - words.length, 0) / 2), 0)
  const start = line.length - from < snippetRoom ? Math.max(line.length - snippetRoom, 0) : from
  return `${start > 0 ? "…" : ""}${line.slice(start, start + snippetRoom)}${start + snippetRoom < line.length ? "…" : ""}`
}

const inOneLine = (text: string) => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const folded = (text: string) => inOneLine(text).toLowerCase()
