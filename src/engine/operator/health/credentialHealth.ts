import { Effect, Option } from "effect"

import { EngineClient } from "../../client/EngineClient.ts"
import { firstPagesIfSupported } from "../../client/listAll.ts"
import { CredentialId } from "../../workflow/models.ts"
import { unsupportedReason } from "../routeSupport.ts"
import { outcomeOf, testRoute } from "../running/testCredential.ts"
import type { WorkflowFacts, Engine } from "./workflowFacts.ts"

const mostPages = 8

/** Credentials that are tested, and how long that may take. */
const mostTested = 20
const testTime = "10 seconds"

/** What is wrong with the credentials of an instance; nothing where it does not list them. */
export const credentialsOf = Effect.fnUntraced(function* (engine: Engine, workflows: ReadonlyArray<WorkflowFacts>) {
  const listed = yield* firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: mostPages }, (page) =>
    page.map(({ id, name, type }) => ({ id: String(id), name: String(name), type: String(type) }))
  )
  if (Option.isNone(listed)) return undefined
  const known = new Map(listed.value.matches.map((one) => [one.id, one]))
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

interface Named {
  readonly id: string
  readonly name: string
  readonly type: string
}

const tested = Effect.fnUntraced(function* (engine: Engine, live: ReadonlyArray<Named>) {
  const lack = yield* Effect.provideService(unsupportedReason(testRoute), EngineClient, engine)
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
