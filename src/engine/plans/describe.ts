import { Match } from "effect"

import type { Described, DescribedAction, Describing } from "../../changes/Driver.ts"
import type { ActionEntry, CreatedId } from "../../changes/Journal.ts"
import { isSameJson } from "../../internal/json/digest.ts"
import { type JsonObject, objectOf, objectsOf, textOf } from "../../internal/schema/JsonObject.ts"
import { changeLines, differences } from "../workflow/difference.ts"
import { kindOf } from "../workflow/triggers.ts"
import { replaceTextsAt } from "../workflow/valuePaths.ts"
import { describeCall } from "./call/CallChange.ts"
import { type Change, type ChangeOf, contentBefore, type Content, idOf } from "./Change.ts"
import { agreementAdvice } from "./guards.ts"
import { describeTable, undoesTable } from "./tables/TableChange.ts"
import { tagText, withErrorNamed } from "./withNames.ts"

/** Lines of one workflow's differences. */
const mostLines = 12

/** The parts and the credentials of a workflow, in few words. */
const outline = ({ name, nodes }: Content, source?: string) => {
  const credentials = [...new Set(nodes.flatMap((node) => credentialsOf(node, source)))]
  return {
    name,
    nodes: nodes.map((node) => kindOf(node)).join(", "),
    ...(credentials.length === 0 ? {} : { credentials: credentials.join(", ") })
  }
}

/**
 * The credentials of a node, by their names, with the instance on which they were found; or by ids where nobody knows more,
 * which nobody has found then.
 */
export const credentialsOf = ({ credentials }: JsonObject, foundOn?: string): ReadonlyArray<string> =>
  objectsOf(Object.values(objectOf(credentials))).map(({ id, name }) => {
    if (typeof name !== "string") return `id ${String(id)}`
    return foundOn === undefined || name === id ? name : `${name} (found on ${foundOn})`
  })

/** The content after an update, where the names of workflows that the plan makes stand for their ids. */
const withNew = ({ after, references }: ChangeOf<"update">): Content =>
  replaceTextsAt(
    after,
    references.map(({ parts, path }) => [
      path,
      parts
        .map((part) => (typeof part === "string" ? part : `new ${part.created_by.replace(/^create [^/]*\//, "")}`))
        .join("")
    ])
  )

/** A change before and after, as plans show it. */
const describe: (change: Change) => Described = Match.type<Change>().pipe(
  Match.withReturnType<Described>(),
  Match.discriminatorsExhaustive("kind")({
    create: ({ content, instance, source }) => ({
      before: null,
      after: outline(content, source === undefined ? undefined : instance)
    }),
    update: (change) => ({
      before: { name: contentBefore(change).name },
      after: {
        name: change.after.name,
        changes: changeLines(
          differences(withErrorNamed(contentBefore(change), change), withErrorNamed(withNew(change), change)),
          mostLines
        )
      }
    }),
    tags: ({ after, before, name, names }) => ({
      before: { name, tags: before.map((tag) => tagText(tag, names)) },
      after: { name, tags: after.map((tag) => tagText(tag, names)) }
    }),
    active: ({ after, before, name }) => ({ before: { name, active: before }, after: { name, active: after } }),
    archived: ({ after, before, name }) => ({ before: { name, archived: before }, after: { name, archived: after } }),
    delete: ({ content }) => ({ before: outline(content), after: null }),
    "create-tag": ({ name }) => ({ before: null, after: name }),
    "delete-tag": ({ name }) => ({ before: name, after: null }),
    "delete-execution": ({ execution, name, workflow }) => ({
      before: { execution, workflow, ...(name === undefined ? {} : { name }) },
      after: null
    }),
    retry: ({ execution, latest = false, name }) => ({
      before: { execution, workflow: name },
      after: {
        runs: latest ? "from the node that failed, with the workflow as it is now" : "from the node that failed"
      }
    }),
    "run-anew": ({ execution, name }) => ({
      before: { execution, workflow: name },
      after: { runs: "anew, by the same call" }
    }),
    call: describeCall,
    table: describeTable
  })
)

/** The id of what a change is about; nothing where a step creates it. */
const subjectOf = (change: Change): CreatedId | undefined => {
  switch (change.kind) {
    case "create":
    case "create-tag":
      return undefined
    case "call":
      return typeof change.thing === "string" ? change.thing : undefined
    case "table":
      return change.action !== "create" && typeof change.table === "string" ? change.table : undefined
    case "delete-tag":
      return typeof change.tag === "string" ? change.tag : undefined
    case "delete-execution":
    case "retry":
    case "run-anew":
      return change.execution
    default:
      return typeof change.workflow === "string" ? change.workflow : undefined
  }
}

const describeAction = ({
  created,
  credential,
  instance,
  operation,
  outcome,
  workflow
}: ActionEntry): DescribedAction => ({
  subject: credential === undefined ? textOf(workflow) : `${textOf(instance)}/${textOf(credential)}`,
  row: {
    what: operation,
    ...(credential === undefined ? {} : { instance, credential }),
    ...(created === undefined ? {} : { created }),
    outcome
  }
})

/** The kind of a change, as far as one of it is enough to show, and the name of its workflow. */
const likeness = (change: Change): { readonly key: string; readonly name: string } => {
  switch (change.kind) {
    case "update": {
      const fields = differences(contentBefore(change), change.after).map(({ after, before, field, kind }) =>
        JSON.stringify([kind, field, before, after])
      )
      return { key: `update ${[...new Set(fields)].toSorted().join()}`, name: change.after.name }
    }
    case "tags": {
      const outside = (tags: typeof change.after, others: typeof change.after) =>
        tags.filter((tag) => !others.some((other) => isSameJson(other, tag)))
      const { after, before, name } = change
      return { key: JSON.stringify(["tags", outside(before, after), outside(after, before)]), name }
    }
    case "active":
    case "archived":
    case "delete":
      return { key: `${change.kind} ${change.kind === "delete" ? "" : change.after}`, name: change.name }
    case "delete-execution":
    case "retry":
    case "run-anew":
      return { key: `${change.kind} ${change.instance}/${change.workflow}`, name: String(change.execution) }
    default:
      return { key: idOf(change), name: "" }
  }
}

/** The texts about changes of workflows. */
export const describing: Describing<Change> = {
  agreementAdvice,
  kindOf: ({ kind }) => kind,
  subjectOf,
  describe,
  likeness,
  describeAction,
  upstream: "the engine"
}

/** The deed of a rollback about a change. */
export const undoes: (change: Change) => string = Match.type<Change>().pipe(
  Match.discriminatorsExhaustive("kind")({
    create: () => "deletes what the plan created",
    update: () => "puts back what was there before",
    tags: () => "puts back the tags that were there before",
    active: ({ after }) => (after ? "deactivates what the plan activated" : "activates what the plan deactivated"),
    archived: ({ after }) => (after ? "brings back what the plan archived" : "archives what the plan brought back"),
    delete: () => "makes anew what the plan deleted",
    "create-tag": () => "deletes the tag that the plan created",
    "delete-tag": () => "makes anew the tag that the plan deleted",
    "delete-execution": () => "cannot bring back a deleted execution",
    retry: () => "cannot take back a run",
    "run-anew": () => "cannot take back a run",
    call: ({ back, call }) => (back === undefined ? `cannot undo ${call}` : `undoes ${call} by ${back.call}`),
    table: undoesTable
  })
)
