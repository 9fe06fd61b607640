import { Option, Schema } from "effect"

import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { Workflow } from "../client/models.ts"
import { makeSeenVersions } from "../client/versions.ts"
import { tagIds } from "./record.ts"

const decode = Schema.decodeUnknownOption(Workflow)

/** What sets two records of a workflow apart, in a line. */
export const describe = (before: JsonObject, after: JsonObject): string => {
  const those = decode(before)
  const these = decode(after)
  if (Option.isNone(those) || Option.isNone(these)) return "changed"
  const { changesSince, remember } = makeSeenVersions()
  const tags = tagIds(before).join() === tagIds(after).join() ? [] : ["tags"]
  const all = [...changesSince(remember(those.value), these.value), ...tags]
  return all.length === 0 ? "changed" : all.join(", ")
}
