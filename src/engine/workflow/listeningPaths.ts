import { Predicate } from "effect"

import { type JsonObject, isJsonObject } from "../../internal/schema/JsonObject.ts"
import { isTrigger } from "./triggers.ts"

/** The path that a trigger listens at, as its parameters say; expressions stand as they are. */
export const pathOf = ({ parameters }: JsonObject): string | undefined => {
  if (!isJsonObject(parameters)) return undefined
  const { options, path } = parameters
  const found = path === undefined && isJsonObject(options) ? options.path : path
  return Predicate.isString(found) ? found : undefined
}

/** Whether triggers listen at a path, given as their parameters hold it, as its address, or as the whole URL. */
export const pathTest = (wanted: string): ((node: JsonObject) => boolean) => {
  const asked = segmentsOf(wanted)
  return (node) => {
    if (!isTrigger(node)) return false
    const own = segmentsOf(pathOf(node) ?? "")
    const { webhookId } = node
    const behindId = Predicate.isString(webhookId) && asked[0] === webhookId ? asked.slice(1) : undefined
    return (
      (own.length > 0 && fits(own, asked)) || (behindId !== undefined && (behindId.length === 0 || fits(own, behindId)))
    )
  }
}

const fits = (own: ReadonlyArray<string>, asked: ReadonlyArray<string>) =>
  own.length === asked.length &&
  own.every((segment, place) => segment === asked[place] || (segment.startsWith(":") && asked[place] !== ""))

/** What is said of an address before its path: the host, and where it listens. */
const before = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?\/*(?:(?:webhook|form|mcp)(?:-test|-waiting)?\/)?/i
/** What is asked there begins with one of these. */
const asked = /[?#]/

const segmentsOf = (path: string): ReadonlyArray<string> =>
  path
    .trim()
    .split(asked, 1)
    .join("")
    .replace(before, "")
    .split("/")
    .filter((segment) => segment !== "")
