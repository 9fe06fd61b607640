import { Effect, MutableRef } from "effect"

import { quotedName } from "../../internal/foreignText.ts"
import { monotonicMillis } from "../../internal/time.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { ToolError } from "../../mcp/ToolError.ts"
import type { ProtectedWorkflow } from "../client/EngineError.ts"
import { type Agreement, agreement } from "../client/Protection.ts"
import { questionLines } from "./questionLines.ts"

interface Asked {
  readonly tool: Pick<Tool, "name" | "title">
  /** When the call has come. */
  readonly since: number
  /** Whether the caller says that a person has agreed. */
  readonly isAgreed: boolean
  /** What is asked for. */
  readonly rest: unknown
}

const subjectOf = ({ kind, name, others }: ProtectedWorkflow, { tool }: Asked): string =>
  `${tool.title} changes the protected ${kind}${others.length === 0 ? "" : "s"} ${[name, ...others].map(quotedName).join(", ")}`

const questionOf = (error: ProtectedWorkflow, asking: Asked, isAgain: boolean): string =>
  [
    ...(isAgain ? ["This is more, or another, than what was agreed to; nothing was changed yet."] : []),
    `${subjectOf(error, asking)} on ${error.instance}:`,
    ...questionLines(asking.tool.name, asking.rest, error.becoming),
    "Do it?"
  ].join("\n")

/**
 * Makes an attempt at a change; where it meets what is protected before it has sent anything, the person at the client is
 * asked, and it is made again from its beginning, with all of its time. What it meets then is what was agreed to, or is
 * asked about again. Where nobody can be asked, the caller's word counts.
 */
export const withAgreement = <A, E extends { readonly _tag: string }, R>(
  attempt: (agreed: Agreement, since: number) => Effect.Effect<A, E | ProtectedWorkflow, R>,
  asked: Asked
): Effect.Effect<A, E | ProtectedWorkflow | ToolError, R> => {
  const next = (changes: ReadonlySet<string>, since: number): Effect.Effect<A, E | ProtectedWorkflow | ToolError, R> =>
    Effect.suspend(() => {
      const agreed = agreement(changes)
      return Effect.catchIf(attempt(agreed, since), isProtected, (error) =>
        Effect.gen(function* () {
          if (MutableRef.get(agreed.isBegun)) return yield* error
          const { agreedTo } = yield* Effect.promise(() => import("../../mcp/agreement.ts"))
          const isAgreed = yield* agreedTo({
            message: questionOf(error, asked, changes.size > 0),
            subject: subjectOf(error, asked),
            covers: error.fingerprints
          })
          if (isAgreed) return yield* next(new Set([...changes, ...error.fingerprints]), yield* monotonicMillis)
          return yield* asked.isAgreed ? attempt(agreement("all"), since) : error
        })
      )
    })
  return next(new Set(), asked.since)
}

const isProtected = (error: { readonly _tag: string }): error is ProtectedWorkflow => error._tag === "ProtectedWorkflow"
