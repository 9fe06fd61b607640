import { Predicate } from "effect"

import { clipped } from "../../../internal/foreignText.ts"
import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { masked, maskSecrets } from "../../../internal/secrets/maskSecrets.ts"
import { pathTest } from "../../workflow/addresses.ts"
import { nameOf } from "../../workflow/models.ts"
import { toEngineType } from "../../workflow/naming.ts"
import { nodesOf } from "../../workflow/nodes.ts"
import { variablesOf } from "../../workflow/references.ts"
import { tableOf } from "../../workflow/resources.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { summaryOf } from "../../workflow/summary.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { type Leaf, leavesOf } from "../../workflow/valuePaths.ts"

/** The criteria of a search. All of them must hold; those about nodes, of a single node together. */
export interface Criteria {
  readonly text?: string
  readonly nodeType?: string
  readonly credential?: string
  readonly path?: string
  readonly uses?: string
  readonly calls?: string
  readonly calledBy?: string
  readonly errorWorkflow?: string
  readonly tags?: ReadonlyArray<string>
  readonly active?: boolean
  readonly archived?: boolean
  readonly changedSince?: string
}

/** A place in a workflow that meets the criteria: a node, or without one the workflow itself. */
export interface Match {
  readonly node?: string
  readonly field: string
  readonly snippet: string
  /** Whether field and snippet only repeat a criterion. */
  readonly isAsked: boolean
}

/** Ids and names of data tables and variables. */
export interface Resources {
  readonly names: ReadonlySet<string>
  /** Whether an engine has listed a table of these: the names that nodes remember beside other ids do not count then. */
  readonly isListed: boolean
}

/** Criteria, with the workflows looked up that are given by id or name. */
export interface Search extends Omit<Criteria, "calledBy" | "calls" | "errorWorkflow" | "uses"> {
  /** The data tables and variables that are meant. */
  readonly uses?: Resources | undefined
  /** The ids of the workflows that are meant. */
  readonly calls?: ReadonlySet<string> | undefined
  readonly errorWorkflow?: ReadonlySet<string> | undefined
  /** The ids of the workflows that `calledBy` runs. */
  readonly called?: ReadonlySet<string> | undefined
}

/** Finds the matches in a workflow; undefined where it does not meet the criteria. */
export type Matcher = (workflow: JsonObject) => ReadonlyArray<Match> | undefined

/** A matcher for many workflows; criteria may be long, and are read once. */
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
  const headMatches = words === undefined ? [] : textMatches(headOf(workflow), words)
  if (tests.length === 0 && words === undefined) return errorMatch(search)
  const nodeMatches = nodesOf(workflow).flatMap((node) => {
    const matches = tests.map((test) => test(node))
    if (matches.some((match) => match === undefined)) return []
    const inText = words === undefined ? [] : textMatches(textsOf(node), words)
    if (words !== undefined && inText.length === 0 && headMatches.length === 0) return []
    const named = clipped(nameOf(node), 80)
    return [...matches.filter(Predicate.isNotUndefined), ...inText].map((match) => ({ node: named, ...match }))
  })
  const isFound = tests.length === 0 ? headMatches.length + nodeMatches.length > 0 : nodeMatches.length > 0
  return isFound ? [...errorMatch(search), ...headMatches, ...nodeMatches] : undefined
}

const errorMatch = ({ errorWorkflow }: Search): ReadonlyArray<Match> =>
  errorWorkflow === undefined
    ? []
    : [{ field: "settings.errorWorkflow", snippet: [...errorWorkflow].join(", "), isAsked: true }]

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
      (errorWorkflow === undefined || errorWorkflow.has(errorWorkflowOf(workflow) ?? "")) &&
      wanted.every((tag) => names.includes(tag))
    )
  }
}

type NodeTest = (node: JsonObject) => Match | undefined

const nodeTests = ({ calls, credential, nodeType, path, uses }: Search): ReadonlyArray<NodeTest> => [
  ...(nodeType === undefined ? [] : [hasType(nodeType)]),
  ...(credential === undefined ? [] : [hasCredential(credential)]),
  ...(path === undefined ? [] : [listensAt(path)]),
  ...(calls === undefined ? [] : [runs(calls)]),
  ...(uses === undefined ? [] : [usesResource(uses)])
]

/** A test for a type of nodes, given with its package or without. */
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

/** A test for a data table or a variable, by its id or its name. */
const usesResource =
  ({ isListed, names: wanted }: Resources): NodeTest =>
  (node) => {
    const { name, value } = tableOf(node) ?? {}
    const isTable = [value, isListed ? undefined : name].some((one) => one !== undefined && wanted.has(one))
    if (isTable) return { field: "dataTableId", snippet: clipped(name ?? value ?? "", snippetRoom), isAsked: true }
    const variable = variablesOf(node).find((one) => one !== undefined && wanted.has(one))
    return variable === undefined
      ? undefined
      : { field: "$vars", snippet: clipped(variable, snippetRoom), isAsked: true }
  }

const runs =
  (wanted: ReadonlySet<string>): NodeTest =>
  (node) => {
    const { id = "", name = id } = subWorkflowOf(node) ?? {}
    return wanted.has(id) ? { field: "workflowId", snippet: clipped(name, snippetRoom), isAsked: true } : undefined
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

/** Matches in texts, except in secrets: their content could be guessed letter by letter. */
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

/** A part of a text around the words. */
const snippetOf = (text: string, words: string): string => {
  const line = inOneLine(text)
  const at = Math.max(line.toLowerCase().indexOf(words), 0)
  const from = Math.max(at - Math.floor(Math.max(snippetRoom - words.length, 0) / 2), 0)
  const start = line.length - from < snippetRoom ? Math.max(line.length - snippetRoom, 0) : from
  return `${start > 0 ? "…" : ""}${line.slice(start, start + snippetRoom)}${start + snippetRoom < line.length ? "…" : ""}`
}

const inOneLine = (text: string) => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const folded = (text: string) => inOneLine(text).toLowerCase()
