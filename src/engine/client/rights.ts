import { Effect, Option } from "effect"

import { monotonicMillis } from "../../internal/time.ts"
import { type Capabilities, offers } from "./capabilities.ts"
import { type EngineError, PermissionDenied } from "./EngineError.ts"

/** The scopes that changing calls take, by method and path; `{}` stands for an id. */
const scopes = {
  "POST /workflows": "workflow:create",
  "PUT /workflows/{}": "workflow:update",
  "DELETE /workflows/{}": "workflow:delete",
  "POST /workflows/{}/activate": "workflow:activate",
  "POST /workflows/{}/deactivate": "workflow:deactivate",
  "POST /workflows/{}/archive": "workflow:delete",
  "POST /workflows/{}/unarchive": "workflow:delete",
  "PUT /workflows/{}/tags": "workflowTags:update",
  "DELETE /executions/{}": "execution:delete",
  "POST /executions/{}/retry": "execution:retry",
  "POST /executions/{}/stop": "execution:stop",
  "POST /credentials": "credential:create",
  "PATCH /credentials/{}": "credential:update",
  "DELETE /credentials/{}": "credential:delete",
  "POST /tags": "tag:create",
  "PUT /tags/{}": "tag:update",
  "DELETE /tags/{}": "tag:delete",
  "POST /data-tables": "dataTable:create",
  "PATCH /data-tables/{}": "dataTable:update",
  "DELETE /data-tables/{}": "dataTable:delete",
  "POST /data-tables/{}/columns": "dataTableColumn:create",
  "PATCH /data-tables/{}/columns/{}": "dataTableColumn:update",
  "DELETE /data-tables/{}/columns/{}": "dataTableColumn:delete",
  "POST /data-tables/{}/rows": "dataTableRow:create",
  "PATCH /data-tables/{}/rows/update": "dataTableRow:update",
  "DELETE /data-tables/{}/rows/delete": "dataTableRow:delete"
} as const

/** The scopes of reading calls that are asked for before they are made. */
const readScopes: Readonly<Record<string, string>> = {
  "GET /executions": "execution:list",
  "GET /executions/{}": "execution:read",
  "GET /data-tables": "dataTable:list",
  "GET /data-tables/{}/rows": "dataTableRow:read"
}

/** A call for which a key needs a right. */
export type ChangingCall = keyof typeof scopes

/** The scope that a call takes; of one that only the engine describes, the call itself. */
const scopeOf = (call: string): string => (isChangingCall(call) ? scopes[call] : (readScopes[call] ?? `of ${call}`))

const isChangingCall = (call: string): call is ChangingCall => Object.hasOwn(scopes, call)

/** The changing call that a request is, if it is one of these. */
export const changingCallOf = (method: string, path: string): ChangingCall | undefined => {
  const call = `${method} ${path.replace(/^(\/[\w-]+)\/[^/]+/, "$1/{}").replace(/\/columns\/[^/]+$/, "/columns/{}")}`
  return isChangingCall(call) ? call : undefined
}

/** The scopes that a key lacks for calls, as far as its rights are known. An engine that lacks the call itself says so when it is made. */
export const lackedScopes = (
  capabilities: Option.Option<Capabilities>,
  calls: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Option.match(capabilities, {
    onNone: () => [],
    onSome: (rights) => {
      const lacking = calls.filter((call) => !offers(rights, call) && !rights.scopes.includes(scopeOf(call)))
      return [...new Set(lacking.map(scopeOf))]
    }
  })

/** Milliseconds for which rights count that an engine has told: they change where a person changes the key. */
const keptMillis = 300_000
/** Milliseconds for which an engine that tells none is not asked again: it may be replaced by a newer one. */
const untoldMillis = 60_000

/** Longest wait for the rights of a key. */
const longestRead = "3 seconds"

/** The rights of a key, read before the first change and kept. Where the engine does not tell them, every call is allowed. */
export const makeRights = (instance: string, read: Effect.Effect<Option.Option<Capabilities>, EngineError>) => {
  let rights: Option.Option<Capabilities> = Option.none()
  let until = -Infinity

  const readNow = Effect.gen(function* () {
    // An engine that is slow to tell must not keep a change waiting that it would carry out.
    rights = Option.flatten(Option.flatten(yield* Effect.timeoutOption(Effect.option(read), longestRead)))
    until = (yield* monotonicMillis) + (Option.isSome(rights) ? keptMillis : untoldMillis)
    return rights
  })
  const current = Effect.flatMap(monotonicMillis, (now) => (now < until ? Effect.succeed(rights) : readNow))

  /** Fails where the key lacks a scope for one of these calls. Rights that were read before are read again then. */
  const requireRights = Effect.fnUntraced(function* (wanted: ReadonlyArray<string | false>, purpose = "") {
    const calls = wanted.filter((call) => call !== false)
    const isKnown = (yield* monotonicMillis) < until
    const before = lackedScopes(yield* current, calls)
    const lacking = before.length === 0 || !isKnown ? before : lackedScopes(yield* readNow, calls)
    if (lacking.length === 0) return yield* Effect.void
    const noun = lacking.length === 1 ? "the scope" : "the scopes"
    const reason = `Nothing was sent: the API key lacks ${noun} ${lacking.join(", ")}${purpose}. Give the key more scopes in the engine UI.`
    return yield* new PermissionDenied({ instance, apiResponse: null, reason })
  })

  /** The rights as they are now; engines that do not tell any are not asked again at once. */
  const latest = Effect.flatMap(monotonicMillis, (now) =>
    now < until && Option.isNone(rights) ? Effect.succeedNone : readNow
  )

  /** The rights as far as they have been read and count: nothing is read for it. */
  const asRead = Effect.map(monotonicMillis, (now) => (now < until ? rights : Option.none()))

  return { requireRights, latest, rights: asRead }
}
