import { Predicate, Result } from "effect"

import { withoutEnd } from "../../../internal/texts.ts"
import { parseJson } from "../../configuration/json.ts"
import { type ClientName, clients, type Start } from "./clients.ts"
import { at, changed } from "./jsonEdit.ts"

/** The existing content as an object; the failure says why the file cannot be edited. */
const read = (file: string, text: string): Result.Result<Readonly<Record<string, unknown>>, string> => {
  if (text.trim() === "") return Result.succeed({})
  return Result.flatMap(
    Result.mapError(
      parseJson(text.replace(/^\uFEFF/, "")),
      ({ column, line, problem }) => `${file}: line ${line}, column ${column}: ${problem}. Fix it first`
    ),
    (value) =>
      Predicate.isObject(value)
        ? Result.succeed(Object.fromEntries(Object.entries(value)))
        : Result.fail(`${file}: expected one JSON object. Fix it first`)
  )
}

/** An instance in the configuration file. */
export interface NewInstance {
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
    const own = (field: string) =>
      [...aliases].find(([alias, meant]) => meant === field && at(before, alias) !== undefined)?.[0] ?? field
    const hostField = own("engine_host")
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
              { path: [...path, own("engine_api_key")], value: key }
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
