import { Context, Effect, Predicate } from "effect"

import { spanned, withReference } from "../../internal/effects.ts"
import { UsefulBytes } from "../../internal/http/MemoryBudget.ts"
import { atMillis } from "../../internal/time.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { Arrival, callSeconds, noteInstance } from "../../mcp/callContext.ts"
import * as Tool from "../../mcp/Tool.ts"
import { Deadline } from "../client/Deadline.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { ReadOnlyInstance, type TooLargeToShow } from "../client/EngineError.ts"
import { Instances } from "../client/Instances.ts"
import { Agreed, type Agreement, noAgreement } from "../client/Protection.ts"
import { type Failure, toToolFailure } from "./errors.ts"
import { onInstance } from "./onInstance.ts"
import { instanceSchema, takeInstance } from "./overInstances.ts"
import { withAgreement } from "./withAgreement.ts"

export { over } from "./overInstances.ts"

/** A tool of one instance. */
export interface Definition<
  Fields extends Arguments.Fields,
  A extends Tool.ResultObject = Tool.ResultObject
> extends Tool.Definition<Fields, EngineClient, Failure, A> {
  /** Whether it only reads from the engine, whatever it changes elsewhere: then it may be used where nothing may be changed. */
  readonly sparesEngine?: boolean
}

/**
 * A tool whose program runs against the instance that the caller asks for, as long as callers wait. First all arguments
 * are checked, then the instance is found, then the engine is called.
 */
export const make = <const Fields extends Arguments.Fields, A extends Tool.ResultObject>(
  name: string,
  definition: Definition<Fields, A>
): Tool.Tool<Instances> => {
  const isHarmless = definition.annotations.readOnlyHint || definition.sparesEngine === true
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases, others: ["instance"] })
  const within = (client: EngineClient["Service"], args: Arguments.Decoded<Fields>, { isAgreed, rest }: Own) => {
    if (client.isReadOnly && !isHarmless) {
      return Effect.fail(new ReadOnlyInstance({ instance: client.instance, operation: name }))
    }
    const attempt = (agreed: Agreement, from: number) =>
      Tool.run(definition, args).pipe(
        Effect.catchIf(isTooLarge, ({ bytes }) => Effect.flatMap(Tool.tooLarge(definition, bytes), Effect.fail)),
        Effect.updateContext((context: Context.Context<never>) =>
          context.pipe(
            Context.add(EngineClient, client),
            Context.add(Agreed, agreed),
            Context.add(Deadline, from + callSeconds * 1000)
          )
        )
      )
    return withReference(Arrival, (arrival) =>
      atMillis((now) => {
        const since = arrival ?? now
        return isHarmless
          ? attempt(noAgreement, since)
          : withAgreement(attempt, { tool: { name, title: definition.title }, since, isAgreed, rest })
      })
    )
  }
  return {
    ...Tool.describe(name, definition),
    ...(definition.sparesEngine === true ? { isListed: true } : {}),
    inputSchema: () => {
      const schema = parameters.jsonSchema()
      return { ...schema, properties: Object.assign({}, schema.properties, { instance: instanceSchema }) }
    },
    call: (input) => {
      const called = Effect.suspend(() => {
        const own = takeOwn(input, !isHarmless)
        return Effect.flatMap(parameters.decode(own.rest), (args) =>
          Effect.flatMap(clientOf(own.instance), ({ client, isOneOfMany }) => {
            const answered = within(client, args, own)
            return isOneOfMany ? onInstance(answered, client.instance) : answered
          })
        )
      })
      return spanned(name)(Effect.mapError(called, toToolFailure))
    }
  }
}

/** The client of the instance that is asked for, of which the audit log is told, and whether there are others. */
const clientOf = (instance: unknown) =>
  Instances.use(({ names, resolve }) =>
    Effect.flatMap(resolve(instance), (client) =>
      withReference(noteInstance, (note) => Effect.as(note(client.instance), { client, isOneOfMany: names.length > 1 }))
    )
  )

/** What a caller says beside a tool's own arguments: the instance, and of changes that a person has agreed to them. */
interface Own {
  readonly instance?: unknown
  readonly isAgreed: boolean
  readonly rest: unknown
}

const takeOwn = (input: unknown, isChange: boolean): Own => {
  const taken = takeInstance(input)
  if (!isChange || !Predicate.isObject(taken.rest)) return { ...taken, isAgreed: false }
  const { confirm_protected: said, ...rest } = { confirm_protected: undefined, ...taken.rest }
  return { ...taken, isAgreed: said === true || said === "true", rest }
}

const isTooLarge = (error: Failure): error is TooLargeToShow => error._tag === "TooLargeToShow"

/** How much larger than what is made of it an answer of the engine may be, with all that is left out of it. */
const mostLeftOut = 3

/** Reads what will be shown: no more of it than an answer can hold. */
export const toBeShown = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withReference(Tool.AnswerLimit, (limit) => Effect.provideService(read, UsefulBytes, mostLeftOut * limit))
