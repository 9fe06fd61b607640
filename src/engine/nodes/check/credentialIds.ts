import { Effect, Option, Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import { firstPagesIfSupported } from "../../client/listAll.ts"
import { nameOf } from "../../workflow/models.ts"
import { textOf } from "../json.ts"
import type { Finding } from "./Finding.ts"

const maxPages = 4

/** References to credentials that the instance does not list to this key. */
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

/** Credentials by id; undefined if the engine does not list all. */
const listed = (engine: EngineClient["Service"]) =>
  firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: maxPages }, (page) =>
    page.map(({ id, name, type }) => [textOf(id), { name: textOf(name), type: textOf(type) }] as const)
  ).pipe(
    Effect.catchTag("PermissionDenied", () => Effect.succeedNone),
    Effect.map((read) => (Option.isSome(read) && read.value.isWhole ? new Map(read.value.found) : undefined))
  )
