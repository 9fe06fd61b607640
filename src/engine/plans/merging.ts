import { Result } from "effect"

import { isJsonObject, type JsonObject } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/models.ts"
import { pathText, type Path } from "../workflow/valuePaths.ts"
import { isSameJson } from "../workflow/versions.ts"
import type { Change, ChangeOf, Content, Ref } from "./Change.ts"
import { contentBefore } from "./Change.ts"
import { partsBefore } from "./content.ts"

/** Both changes of a value, where they touch other fields of it (a three-way merge); else the first place that both have changed. */
const mergeJson = (base: unknown, one: unknown, other: unknown, path: Path): Result.Result<unknown, Path> => {
  if (isSameJson(one, base) || isSameJson(one, other)) return Result.succeed(other)
  if (isSameJson(other, base)) return Result.succeed(one)
  if (isJsonObject(base) && isJsonObject(one) && isJsonObject(other)) {
    const names = [...new Set([...Object.keys(other), ...Object.keys(one)])]
    return Result.map(
      Result.all(names.map((name) => mergeJson(base[name], one[name], other[name], [...path, name]))),
      (values) =>
        Object.fromEntries(
          names.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]] as const]))
        )
    )
  }
  const lists = [base, one, other]
  if (lists.every((list) => Array.isArray(list) && Array.isArray(base) && list.length === base.length)) {
    const [was = [], mine = [], theirs = []] = lists.map((list): ReadonlyArray<unknown> =>
      Array.isArray(list) ? list : []
    )
    return Result.all(was.map((item, index) => mergeJson(item, mine[index], theirs[index], [...path, index])))
  }
  return Result.fail(path)
}

/** A content whose nodes stand under their names. */
const byName = ({ nodes, ...rest }: Content): JsonObject => ({
  ...rest,
  nodes: Object.fromEntries(nodes.map((node) => [nameOf(node), node]))
})

/** The content with both changes of a base; else the first place that both have changed. */
const mergeContents = (base: Content, one: Content, other: Content): Result.Result<Content, string> =>
  // Optional parts that the other change is not about are as they were.
  Result.mapBoth(mergeJson(byName(base), byName(one), byName({ ...base, ...other }), []), {
    onFailure: pathText,
    onSuccess: (merged): Content => {
      const { nodes, ...rest } = isJsonObject(merged) ? merged : {}
      const left = new Map(Object.entries(isJsonObject(nodes) ? nodes : {}))
      const { connections, description, name, nodeGroups, pinData, settings } = { ...one, ...rest }
      return {
        name: typeof name === "string" ? name : one.name,
        nodes: [...left.values()].filter(isJsonObject),
        connections: isJsonObject(connections) ? connections : one.connections,
        settings: isJsonObject(settings) ? settings : one.settings,
        ...(Array.isArray(nodeGroups) ? { nodeGroups } : {}),
        ...(isJsonObject(pinData) ? { pinData } : {}),
        ...(typeof description === "string" ? { description } : {})
      }
    }
  })

/** Tags with what a change adds and removes. */
const mergeTags = (
  base: ReadonlyArray<Ref>,
  one: ReadonlyArray<Ref>,
  other: ReadonlyArray<Ref>
): ReadonlyArray<Ref> => {
  const has = (tags: ReadonlyArray<Ref>, tag: Ref) => tags.some((each) => isSameJson(each, tag))
  const removed = base.filter((tag) => !has(one, tag))
  const added = one.filter((tag) => !has(base, tag) && !has(other, tag))
  return [...other.filter((tag) => !has(removed, tag)), ...added]
}

type Mergeable = ChangeOf<"tags" | "update">

const isMergeable = (change: Change): change is Mergeable => change.kind === "update" || change.kind === "tags"

/** Two changes of the same, from the same state of it, as one; else the place that both change. */
export const mergedChange = (one: Change, other: Change): Result.Result<Change, string> => {
  if (!isMergeable(one) || !isMergeable(other)) return Result.fail("")
  if (one.kind === "tags" && other.kind === "tags") {
    return Result.succeed({
      ...one,
      ...namesOf(one, other),
      after: mergeTags(one.before, one.after, other.after)
    })
  }
  if (one.kind !== "update" || other.kind !== "update") return Result.fail("")
  return Result.map(mergeContents(contentBefore(one), one.after, other.after), (after) => ({
    ...one,
    ...namesOf(one, other),
    before: { ...one.before, ...other.before },
    after
  }))
}

const namesOf = (one: Mergeable, other: Mergeable): Pick<Mergeable, "names"> => {
  const names = { ...other.names, ...one.names }
  return Object.keys(names).length === 0 ? {} : { names }
}

/** A change on top of another one that was made since, itself if that does not matter to it; else the place that both change. */
export const changeOnto = (change: Change, other: Change): Result.Result<Change, string> => {
  if (change.kind === "tags" && other.kind === "tags") {
    return Result.succeed({
      ...change,
      ...namesOf(change, other),
      before: other.after,
      after: mergeTags(change.before, change.after, other.after)
    })
  }
  if (other.kind === "delete" || (change.kind === "delete" && other.kind === "update")) return Result.fail("")
  if (change.kind !== "update" || other.kind !== "update") return Result.succeed(change)
  // Their places count nodes, whose order may be another one.
  if (change.references.length + other.references.length + (change.found ?? []).length > 0) return Result.fail("")
  const base = contentBefore(change)
  return Result.map(mergeContents(base, change.after, other.after), (after) => ({
    ...change,
    ...namesOf(change, other),
    before: partsBefore(after, { ...base, ...other.after }),
    after
  }))
}
