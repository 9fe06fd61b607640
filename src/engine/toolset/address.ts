import { Option, Predicate } from "effect"

import type { InstanceNames } from "../client/config/EngineConfig.ts"
import { concurrencyGroupOf as concurrencyGroupOfInstance } from "../tools/overInstances.ts"

/** The target of an `engine://workflows…` address; without an instance, on the default one. */
interface Address {
  /** The id of a workflow, or its name. */
  readonly id?: string
  readonly instance?: string
}

export const root = "engine://workflows"

const pattern = /^engine:\/\/workflows(?:\/([^/?#]{1,768}))?(?:\?instance=([^&#]{1,512}))?$/
const decodeText = Option.liftThrowable(decodeURIComponent)

/** Reads an address; nothing where it is none of ours. */
export const readAddress = (uri: string): Option.Option<Address> =>
  Option.gen(function* () {
    const [, id, instance] = yield* Option.fromNullishOr(pattern.exec(uri.slice(0, 1024)))
    return {
      ...(id === undefined ? {} : { id: yield* decodeText(id) }),
      ...(instance === undefined ? {} : { instance: yield* decodeText(instance) })
    }
  })

/** The instance on which reading an address works; the default one where completions are looked up. */
export const concurrencyGroupOf = (instances: InstanceNames) => (uri: unknown) => {
  if (uri === undefined) return concurrencyGroupOfInstance(undefined, instances)
  const address = Predicate.isString(uri) ? Option.getOrUndefined(readAddress(uri)) : undefined
  return address === undefined ? undefined : concurrencyGroupOfInstance(address.instance, instances)
}
