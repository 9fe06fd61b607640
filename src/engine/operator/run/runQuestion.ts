import { listed, oneLine, quotedName } from "../../../internal/foreignText.ts"
import { type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import { shortValue } from "../../workflow/differenceOfValues.ts"
import { nameOf } from "../../workflow/models.ts"
import type { SideEffect } from "./sideEffects.ts"

/** Nodes that a question names one by one, credentials of one, and characters of what a node is set to and of the items. */
const mostNamed = 20
const mostCredentials = 5
const longest = 400

/** A run as its question shows it. */
export interface Run {
  readonly nodes: ReadonlyArray<JsonObject>
  readonly outside: ReadonlyArray<SideEffect>
  readonly items: ReadonlyArray<JsonObject>
}

/** The question about a run: what acts outside, how it is set, and the items that it begins with; secrets are masked. */
export const runQuestion = (first: string, { items, nodes, outside }: Run): string => {
  const settings = new Map(nodes.map((node) => [nameOf(node), objectOf(node.parameters)]))
  const rows = outside.slice(0, mostNamed).flatMap(({ credentials = [], does = "", node, type }) => {
    const used = credentials.length === 0 ? "" : `with ${listed(credentials.map(quotedName), mostCredentials)}`
    const set = settings.get(node) ?? {}
    return [
      [`- ${quotedName(node)} [${oneLine(type)}]`, oneLine(does), used].filter((part) => part !== "").join(" "),
      ...(Object.keys(set).length === 0 ? [] : [`  set to ${shortValue(set, "", longest)}`])
    ]
  })
  const rest = outside.length > mostNamed ? [`- and ${outside.length - mostNamed} more`] : []
  const input = `It begins with ${items.length === 1 ? "1 item" : `${items.length} items`}: ${shortValue(items, "", longest)}`
  return [`${first} These nodes really act outside:`, ...rows, ...rest, input].join("\n")
}
