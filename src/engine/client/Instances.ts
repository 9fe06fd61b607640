import { Context, Effect, Layer, Option, Predicate, Redacted, Result, Scope } from "effect"

import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { Coordination } from "../../internal/http/Coordination.ts"
import { HttpClients } from "../../internal/http/HttpClients.ts"
import * as Upstream from "../../internal/http/Upstream.ts"
import { holdsText, parseJson } from "../../internal/json/values.ts"
import { makeTimeLimit } from "../../internal/time.ts"
import type { Capabilities } from "./capabilities.ts"
import { EngineConfig, type Environment, type InstanceNames, namesIn } from "./config/EngineConfig.ts"
import { EngineClient } from "./EngineClient.ts"
import { InstanceNotFound } from "./EngineError.ts"
import { History } from "./History.ts"
import { KeyHeaders } from "./KeyHeaders.ts"
import { Protection } from "./Protection.ts"
import { lackedScopes } from "./rights.ts"
import { routeOf } from "./route.ts"
import * as WorkflowCache from "./WorkflowCache.ts"
import * as WorkflowLocks from "./WorkflowLocks.ts"

/** Every configured instance. Its client is built at the first use and shared by all calls. */
export class Instances extends Context.Service<
  Instances,
  InstanceNames & {
    /** The address of each instance that has one, where its editor is, too. */
    readonly addresses: ReadonlyMap<string, string>
    /** The times at which keys end, in milliseconds since 1970, of those that say so. */
    readonly keyEnds: ReadonlyMap<string, number>
    /** The client of a named instance, or of the default one if no name is given. Any other value is an unknown name. */
    readonly resolve: (name?: unknown) => Effect.Effect<EngineClient["Service"], ConfigurationError | InstanceNotFound>
    /** Whether the API key of an instance stands anywhere in a value. */
    readonly holdsKey: (value: unknown) => boolean
  }
>()("workflow-tool-server/engine/Instances") {
  static readonly layer: Layer.Layer<Instances, never, EngineConfig | HttpClients> = Layer.effect(
    Instances,
    Effect.gen(function* () {
      const config = yield* EngineConfig
      const { defaultEnv, environments } = config
      const instanceNames = namesIn(config)
      const httpClients = yield* HttpClients
      const scope = yield* Effect.scope
      const coordination = yield* Coordination
      const inTime = yield* makeTimeLimit
      const locks = WorkflowLocks.make(coordination)
      const workflowCache = WorkflowCache.make()
      const history = yield* History
      const protection = yield* Protection
      const knownHeaders = yield* KeyHeaders
      const secrets = [...environments.values()].flatMap(({ apiKey, headers }) =>
        [apiKey, ...Object.values(headers)].map((secret) => Redacted.value(secret))
      )

      const connected = new Map<string, EngineClient["Service"]>()
      const connect = Effect.fnUntraced(
        function* (name: string, environment: Environment) {
          const { caFile, host, proxy, requestsPerSecond, concurrency } = environment
          const http = yield* httpClients.make({
            ...(caFile === undefined ? {} : { caFile }),
            ...(proxy === undefined ? {} : { proxy })
          })
          const client = EngineClient.make(
            name,
            environment,
            Upstream.make(http, {
              baseUrl: host,
              pacer: coordination.pacer(host, requestsPerSecond),
              concurrency,
              inTime,
              observed: { name, route: routeOf, isTold: true }
            }),
            {
              knownHeaders,
              locks,
              workflowCache,
              protection,
              historyOf: (authors) => history.of(name, secrets, authors)
            }
          )
          connected.set(name, client)
          return client
        },
        (effect, name) =>
          Effect.mapError(effect, ({ message }) => new ConfigurationError({ message: `Instance ${name}: ${message}` })),
        Effect.provideService(Scope.Scope, scope)
      )

      const clients = new Map<string, ReturnType<typeof connect>>()
      for (const [name, environment] of environments) {
        clients.set(name, yield* Effect.cached(connect(name, environment)))
      }

      const resolve = (name: unknown = defaultEnv) => {
        const client = Predicate.isString(name) ? clients.get(name) : undefined
        return client ?? Effect.fail(new InstanceNotFound({ name: printed(name), available: instanceNames.names }))
      }

      const keys = [...environments.values()].map(({ apiKey }) => Redacted.value(apiKey))
      const holdsKey = (value: unknown) => keys.some((key) => key.length >= shortestKey && holdsText(value, key))

      // After each call of a session: the first instance of unknown rights decides.
      const refusing = Effect.gen(function* () {
        const all: Array<Option.Option<Capabilities>> = []
        for (const name of instanceNames.names) {
          if (instanceNames.readOnly.has(name)) continue
          const rights = yield* connected.get(name)?.rights ?? Effect.succeedNone
          if (Option.isNone(rights)) return refusesNothing
          all.push(rights)
        }
        return (calls: ReadonlyArray<string>) =>
          all.every((rights) => calls.every((call) => lackedScopes(rights, [call]).length > 0))
      })

      const addresses = new Map(
        [...environments].flatMap(([name, { host, isEmbedded }]) =>
          isEmbedded === true ? [] : [[name, host] as const]
        )
      )
      const keyEnds = new Map(
        [...environments].flatMap(([name, { apiKey }]) => {
          const end = keyEndOf(Redacted.value(apiKey))
          return end === undefined ? [] : [[name, end] as const]
        })
      )
      return Instances.of({
        ...instanceNames,
        isProtecting: protection !== undefined,
        refusing,
        addresses,
        keyEnds,
        resolve,
        holdsKey
      })
    })
  )
}

const refusesNothing = () => false

/** The end of a key that is a JSON Web Token, as engines make them; undefined for others, and for one without an end. */
const keyEndOf = (key: string): number | undefined => {
  const [, payload = ""] = /^[\w-]+\.([\w-]{1,2000})\.[\w-]+$/.exec(key) ?? []
  const json = Result.try(() => atob(payload.replaceAll("-", "+").replaceAll("_", "/")))
  const claims = Result.isFailure(json) ? undefined : Option.getOrUndefined(parseJson(json.success))
  return Predicate.hasProperty(claims, "exp") && Predicate.isNumber(claims.exp) ? claims.exp * 1000 : undefined
}

/** Shorter ones, as in trials, would be found in other words. */
const shortestKey = 12

const printed = (name: unknown): string => (Predicate.isString(name) ? name : JSON.stringify(name))
