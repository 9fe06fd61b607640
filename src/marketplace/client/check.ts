import { Effect, Schema } from "effect"

import { firstIssueOf } from "../../internal/schema/describeIssue.ts"
import { AdsInvalidRequest, MarketplaceError } from "./MarketplaceError.ts"

/** Checks what a caller hands over against the operation's own schema. */
export const check = <S extends Schema.Codec<unknown, unknown>>(operation: string, schema: S, input: S["Type"]) =>
  Effect.mapError(Schema.decodeUnknownEffect(Schema.toType(schema))(input), (error) =>
    invalid(operation, firstIssueOf(error))
  )

/** Fails with a problem that was found before anything was sent; does nothing where there is none. */
export const refuseIf = (operation: string, problem: string | undefined) =>
  problem === undefined ? Effect.void : Effect.fail(invalid(operation, problem))

/** The error that a request breaks a rule of the interface. */
export const invalid = (operation: string, detail: string) =>
  new MarketplaceError({ operation, reason: new AdsInvalidRequest({ detail }) })
