import { Match, Struct } from "effect"

import { invertCall } from "./call/CallChange.ts"
import { type Change, type Content, contentBefore, idOf, type Parts, type Source } from "./Change.ts"
import { invertTable } from "./tables/TableChange.ts"

/** The parts of a content that `others` has, too. */
const partsOf = (content: Content, others: Parts): Parts => ({
  ...(others.name === undefined ? {} : { name: content.name }),
  ...(others.nodes === undefined ? {} : { nodes: content.nodes }),
  ...(others.connections === undefined ? {} : { connections: content.connections }),
  ...(others.settings === undefined ? {} : { settings: content.settings }),
  ...(others.nodeGroups === undefined ? {} : { nodeGroups: content.nodeGroups ?? [] }),
  ...(others.pinData === undefined ? {} : { pinData: content.pinData ?? {} }),
  ...(others.description === undefined ? {} : { description: content.description ?? "" })
})

/** The source of the change that undoes one. */
const sourceBack = ({ source }: { readonly source?: Source | undefined }): { readonly source?: Source } => {
  if (source === undefined) return {}
  const { brought, broughtBefore, ...place } = source
  return {
    source: {
      ...place,
      ...(broughtBefore === undefined ? {} : { brought: broughtBefore }),
      ...(brought === undefined ? {} : { broughtBefore: brought })
    }
  }
}

/** The changes that undo one. A created workflow is recognised by its content; a deleted one comes back with a new id. */
export const invert: (change: Change) => ReadonlyArray<Change> = Match.type<Change>().pipe(
  Match.withReturnType<ReadonlyArray<Change>>(),
  Match.discriminatorsExhaustive("kind")({
    create: (change) => [
      {
        ...Struct.omit(change, ["formerly", "namesakes", "others"]),
        ...sourceBack(change),
        kind: "delete",
        workflow: { created_by: idOf(change) },
        name: change.content.name
      }
    ],
    update: (change) => [
      {
        ...change,
        ...sourceBack(change),
        before: partsOf(change.after, change.before),
        after: contentBefore(change),
        references: change.found ?? [],
        // oxlint-disable-next-line id-denylist -- a field of journals on disk
        found: change.references
      }
    ],
    tags: (change) => [{ ...change, ...sourceBack(change), before: change.after, after: change.before }],
    active: (change) => [{ ...change, before: change.after, after: change.before }],
    archived: (change) => [{ ...change, before: change.after, after: change.before }],
    delete: (change) => [
      {
        ...Struct.omit(change, ["name", "tags", "workflow"]),
        ...sourceBack(change),
        kind: "create",
        ...(typeof change.workflow === "string"
          ? { key: `${change.key} again, was ${change.workflow}`, formerly: change.workflow }
          : { key: change.key })
      }
    ],
    "create-tag": (change) => [{ ...change, kind: "delete-tag", tag: { created_by: idOf(change) } }],
    "delete-tag": ({ instance, name }) => [{ kind: "create-tag", instance, name }],
    "delete-execution": () => [],
    retry: () => [],
    "run-anew": () => [],
    call: invertCall,
    table: invertTable
  })
)
