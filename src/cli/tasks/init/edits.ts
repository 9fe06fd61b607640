import { Predicate, Result } from "effect"
import { applyEdits, type Edit, modify, parse } from "jsonc-parser"

import { withoutEnd } from "../../../internal/texts.ts"
import { parseJson } from "../../configuration/json.ts"
import { type ClientName, clients, type Start } from "./clients.ts"

/** The existing content as an object; the failure says why the file cannot be edited. */
const read = (file: string, text: string): Result.Result<Readonly<Record<string, unknown>>, string> => {
  if (text.trim() === "") return Result.succeed({})
  return Result.flatMap(
    Result.mapError(parseJson(text), (problem) => `${file}: ${problem}. Fix it first`),
    (value) =>
      Predicate.isObject(value)
        ? Result.succeed(Object.fromEntries(Object.entries(value)))
        : Result.fail(`${file}: expected one JSON object. Fix it first`)
  )
}

/** An instance in the configuration file. */
interface NewInstance {
  readonly name: string
  readonly host: string
  readonly key: string
  readonly readOnly: boolean
}

/** The configuration with the instance: a new one, or an existing one with a new key. */
export const withInstance = (
  file: string,
  text: string,
  { host, key, name, readOnly }: NewInstance,
  aliases: ReadonlyMap<string, string>
): Result.Result<string, string> =>
  Result.flatMap(read(file, text), (json) => {
    const before = at(json, "environments", name)
    /** The name under which the field exists, which may be one of the vendor's. */
    const presentName = (field: string) =>
      [...aliases].find(([alias, meant]) => meant === field && at(before, alias) !== undefined)?.[0] ?? field
    const hostField = presentName("engine_host")
    const present = at(before, hostField)
    if (Predicate.isString(present) && bare(present) !== bare(host)) {
      return Result.fail(
        `${file} has an instance ${name} at another address already: choose another name with --instance`
      )
    }
    const path = ["environments", name]
    // The only instance is the default one as long as it is alone.
    const [alone = name] = Object.keys(Object(at(json, "environments")))
    const isSettled = at(json, "defaultEnv") !== undefined || at(json, "environments", name) !== undefined
    return Result.succeed(
      changed(text, [
        ...(before === undefined
          ? [{ path, value: { engine_host: host, engine_api_key: key } }]
          : [
              { path: [...path, hostField], value: host },
              { path: [...path, presentName("engine_api_key")], value: key }
            ]),
        ...(readOnly ? [{ path: [...path, "readOnly"], value: true }] : []),
        ...(isSettled ? [] : [{ path: ["defaultEnv"], value: alone }])
      ])
    )
  })

const bare = (host: string) => withoutEnd(host, "/").toLowerCase()

/** A client's configuration with the server in it. Another server of the same name is kept, and is a failure. */
export const withServer = (
  file: string,
  text: string,
  client: ClientName,
  name: string,
  { args, command }: Start
): Result.Result<string, string> =>
  Result.flatMap(read(file, text), (json) => {
    const { field, saysType } = clients[client]
    const before = at(json, field, name)
    if (before !== undefined && !isOurs(before, args)) {
      return Result.fail(`${file} has another server named ${name} already: choose another name with --server-name`)
    }
    const path = [field, name]
    const entry = { ...(saysType ? { type: "stdio" } : {}), command, args }
    return Result.succeed(
      changed(
        text,
        before === undefined
          ? [{ path, value: entry }]
          : Object.entries(entry).map(([key, value]) => ({ path: [...path, key], value }))
      )
    )
  })

/** Whether an entry starts this server, from the same place or any other. */
const isOurs = (entry: unknown, args: ReadonlyArray<string>): boolean => {
  const given = at(entry, "args")
  const words = Array.isArray(given) ? given.map(String) : []
  return words.some((word) => word.includes("workflow-tool-server") || word === args[0])
}

/** One value to set at a path of a JSON text. */
interface Change {
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

/** The value at a path. */
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) => (Predicate.isObject(inner) && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined),
    value
  )

/**
 * A text of one JSON object with these changes. Everything outside of replaced values stays: comments, order, indentation,
 * trailing commas.
 */
export const changed = (text: string, changes: ReadonlyArray<Change>): string =>
  changes.reduce(
    (before, change) => applyEdits(before, [...edits(before, change)]),
    text.replace(/^\uFEFF/, "").trim() === "" ? "{}\n" : text
  )

const edits = (text: string, { path, value }: Change): ReadonlyArray<Edit> => {
  const [edit] = modify(text, [...path], value, {})
  if (edit === undefined) return []
  const { eol, indent } = formatOf(text)
  const json: unknown = parse(text, [], { allowTrailingComma: true })
  if (at(json, ...path) !== undefined) return [{ ...edit, content: pretty(value, indent, eol, path.length) }]
  const depth = path.findIndex((_, index) => at(json, ...path.slice(0, index + 1)) === undefined)
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const field = `${eol}${indent.repeat(depth + 1)}${JSON.stringify(path[depth])}: ${pretty(nested, indent, eol, depth + 1)}`
  return inserted(text, edit, field, `${eol}${indent.repeat(depth)}`)
}

/** A new field is added after the last one, and after a comment on that one's line; in an empty object, on its own line. */
const inserted = (text: string, { content, offset }: Edit, field: string, lastLine: string): ReadonlyArray<Edit> => {
  const behind = text.slice(offset)
  if (!content.startsWith(",")) {
    const closing = /^[ \t]*\r?\n/.test(behind) ? "" : lastLine
    return [{ offset, length: 0, content: field + closing }]
  }
  const remark = /^([ \t]*,)?[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/[ \t]*)(?=\r?\n)/.exec(behind)
  if (remark === null) return [{ offset, length: 0, content: `,${field}` }]
  const [line, comma] = remark
  const end = offset + line.length
  return comma === undefined
    ? [
        { offset, length: 0, content: "," },
        { offset: end, length: 0, content: field }
      ]
    : [{ offset: end, length: 0, content: `${field},` }]
}

const pretty = (value: unknown, indent: string, eol: string, depth: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll("\n", eol + indent.repeat(depth))

/** The layout of a text, by its first indented line. */
const formatOf = (text: string) => {
  const line = text.split("\n").find((one) => /^[ \t]+\S/.test(one)) ?? "  -"
  const [indent = ""] = /^[ \t]+/.exec(line) ?? []
  return { indent, eol: text.includes("\r\n") ? "\r\n" : "\n" }
}

/** Pages of the engine's editor, whose address people copy. */
const editorPage = /\/(?:home|workflow|workflows|settings|signin|setup|projects|executions|credentials)(?:\/.*|$)/s

/** The base address in what people paste: without the editor's page or the API's path, and with a scheme. */
export const tidyHost = (written: string): string => {
  const trimmed = written.trim()
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|$)/i.test(trimmed)
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${isLocal ? "http" : "https"}://${trimmed}`
  const [address = ""] = whole.split(/[?#]/, 1)
  const base = withoutEnd(address, "/")
    .replace(/\/api\/v1(?:\/.*|$)/is, "")
    .replace(editorPage, "")
  return withoutEnd(base, "/")
}
