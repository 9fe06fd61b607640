import { type JsonSchema, Option, Predicate, Result } from "effect"
import { parse } from "effect/encoding/Yaml"

import { isJsonObject, type JsonObject, listOf, objectOf, textOf } from "../../internal/schema/JsonObject.ts"
import type { Sliced } from "../../internal/Sliced.ts"
import type { ApiCall, ApiDescription, Parameter } from "./ApiCall.ts"
import { sendable } from "./shapes.ts"
import { toolFor } from "./toolFor.ts"

/** Most characters of a description that is read at all; the largest known one has 760,000. */
export const mostCharacters = 3_000_000

/** Paths of a description that is used; the largest known one has 110. Each is compared with what is looked for. */
const mostPaths = 2000

/** Characters of one path or component, the largest known one of which has 30,000: each is parsed at once, while others wait. */
const mostOfPart = 100_000

const mostDepth = 30
/** Values of one call with all that its references name: references inside each other can grow without end. */
const mostValues = 5000

/** Characters that weigh as much as work on a node of a workflow: parsing YAML is slow. */
const charactersOfWeight = 100

const methods = ["get", "post", "put", "patch", "delete"]

/**
 * Reads an OpenAPI 3 document in YAML, one path and one component after the other, so that nobody waits for the whole, and a part
 * that cannot be read costs only itself. `None` where it is no such document.
 */
export function* readDescription(text: string): Sliced<Option.Option<ApiDescription>> {
  const sections = sectionsOf(text)
  const paths = sections.get("paths")
  if (text.length > mostCharacters || paths === undefined || !/^openapi: *["']?3\./m.test(text.slice(0, 2000)))
    return Option.none()
  const pathBlocks = blocksOf(paths)
  if (pathBlocks.length > mostPaths) return Option.none()
  const unreadable: Array<string> = []
  const components = new Map<string, unknown>()
  for (const [kind, lines] of blocksOf(sections.get("components") ?? [])) {
    for (const [name, part] of blocksOf(lines)) {
      yield part.join("\n").length / charactersOfWeight
      const value = parsed(part)
      if (Option.isSome(value)) components.set(`${kind}/${name}`, value.value)
    }
  }
  const calls: Array<ApiCall> = []
  for (const [path, part] of pathBlocks) {
    yield part.join("\n").length / charactersOfWeight
    const value = parsed(part)
    if (Option.isNone(value) || !/^\/[\w/{}.-]+$/.test(path)) {
      unreadable.push(path)
      continue
    }
    const operations = objectOf(value.value)
    for (const method of methods.filter((name) => isJsonObject(operations[name]))) {
      const call = callOf(path, method, objectOf(operations[method]), listOf(operations["parameters"]), components)
      if (Result.isFailure(call)) unreadable.push(`${method.toUpperCase()} ${path}: ${call.failure}`)
      else calls.push(call.success)
    }
  }
  return Option.some({ calls, unreadable })
}

/** YAML, without `- - a` on one line, which the parser does not take and which means the same on two. */
const parsed = (lines: ReadonlyArray<string>): Option.Option<unknown> => {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/))
  const indent = indents.reduce((least, one) => Math.min(least, one), Infinity)
  const text = lines.map((line) => line.slice(indent)).join("\n")
  if (text.length > mostOfPart) return Option.none()
  return parseYaml(text.replace(/^( *)- (?=- )/gm, "$1-\n$1  "))
}

const parseYaml = Option.liftThrowable(parse)

/** The lines below each key at the beginning of a line. */
const sectionsOf = (text: string) => new Map(blocksOf(text.split(/\r?\n/)))

/** The lines below each of the keys that are indented least, by key. */
const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const first = lines.find((line) => /^ *[^\s#]/.test(line))
  const indent = first === undefined ? 0 : first.search(/\S/)
  const blocks: Array<[string, Array<string>]> = []
  for (const line of lines) {
    const depth = line.search(/\S/)
    const colon = depth === indent ? line.search(/:(?:\s|$)/) : -1
    const [, key] = /^["']?([^\s"'#][^"']*)["']?$/.exec(line.slice(0, Math.max(colon, 0)).trimStart()) ?? []
    const value = line.slice(colon + 1).trimStart()
    if (key === undefined) blocks.at(-1)?.[1].push(line)
    else blocks.push([key, value === "" || value.startsWith("#") ? [] : [value]])
  }
  return blocks
}

const callOf = (
  path: string,
  method: string,
  operation: JsonObject,
  shared: ReadonlyArray<unknown>,
  components: ReadonlyMap<string, unknown>
): Result.Result<ApiCall, string> =>
  Result.map(resolvedWithBody(path, method, operation, shared, components), ([values, body]) => {
    const parameters = listOf(values).map(parameterOf)
    const named = new Set(parameters.flatMap((one) => (one?.place === "path" ? [one.name] : [])))
    const missing = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).filter((name) => !named.has(name))
    return {
      call: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      summary: textOf(operation["summary"]),
      description: textOf(operation["description"]),
      tag: textOf(listOf(operation["tags"])[0]),
      ...(/^[\w:,]{1,100}$/.test(textOf(operation["x-required-scope"]))
        ? { scope: textOf(operation["x-required-scope"]) }
        : {}),
      parameters: [
        ...parameters.filter((one) => one !== undefined),
        ...missing.map((name): Parameter => ({
          name,
          place: "path",
          isRequired: true,
          description: "",
          schema: { type: "string" }
        }))
      ],
      ...bodyOf(objectOf(body))
    }
  })

/** The parameters and the body of a call; no body where another tool makes the call. */
const resolvedWithBody = (
  path: string,
  method: string,
  operation: JsonObject,
  shared: ReadonlyArray<unknown>,
  components: ReadonlyMap<string, unknown>
) => {
  const isMadeHere = toolFor(`${method.toUpperCase()} ${path}`) === undefined
  return Result.all([
    resolved([...shared, ...listOf(operation["parameters"])], components),
    isMadeHere ? resolved(operation["requestBody"], components) : Result.succeed(undefined)
  ])
}

const bodyOf = ({ content, required }: JsonObject): Pick<ApiCall, "body" | "takesFile"> => {
  if (content === undefined) return {}
  const { schema } = objectOf(objectOf(content)["application/json"])
  if (!isJsonObject(schema)) return { takesFile: true }
  return { body: { isRequired: required === true, schema: sendable(schema) } }
}

const parameterOf = (value: unknown): Parameter | undefined => {
  const { description, in: place, name, required, schema } = objectOf(value)
  if (!Predicate.isString(name) || (place !== "path" && place !== "query")) return undefined
  const shape: JsonSchema.JsonSchema = objectOf(schema)
  return {
    name,
    place,
    isRequired: place === "path" || required === true,
    description: textOf(description),
    schema: shape
  }
}

/** Whether a name would stand for something that nobody has given, such as `constructor`. */
const isInherited = (name: unknown): boolean => Predicate.isString(name) && name in Object.prototype

/** A value with what its references name in their place, or the reason why that cannot be. */
const resolved = (value: unknown, components: ReadonlyMap<string, unknown>): Result.Result<unknown, string> => {
  let values = 0
  let problem: string | undefined
  const walk = (one: unknown, depth: number): unknown => {
    if (problem !== undefined) return undefined
    if (++values > mostValues || depth > mostDepth) {
      problem = "it is too large, or its references lead into each other"
      return undefined
    }
    if (Array.isArray(one)) return one.map((item) => walk(item, depth + 1))
    if (!isJsonObject(one)) return one
    if ([...Object.keys(one), one["name"]].some(isInherited)) {
      problem = "a name in it is one that every object has"
      return undefined
    }
    const reference = one["$ref"]
    if (!Predicate.isString(reference)) {
      return Object.fromEntries(Object.entries(one).map(([key, part]) => [key, walk(part, depth + 1)]))
    }
    const key = /^#\/components\/(\w+\/[\w.-]+)$/.exec(reference)?.[1]
    if (key === undefined || !components.has(key)) {
      problem = "a reference leads to nothing in the document"
      return undefined
    }
    return walk(components.get(key), depth + 1)
  }
  const whole = walk(value, 0)
  return problem === undefined ? Result.succeed(whole) : Result.fail(problem)
}
