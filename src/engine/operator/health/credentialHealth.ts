import { Effect, Option, Predicate } from "effect"

import { grouped } from "../../../internal/collections.ts"
import { isoOf, minuteOf } from "../../../internal/time.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { firstPagesIfSupported } from "../../client/listAll.ts"
import { CredentialId } from "../../workflow/models.ts"
import { unsupportedReason } from "../routeSupport.ts"
import { outcomeOf, testRoute } from "../running/testCredential.ts"
import { lackOf, refusalOf } from "./failureCause.ts"
import type { Finding } from "./Finding.ts"
import { about } from "./missedRuns.ts"
import type { Credential, CredentialFacts, Observation } from "./Observation.ts"
import type { Engine, WorkflowFacts } from "./workflowFacts.ts"

const mostPages = 8

/** Credentials that are tested at most, and the time that each test may take. */
const mostTested = 20
const testTime = "10 seconds"

/** Reads the credentials of an instance, and has those in use tested; undefined where the engine does not list them. */
export const credentialsOf = Effect.fnUntraced(function* (
  engine: Engine,
  workflows: ReadonlyArray<WorkflowFacts>,
  isTesting: boolean
) {
  const listed = yield* firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: mostPages }, (page) =>
    page.map(({ id, name, type, updatedAt }) => ({
      id: String(id),
      name: String(name),
      type: String(type),
      updatedAt: Predicate.isString(updatedAt) ? Date.parse(updatedAt) : undefined
    }))
  )
  if (Option.isNone(listed)) return undefined
  const listedById = new Map(listed.value.matches.map((one) => [one.id, one]))
  const used = workflows.filter(({ active }) => active).flatMap(({ credentials }) => credentials.map(({ id }) => id))
  const live = [...new Set(used)].flatMap((id) => listedById.get(id) ?? [])
  const tests = isTesting ? yield* tested(engine, live) : { failing: [], untested: 0, lack: undefined }
  return { listed: listedById, ...tests } satisfies CredentialFacts
})

const tested = Effect.fnUntraced(function* (engine: Engine, live: ReadonlyArray<Credential>) {
  const reason = yield* Effect.option(Effect.provideService(unsupportedReason(testRoute), EngineClient, engine))
  // Credentials are listed and judged even where it cannot be told whether they can be tested.
  if (Option.isNone(reason) || reason.value !== undefined) {
    return { failing: [], untested: live.length, lack: Option.getOrUndefined(reason) }
  }
  const outcomes = yield* Effect.forEach(
    live.slice(0, mostTested),
    (credential) =>
      Effect.matchEffect(
        Effect.timeoutOption(engine.testCredentialIfSupported(CredentialId.make(credential.id)), testTime),
        {
          onFailure: () => Effect.succeed([]),
          onSuccess: (outcome) =>
            Effect.succeed(
              Option.toArray(Option.flatten(outcome)).map((result) => ({ ...credential, ...outcomeOf(result) }))
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

/** Credentials that the engine has tried and that were refused. */
export const failingCredentials = ({ credentials }: Observation): ReadonlyArray<Finding> =>
  (credentials?.failing ?? []).map((row) => ({
    kind: "credentialsFailing",
    subject: row.id,
    name: row.name,
    cause: refusalOf(row),
    text: "is refused by its service",
    row: { ...row }
  }))

/** Credentials that nodes name and the instance does not have. */
export const missingCredentials = ({ credentials, workflows }: Observation): ReadonlyArray<Finding> =>
  workflows.flatMap((workflow) =>
    workflow.credentials
      .filter(({ id }) => credentials !== undefined && !credentials.listed.has(id))
      .map(({ id, name, node, type }) => {
        const credential = name === "" ? id : name
        const { active } = workflow
        return {
          kind: "credentialsGone",
          ...about(workflow),
          subject: `${workflow.id} ${node} ${id}`,
          cause: lackOf({ id, name: credential }),
          text: `names the credential ${credential} in the node ${node}, and it is gone`,
          row: { workflow: workflow.name, id: workflow.id, active, node, credential, type },
          ...(active ? {} : { isUsual: true })
        }
      })
  )

/** Milliseconds for which a changed credential may go without a run that uses it. */
const unusedMs = 2 * 86_400_000

/** Credentials that no workflow uses, and those that were changed and of whose workflows none has run since. */
export const unusedCredentials = (observation: Observation): ReadonlyArray<Finding> => {
  const { credentials, isWhole, now, runs, workflows } = observation
  if (!isWhole || credentials === undefined) return []
  const users = grouped(
    workflows.flatMap((workflow) => workflow.credentials.map(({ id }) => ({ id, workflow }))),
    ({ id }) => id
  )
  return [...credentials.listed.values()].flatMap(({ id, name, type, updatedAt }): ReadonlyArray<Finding> => {
    const used = users.get(id)
    const row = { id, name, type }
    if (used === undefined) {
      return [
        {
          kind: "credentialsUnused",
          subject: id,
          name: `Credential ${name}`,
          text: "is used by no workflow",
          row,
          isUsual: true
        }
      ]
    }
    const active = used.filter(({ workflow }) => workflow.active)
    if (updatedAt === undefined || now - updatedAt < unusedMs || active.length === 0) return []
    const isKnown = active.every(({ workflow }) => (runs.get(workflow.id)?.since ?? Infinity) <= updatedAt)
    const isUsed = active.some(({ workflow }) =>
      runs.get(workflow.id)?.runs.some(({ startedAt }) => startedAt >= updatedAt)
    )
    if (!isKnown || isUsed) return []
    const changed = isoOf(updatedAt)
    return [
      {
        kind: "credentialsUnusedSinceChange",
        subject: id,
        name: `Credential ${name}`,
        text: `was changed at ${minuteOf(updatedAt)}, and no workflow that uses it has run since`,
        row: { ...row, changed }
      }
    ]
  })
}
