import { Option, Schema } from "effect"

import { WorkflowId } from "./client/ids.ts"

/** What an `engine://workflows…` address points to; without an instance, to the default one's. */
export interface Address {
  readonly id?: WorkflowId
  readonly instance?: string
}

export const root = "engine://workflows"

const pattern = /^engine:\/\/workflows(?:\/([A-Za-z0-9_-]{1,128}))?(?:\?instance=([^&#]{1,512}))?$/
const decodeId = Schema.decodeUnknownOption(WorkflowId)
const decodeText = Option.liftThrowable(decodeURIComponent)

/** Reads an address; nothing where it is none of ours. */
export const parse = (uri: string): Option.Option<Address> =>
  Option.gen(function* () {
    const [, id, instance] = yield* Option.fromNullishOr(pattern.exec(uri.slice(0, 1024)))
    return {
      ...(id === undefined ? {} : { id: yield* decodeId(id) }),
      ...(instance === undefined ? {} : { instance: yield* decodeText(instance) })
    }
  })
