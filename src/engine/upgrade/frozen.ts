import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { nameOf } from "../workflow/nodes.ts"
import { compareVersions, rules } from "./rules.ts"

/** Reads nothing: rules of frozen types look at types alone. */
const noFacts = {
  code: () => ({ references: [], unread: [] }),
  outlines: new Map<string, never>(),
  seconds: new Map<string, never>()
}

/** The names of the nodes that an engine of a version lets nobody create, copy or change; none where the version is not known. */
export const frozenIn = (nodes: ReadonlyArray<JsonObject>, version: string | undefined): ReadonlySet<string> =>
  new Set(
    rules
      .filter(({ frozen }) => version !== undefined && frozen !== undefined && compareVersions(version, frozen) >= 0)
      .flatMap(({ find }) => nodes.filter((node) => find({ nodes: [node] }, noFacts).length > 0))
      .map(nameOf)
  )
