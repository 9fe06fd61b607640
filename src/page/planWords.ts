import { type JsonObject, objectOf } from "../internal/schema/JsonObject.ts"
import { textOf } from "./json.ts"

const kinds: Readonly<Record<string, string>> = {
  bulk: "Bulk change",
  call: "Call",
  fix: "Fix",
  promotion: "Promotion",
  restore: "Restore",
  retry: "Retry",
  rollback: "Rollback",
  table: "Data table",
  upgrade: "Upgrade"
}

/** The name of a kind of plan. */
export const kindWords = (kind: unknown): string => kinds[textOf(kind)] ?? (textOf(kind) || "Plan")

/** Verbs of steps that are none. */
const verbs: Readonly<Record<string, string>> = { tags: "tag" }

/** The verb of a step, the thing that it is about as people call it, and the place of that. */
export const stepWords = ({ after, before, step }: JsonObject) => {
  const [verb, place] = apart(textOf(step))
  const named = textOf(objectOf(after).name) || textOf(objectOf(before).name)
  return { verb: verbs[verb] ?? verb, place, name: named || place.replace(/^[^/]*\//, "") }
}

/** A verb, and behind it a path or a single word. */
const apart = (text: string): readonly [verb: string, place: string] => {
  const slash = text.indexOf("/")
  let at = slash < 0 ? text.length : slash
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1
  return at === 0 ? ["", ""] : [text.slice(0, at).trimEnd(), text.slice(at)]
}

/** A plan in a line, by its first step and how many there are. */
export const planWords = (kind: unknown, first: JsonObject | undefined, count: number): string => {
  if (first === undefined) return kindWords(kind)
  const { name, verb } = stepWords(first)
  return `${kindWords(kind)}: ${verb} ${name}${count > 1 ? ` and ${count - 1} more` : ""}`
}
