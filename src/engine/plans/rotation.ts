import { Effect, Option, Schema } from "effect"

import * as results from "../../changes/tools/results.ts"
import { summary } from "../../changes/tools/summary.ts"
import { redactor } from "../../internal/http/redact.ts"
import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import { creates } from "../../mcp/annotations.ts"
import * as Tool from "../../mcp/Tool.ts"
import { InvalidArgument, ToolError } from "../../mcp/ToolError.ts"
import { secretsIn } from "../client/credentialCalls.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { OutcomeUnknown, ReadOnlyInstance } from "../client/EngineError.ts"
import { Instances } from "../client/Instances.ts"
import { requestedNames } from "../operator/AcrossTool.ts"
import { outcomeOf } from "../operator/running/testCredential.ts"
import { credentialName, credentialSource, object, optional, text } from "../tools/parameters.ts"
import { refuseMasked } from "../tools/refuseMasked.ts"
import { givenValues, withEnteredValues } from "../tools/secretValues.ts"
import { CredentialId, CredentialType } from "../workflow/models.ts"
import { type Credential, credentialsIn } from "../workflow/nodes.ts"
import { draftedBulk } from "./bulk/planBulk.ts"
import { explain, toPlanningFailure } from "./failures.ts"
import { eachWorkflow, knownCredentials, outlineOf } from "./instanceContents.ts"
import { WorkflowPlans } from "./Plans.ts"
import { type Draft, place } from "./Step.ts"

type Client = EngineClient["Service"]

/** A credential on one of the instances that hold it. */
interface Held {
  readonly client: Client
  readonly former: Credential
  /** The credentials of its type, where the instance lists them. */
  readonly listed: ReadonlyArray<Credential> | undefined
  /** The ids of those that workflows use. */
  readonly used: ReadonlySet<string>
}

interface RotationRequest {
  readonly credential: string
  readonly instances?: ReadonlyArray<string> | string | undefined
  readonly name?: string | undefined
  readonly data?: JsonObject | undefined
  readonly source?: string | undefined
}

const refuse = (problem: string) => Effect.fail(new InvalidArgument({ argument: "credential", problem }))

const isType = Schema.is(CredentialType)
const isId = Schema.is(CredentialId)

/** The credential of this id or name on an instance, if it has one; some engines list none but those that workflows use. */
const heldOn = Effect.fnUntraced(function* (client: Client, wanted: string) {
  const { instance } = client
  if (client.isReadOnly) return yield* new ReadOnlyInstance({ instance, operation: "plan_rotation" })
  const workflows = yield* eachWorkflow(client, outlineOf)
  const { all, isComplete } = yield* knownCredentials(client, workflows)
  // What workflows name as the type of a credential need not be one.
  const real = all.filter(({ type }) => isType(type))
  const byId = real.filter(({ id }) => id === wanted)
  const [former, ...more] = byId.length > 0 ? byId : real.filter(({ name }) => name === wanted)
  if (more.length > 0) return yield* refuse(`is the name of several credentials on ${instance}: give the id`)
  if (former === undefined) return []
  const listed = isComplete ? real.filter(({ type }) => type === former.type) : undefined
  const used = new Set([former, ...credentialsIn(workflows)].map(({ id }) => id))
  return [{ client, former, listed, used } satisfies Held]
})

const operation = "create credential"

/** Writes in the journal what becomes of a new credential: a process that is killed beside it leaves its name. */
const recorded = (instance: string, credential: string, outcome: string, created?: string) =>
  WorkflowPlans.use(({ record }) =>
    record({ operation, instance, credential, outcome, ...(created === undefined ? {} : { created }) })
  )

/** The new credential on one instance. */
const made = Effect.fnUntraced(function* ({ client, former }: Held, name: string, data: JsonObject) {
  const { instance } = client
  yield* recorded(instance, name, "begun")
  const { id } = yield* Effect.tapError(
    client.createCredential({ name, type: CredentialType.make(former.type), data }),
    (error) => (explain(error)._tag === "Refused" ? recorded(instance, name, "refused") : Effect.void)
  )
  if (!isId(id)) {
    const problem = "the answer bears no id of a credential"
    return yield* new OutcomeUnknown({ instance, operation, problem })
  }
  return { client, former, id, name }
})

type Made = Effect.Success<ReturnType<typeof made>>

/** Names the credentials that an earlier rotation may have left behind: those of the new name that no workflow uses. */
const leftEarlier = Effect.fnUntraced(function* (held: ReadonlyArray<Held>, name: string) {
  const { mapEntries } = yield* WorkflowPlans
  const actions = (yield* mapEntries((entry) =>
    entry.type === "action" && entry.operation === operation && entry["credential"] === name ? [entry] : []
  )).flat()
  return held.flatMap(({ client: { instance }, listed, used }) => {
    const last = actions.findLast((action) => action["instance"] === instance)
    if (listed === undefined && last?.outcome === "begun") {
      return [
        `${instance}: an earlier rotation was broken off while it made ${name}, and this engine lists no credentials: look for it in the engine UI, and delete it`
      ]
    }
    const made = last?.outcome === "done" && isId(last["created"]) ? [last["created"]] : []
    const ids = listed?.filter((one) => one.name === name).map(({ id }) => id) ?? made
    const left = ids.filter((id) => !used.has(id))
    return left.length === 0
      ? []
      : [
          `${instance}: no workflow uses ${name} (${left.join(", ")}), which an earlier rotation may have left: delete it with delete_credential, unless a plan still needs it`
        ]
  })
})

/** Whether the engine has tried a new credential, and it works; fails where it does not. */
const tested = Effect.fnUntraced(function* ({ client, id }: Made, values: JsonObject) {
  const outcome = Option.map(yield* client.testCredentialIfSupported(id, values), outcomeOf)
  const works = Option.isSome(outcome) ? outcome.value.works : null
  if (works !== false) return works === true
  const message = Option.match(outcome, { onNone: () => "", onSome: (one) => one.message })
  const { text } = redactor(secretsIn(values))
  return yield* new ToolError({
    blame: "caller",
    code: "CREDENTIAL_REFUSED",
    message: `The new values do not work on instance ${client.instance}: ${text(message)}. No workflow was changed.`,
    details: { instance: client.instance }
  })
})

/** Deletes new credentials that no plan is going to use, and answers those that could not be deleted. */
const unmade = (all: ReadonlyArray<Made>) =>
  Effect.map(
    Effect.forEach(all, (one) =>
      Effect.matchEffect(one.client.deleteCredential(one.id), {
        onSuccess: () => Effect.as(Effect.ignore(recorded(one.client.instance, one.name, "deleted again")), []),
        onFailure: () => Effect.succeed([one])
      })
    ),
    (left) => left.flat()
  )

/** Makes the new credential wherever the former one is, tries it, and plans the switch of all workflows that use it. */
const planRotation = Effect.fn("planRotation")(function* (request: RotationRequest) {
  const { credential, data, instances, name, source } = request
  const { names, resolve } = yield* Instances
  const clients = yield* Effect.forEach(requestedNames(instances, names), (one) => resolve(one))
  const held = (yield* Effect.forEach(clients, (client) => heldOn(client, credential))).flat()
  const [first] = held
  if (first === undefined) {
    const places = clients.map(({ instance }) => instance).join(", ")
    return yield* refuse(`is on none of ${places}: give its id or its exact name`)
  }
  const { type } = first.former
  if (held.some(({ former }) => former.type !== type))
    return yield* refuse("is of different types: rotate one instance at a time")
  yield* Effect.forEach(held, ({ client }) => client.requireRights(["POST /credentials", "PUT /workflows/{}"]), {
    discard: true
  })
  const newName = name ?? `${first.former.name} (new)`
  const switchOver = (values: JsonObject) => switched(held, newName, values)
  const given = yield* givenValues({ data, source })
  if (given !== undefined) return yield* switchOver(given)
  const valueless = { tool: "plan_rotation", name: newName, type: CredentialType.make(type) } as const
  return yield* Effect.provideService(withEnteredValues(valueless, switchOver), EngineClient, first.client)
})

const switched = Effect.fnUntraced(function* (held: ReadonlyArray<Held>, name: string, values: JsonObject) {
  yield* refuseMasked({ name, data: values })
  const all: Array<Made> = []
  let isKept = false
  const plan = Effect.gen(function* () {
    const left = yield* leftEarlier(held, name)
    for (const one of held) {
      const credential = yield* made(one, name, values)
      all.push(credential)
      yield* recorded(one.client.instance, name, "done", credential.id)
    }
    const isTested = yield* Effect.forEach(all, (one) => tested(one, values))
    const drafts = yield* Effect.forEach(all, ({ client, former, id }) =>
      draftedBulk(client, { action: "replace_credential", find: former.id, value: id })
    )
    const draft: Draft = {
      kind: "rotation",
      steps: drafts.flatMap((one) => one.draft.steps),
      warnings: [
        ...left,
        ...drafts.flatMap((one) => one.draft.warnings),
        ...all.flatMap(({ client, former, id }, index) => [
          `${client.instance}: ${name} (${id}) is made${isTested[index] === true ? " and works" : "; the engine has no test for it"}. ${former.name} (${former.id}) stays: delete it when all runs well`
        ])
      ],
      blocked: drafts.flatMap((one) => one.draft.blocked)
    }
    const { keep } = yield* WorkflowPlans
    // A plan that is kept needs them, also where its caller has left meanwhile.
    return yield* Effect.uninterruptible(Effect.tap(keep(draft), () => Effect.sync(() => (isKept = true))))
  })
  const kept = plan.pipe(
    Effect.onInterrupt(() => (isKept ? Effect.void : unmade(all))),
    Effect.catch((error) =>
      Effect.flatMap(unmade(all), (left) => Effect.fail(left.length === 0 ? error : leftBehind(error.message, left)))
    )
  )
  return { plan: yield* kept, all }
})

const leftBehind = (problem: string, left: ReadonlyArray<Made>) => {
  const places = left.map(({ client, id }) => `${id} on instance ${client.instance}`).join(", ")
  return new ToolError({
    blame: "upstream",
    code: "CREDENTIAL_LEFT",
    message: `${problem} The new credential could not be deleted again: delete ${places}.`,
    details: { left: Object.fromEntries(left.map(({ client, id }) => [client.instance, id])) }
  })
}

/** The tool that plans the change to new values of a credential. */
export const planRotationTool: Tool.Tool<Instances | WorkflowPlans> = Tool.make("plan_rotation", {
  title: "Plan rotation",
  description:
    "Make a credential anew with new values, test it, and plan to switch all workflows that use the former one; apply_plan switches",
  annotations: creates,
  arguments: {
    credential: text("Id or name"),
    instances: optional(
      Schema.Union([Schema.Array(Schema.String), Schema.String]).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "*: all" }
      })
    ),
    name: optional(credentialName),
    data: optional(object("Without it and source, a person enters the values")),
    source: credentialSource
  },
  result: Schema.Struct({
    ...results.summaryFields(Schema.Literal("rotation"), place),
    created: Schema.Record(Schema.String, Schema.String)
  }),
  run: Effect.fn("plan_rotation")(function* (request) {
    const { all, plan } = yield* planRotation(request)
    const { describing } = yield* WorkflowPlans
    return {
      ...(yield* summary(describing, plan)),
      created: Object.fromEntries(all.map(({ client, id }) => [client.instance, id]))
    }
  }, Effect.mapError(toPlanningFailure))
})
