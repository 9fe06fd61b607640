import { Result } from "effect"

import { own } from "../store/values.ts"
import { badRequest, type Refusal } from "./Refusal.ts"
import type { Words } from "./Words.ts"

/**
 * What a query parameter may hold. `encoded` is any text whose reserved characters are encoded, `limit` a page size, a
 * list the values of which one is allowed.
 */
export type Parameter = "any" | "boolean" | "encoded" | "limit" | ReadonlyArray<string>

export type Parameters = Readonly<Record<string, Parameter>>

/** The parameters that were given, decoded; every one holds what it may. */
export type Query = ReadonlyMap<string, string>

/** Checks the query part of an address, without its `?`, in the way of 1.x engines: nothing unknown, nothing empty. */
export const firstQuery = (words: Words, known: Parameters, source: string): Result.Result<Query, Refusal> =>
  check(source, ([name, values], raw) => {
    const parameter = own(known, name)
    const [value = ""] = values
    const path = `request/query/${name}`
    if (parameter === undefined) return `Unknown query parameter '${name}'`
    if (value === "") return `Empty value found for query parameter '${name}'`
    if (parameter !== "any" && reserved.test(raw)) {
      return `Parameter '${name}' must be url encoded. Its value may not contain reserved characters.`
    }
    if (values.length > 1) return words.type(path, "string", values)
    if (parameter === "boolean") return /^(true|false)$/.test(value) ? undefined : `${path} must be boolean`
    if (parameter === "limit") {
      if (!Number.isFinite(Number(value))) return `${path} must be number`
      return Number(value) > 250 ? `${path} must be <= 250` : undefined
    }
    return parameter === "any" || parameter === "encoded" || parameter.includes(value)
      ? undefined
      : words.choice(path, parameter, value)
  })

/** The same in the way of 2.x engines, which pass over what they do not know and what is empty. */
export const secondQuery = (words: Words, known: Parameters, source: string): Result.Result<Query, Refusal> =>
  check(source, ([name, values]) => {
    const parameter = own(known, name)
    const [value = ""] = values
    const path = `request/query/${name}`
    if (parameter === undefined) return undefined
    if (values.length > 1) return words.type(path, "string", values)
    if (parameter === "any" || parameter === "encoded") return undefined
    if (parameter !== "limit") {
      const allowed = parameter === "boolean" ? ["true", "false"] : parameter
      return allowed.includes(value) ? undefined : words.choice(path, allowed, value)
    }
    if (value === "") return undefined
    if (!/^[+-]?\d+(\.\d+)?$/.test(value)) return `${path} Param \`limit\` must be a valid integer`
    return value.startsWith("-") ? `${path} Param \`limit\` must be a non-negative integer` : undefined
  })

/** Characters that 1.x engines want encoded. They look no further than to the next `=`, so that a cursor may end in some. */
const reserved = /[:/?#[\]@!$&'()*+,;]/

const check = (
  source: string,
  problemOf: (given: readonly [name: string, values: ReadonlyArray<string>], raw: string) => string | undefined
): Result.Result<Query, Refusal> => {
  const given = new URLSearchParams(source)
  const query = new Map<string, string>()
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name)
    const raw = source.split("&").find((part) => part.startsWith(`${name}=`))
    const problem = problemOf([name, values], raw?.split("=")[1] ?? "")
    if (problem !== undefined) return Result.fail(badRequest(problem))
    const [value = ""] = values
    if (value !== "") query.set(name, value)
  }
  return Result.succeed(query)
}
