import { Effect, Option, Predicate } from "effect"

import { objectOf } from "../../../internal/json/lenient.ts"
import { type JsonObject, isJsonObject } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { nameOf } from "../../client/models.ts"
import { textOf } from "../json.ts"
import type { Finding } from "./Finding.ts"

const maxPages = 4

/** References to credentials that the instance does not have, as far as it lists them to this key. */
export const checkCredentialIds = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>
) {
  const wanted = nodes.flatMap((node) =>
    Object.entries(objectOf(node.credentials)).flatMap(([type, reference]) =>
      isJsonObject(reference) && Predicate.isString(reference.id)
        ? [{ node: nameOf(node), type, id: reference.id, name: textOf(reference.name) }]
        : []
    )
  )
  if (wanted.length === 0) return []
  const known = yield* listed(engine)
  if (known === undefined) return []
  return wanted.flatMap(({ id, name, node, type }): ReadonlyArray<Finding> => {
    const at = { level: "error", node, field: `credentials.${type}` } as const
    const found = known.get(id)
    if (found === undefined) {
      const same = [...known].find(([, one]) => one.type === type)
      const fix = same === undefined ? "Create it with create_credential" : `There is ${same[1].name} (${same[0]})`
      return [{ ...at, problem: `there is no credential ${name === "" ? id : `${name} (${id})`} here`, fix }]
    }
    return found.type === type
      ? []
      : [
          {
            ...at,
            problem: `credential ${found.name} (${id}) is of type ${found.type}`,
            fix: `It must be of type ${type}`
          }
        ]
  })
})

/** Every credential by its id; nothing where the engine does not tell all. */
const listed = Effect.fnUntraced(function* (engine: EngineClient["Service"]) {
  const known = new Map<string, { readonly name: string; readonly type: string }>()
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = yield* Effect.catchTag(
      engine.listCredentialsIfSupported(cursor === undefined ? { limit: 250 } : { cursor }),
      "PermissionDenied",
      () => Effect.succeedNone
    )
    if (Option.isNone(page)) return undefined
    for (const { id, name, type } of page.value.data) known.set(textOf(id), { name: textOf(name), type: textOf(type) })
    const next = page.value.nextCursor
    if (!Predicate.isString(next) || next === "" || next === cursor) return known
    cursor = next
  }
  return undefined
})
