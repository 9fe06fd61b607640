import { Deferred, Effect, Queue, Schema } from "effect"

import { Stopping } from "../../callContext.ts"
import type { Resources } from "../../Resources.ts"
import type { Tool } from "../../Tool.ts"
import { refusedTools } from "../../Tools.ts"
import * as Method from "../Method.ts"
import { clientName } from "../observation.ts"
import { clientInfoKey } from "../ProtocolVersion.ts"

/** Most open subscriptions of one caller, and of all together: a further one ends the oldest of whoever has most. */
const mostOfCaller = 10
const most = 200

/** Most resources of one subscription, and of all together, since each is read again and again. */
const mostResources = 20
const mostResourcesOfAll = 200

/** The longest life of a subscription: the token that opened it may have expired meanwhile. */
const longestLife = "1 hour"

/** The time between two checks where nothing has happened here, and the least time between any two. */
const interval = "30 seconds"
const leastInterval = "1 second"

/** The time for the first readings, which the client waits for. */
const firstReading = "5 seconds"

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

const Filter = Schema.Struct({
  toolsListChanged: Schema.optionalKey(Schema.Boolean),
  resourceSubscriptions: Schema.optionalKey(Schema.Array(Schema.String))
})

interface Subscription {
  readonly caller: string
  /** The number of its resources. */
  readonly resources: number
  /** The end of any call of a tool, and of one that may have changed something. */
  readonly called: Queue.Queue<void>
  readonly changed: Queue.Queue<void>
  readonly ended: Deferred.Deferred<void>
}

/** The version of a resource; undefined where it could not be read. */
type Version = string | undefined

const absent: Version = ""

/** `subscriptions/listen`, and the signal to all subscriptions that a call of a tool has ended. */
export const makeSubscriptions = (
  tools: ReadonlyArray<Tool>,
  { version = () => Effect.succeed(absent) }: Pick<Resources["Service"], "version">
) => {
  const open = new Set<Subscription>()
  const refused = Effect.map(refusedTools(tools), (names) => [...names].join())

  const makeRoom = (caller: string) => {
    const counts = new Map<string, number>()
    for (const one of open) counts.set(one.caller, (counts.get(one.caller) ?? 0) + 1)
    const isTooMany = (counts.get(caller) ?? 0) >= mostOfCaller
    if (!isTooMany && open.size < most) return
    const largest = Math.max(...counts.values())
    const oldest = [...open].find((one) => (isTooMany ? one.caller === caller : counts.get(one.caller) === largest))
    if (oldest === undefined) return
    open.delete(oldest)
    Deferred.doneUnsafe(oldest.ended, Effect.void)
  }

  const versionOf = (uri: string): Effect.Effect<Version> =>
    Effect.catch(version(uri), ({ _tag }) => Effect.succeed(_tag === "ResourceNotFound" ? absent : undefined))

  /** The resources that exist, with their versions. One that cannot be read in time counts as existing. */
  const firstVersions = Effect.fnUntraced(function* (uris: ReadonlyArray<string>) {
    const watchedByAll = [...open].reduce((sum, { resources }) => sum + resources, 0)
    const few = [...new Set(uris)].slice(0, Math.max(0, Math.min(mostResources, mostResourcesOfAll - watchedByAll)))
    const reading = (uri: string) =>
      Effect.map(
        Effect.timeoutOrElse(versionOf(uri), { duration: firstReading, orElse: () => Effect.undefined }),
        (text) => [uri, text] as const
      )
    const versions = yield* Effect.forEach(few, reading, { concurrency: mostResources })
    return new Map<string, Version>(versions.filter(([, text]) => text !== absent))
  })

  const listen = Method.make(
    () => ({ notifications: Filter, _meta: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) }),
    Effect.fnUntraced(function* ({ _meta, notifications }, { caller, gone, id, notify }) {
      const tagged = { [subscriptionKey]: id }
      const send = (method: string, params: object = {}) =>
        notify({ jsonrpc: "2.0", method: `notifications/${method}`, params: { ...params, _meta: tagged } })
      const { resourceSubscriptions = [], toolsListChanged = false } = notifications
      const versions = yield* firstVersions(resourceSubscriptions)
      const watched = [...versions.keys()]
      const subscriber = yield* caller(clientName(_meta?.[clientInfoKey]))
      const subscription: Subscription = {
        caller: subscriber,
        resources: versions.size,
        called: yield* Queue.sliding<void>(1),
        changed: yield* Queue.sliding<void>(1),
        ended: yield* Deferred.make<void>()
      }
      let refusedBefore = yield* refused

      const checkTools = Effect.flatMap(refused, (now) => {
        if (now === refusedBefore) return Effect.void
        refusedBefore = now
        return send("tools/list_changed")
      })
      const checkResources = Effect.forEach(
        watched,
        (uri) =>
          Effect.flatMap(versionOf(uri), (now) => {
            if (now === undefined || now === versions.get(uri)) return Effect.void
            versions.set(uri, now)
            return send("resources/updated", { uri })
          }),
        { discard: true }
      )
      const acknowledged = send("subscriptions/acknowledged", {
        notifications: {
          ...(toolsListChanged ? { toolsListChanged } : {}),
          ...(versions.size === 0 ? {} : { resourceSubscriptions: watched })
        }
      })
      const watching = Effect.all(
        [
          toolsListChanged ? repeated(checkTools, subscription.called) : Effect.never,
          versions.size > 0 ? repeated(checkResources, subscription.changed) : Effect.never
        ],
        { concurrency: 2 }
      )
      const ends = [
        gone,
        Deferred.await(yield* Stopping),
        Deferred.await(subscription.ended),
        Effect.sleep(longestLife)
      ]
      yield* Effect.acquireUseRelease(
        Effect.sync(() => {
          makeRoom(subscriber)
          open.add(subscription)
        }),
        () => Effect.raceAllFirst([Effect.andThen(acknowledged, watching), ...ends]),
        () => Effect.sync(() => open.delete(subscription))
      )
      return { _meta: tagged }
    }),
    { work: () => ({ concurrencyGroup: "Subscriptions", isSafeToStop: true }) }
  )

  return {
    methods: { "subscriptions/listen": listen },
    /** Tells all subscriptions that a call has ended. */
    called: (mayHaveChanged: boolean) => {
      for (const { called, changed } of open) {
        Queue.offerUnsafe(called, undefined)
        if (mayHaveChanged) Queue.offerUnsafe(changed, undefined)
      }
    },
    /** The number of open subscriptions. */
    size: () => open.size
  }
}

/** Checks after each signal, and from time to time. */
const repeated = (check: Effect.Effect<void>, signal: Queue.Queue<void>) =>
  Effect.raceFirst(Queue.take(signal), Effect.sleep(interval)).pipe(
    Effect.andThen(check),
    Effect.andThen(Effect.sleep(leastInterval)),
    Effect.forever
  )
