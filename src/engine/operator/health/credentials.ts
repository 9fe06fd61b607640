import { Effect, Option } from "effect"

import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { CredentialId } from "../../client/models.ts"
import { lackOf } from "../offered.ts"
import { outcomeOf, testRoute } from "../running/testCredential.ts"
import type { Census, Engine } from "./census.ts"

const mostPages = 8

/** Credentials that are tested, and how long that may take. */
const mostTested = 20
const testTime = "10 seconds"

/** What is wrong with the credentials of an instance; nothing where it does not list them. */
export const credentialsOf = Effect.fnUntraced(function* (engine: Engine, workflows: ReadonlyArray<Census>) {
  const listed = yield* all(engine)
  if (listed === undefined) return undefined
  const known = new Map(
    listed.map(({ id, name, type }) => [String(id), { id: String(id), name: String(name), type: String(type) }])
  )
  const uses = workflows.flatMap((workflow) => workflow.credentials.map((used) => ({ ...used, workflow })))
  const used = new Set(uses.map(({ id }) => id))
  const gone = uses
    .filter(({ id }) => !known.has(id))
    .map(({ id, name, node, type, workflow }) => ({
      workflow: workflow.name,
      id: workflow.id,
      active: workflow.active,
      node,
      credential: name === "" ? id : name,
      type
    }))
  const unused = [...known.values()].filter(({ id }) => !used.has(id))
  const live = [...new Set(uses.filter(({ workflow }) => workflow.active).map(({ id }) => id))].flatMap((id) => {
    const credential = known.get(id)
    return credential === undefined ? [] : [credential]
  })
  return { gone, unused, ...(yield* tested(engine, live)) }
})

/** All credentials that the key can list. */
const all = Effect.fnUntraced(function* (
  engine: Engine
): Effect.fn.Return<ReadonlyArray<JsonObject> | undefined, EngineError> {
  const found: Array<JsonObject> = []
  let cursor: string | undefined
  for (let pages = 0; pages < mostPages; pages++) {
    const page = yield* engine.listCredentialsIfSupported(cursor === undefined ? { limit: 250 } : { cursor })
    if (Option.isNone(page)) return undefined
    found.push(...page.value.data)
    const next = page.value.nextCursor ?? ""
    if (next === "" || next === cursor) return found
    cursor = next
  }
  return found
})

interface Named {
  readonly id: string
  readonly name: string
  readonly type: string
}

const tested = Effect.fnUntraced(function* (engine: Engine, live: ReadonlyArray<Named>) {
  const lack = yield* Effect.provideService(lackOf(testRoute), EngineClient, engine)
  if (lack !== undefined) return { failing: [], untested: live.length, lack }
  const outcomes = yield* Effect.forEach(
    live.slice(0, mostTested),
    (credential) =>
      Effect.matchEffect(
        Effect.timeoutOption(engine.testCredentialIfSupported(CredentialId.make(credential.id)), testTime),
        {
          onFailure: () => Effect.succeed([]),
          onSuccess: (found) =>
            Effect.succeed(
              Option.toArray(Option.flatten(found)).map((result) => ({ ...credential, ...outcomeOf(result) }))
            )
        }
      ),
    { concurrency: 5 }
  )
  const answered = outcomes.flat()
  return {
    failing: answered
      .filter(({ works }) => works === false)
      .map(({ id, message, name, type }) => ({ id, name, type, message })),
    untested: live.length - answered.filter(({ works }) => works !== null).length,
    lack: undefined
  }
})
