import { Context, type Redacted, Schema } from "effect"

export const Version = Schema.Literals(["1.82.3", "2.41.1"])
export type Version = typeof Version.Type

/** Which engine is stood in for, and the one key that opens it. */
export class Edition extends Context.Service<
  Edition,
  {
    readonly version: Version
    /** Whether this is the 2.x engine, which differs from 1.x in wording, in shapes and in time. */
    readonly isSecond: boolean
    readonly apiKey: Redacted.Redacted
  }
>()("workflow-tool-server/embedded/engine/store/Edition") {}
