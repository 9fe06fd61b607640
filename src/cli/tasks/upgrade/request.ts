import { Effect } from "effect"

import { Instances } from "../../../engine/client/Instances.ts"

/** The arguments of `upgrade`. */
export interface UpgradeTaskRequest {
  readonly to: string | undefined
  /** None for the default one. */
  readonly instances: ReadonlyArray<string>
  readonly plan: boolean
  readonly apply: boolean
  readonly accept: ReadonlyArray<string>
  readonly confirmProtected: boolean
  readonly verify: boolean
  readonly markdown: string | undefined
  readonly json: boolean
}

/** The clients of the instances that were named, of the default one where none was. */
export const clientsOf = Effect.fnUntraced(function* (given: UpgradeTaskRequest["instances"]) {
  const { names, resolve } = yield* Instances
  const requested = given.includes("*") ? names : [...new Set(given)]
  return yield* requested.length === 0
    ? Effect.map(resolve(), (client) => [client])
    : Effect.forEach(requested, (name) => resolve(name))
})
