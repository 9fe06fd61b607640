import { Effect, Schema } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { AdsInvalidRequest } from "./MarketplaceError.ts"

/** Checks what a caller hands over against the operation's own schema. */
export const check = <S extends Schema.Codec<unknown, unknown>>(operation: string, schema: S, input: S["Type"]) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.toType(schema))(input),
    (error) => new AdsInvalidRequest({ operation, detail: firstIssueOf(error) })
  )

/** Fails with a problem that was found before anything was sent; does nothing where there is none. */
export const refuseIf = (operation: string, problem: string | undefined) =>
  problem === undefined ? Effect.void : Effect.fail(new AdsInvalidRequest({ operation, detail: problem }))
