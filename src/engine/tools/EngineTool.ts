import { Context, Effect, Predicate } from "effect"

import { lazy } from "../../internal/caching.ts"
import { spanned } from "../../internal/effects.ts"
import { UsefulBytes } from "../../internal/http/MemoryBudget.ts"
import { monotonicMillis } from "../../internal/time.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { Arrival, callSeconds, noteInstance } from "../../mcp/callContext.ts"
import { BriefAnswers } from "../../mcp/selection.ts"
import * as Tool from "../../mcp/Tool.ts"
import { Deadline } from "../client/Deadline.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { ReadOnlyInstance, type TooLargeToShow } from "../client/EngineError.ts"
import { Instances } from "../client/Instances.ts"
import { Agreed, type Agreement, noAgreement } from "../client/Protection.ts"
import { type Failure, onInstance, toToolFailure } from "./errors.ts"
import { instanceSchema, takeInstance } from "./overInstances.ts"
import { type DeletedNamed, referencesIn, resolvingNames, unsaidIn, withNotices } from "./references.ts"
import { agreeToDeletion, withAgreement } from "./withAgreement.ts"

export { over } from "./overInstances.ts"

/** A tool of one instance. */
export interface Definition<
  Fields extends Arguments.Fields,
  A extends Tool.ResultObject = Tool.ResultObject
> extends Tool.Definition<Fields, EngineClient, Failure, A> {
  /** Whether it only reads from the engine, whatever it changes elsewhere: then it may be used where nothing may be changed. */
  readonly sparesEngine?: boolean
  /** The deleted workflows of a name, for a tool that works on these, too. */
  readonly deletedNamed?: DeletedNamed
}

/**
 * A tool whose program runs against the requested instance, as long as callers wait. First all arguments are checked, then
 * the instance is looked up, then the engine is called.
 */
export const make = <const Fields extends Arguments.Fields, A extends Tool.ResultObject>(
  name: string,
  definition: Definition<Fields, A>
): Tool.Tool<Instances> => {
  const isHarmless = definition.annotations.readOnlyHint || definition.sparesEngine === true
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases, others: ["instance"] })
  const references = lazy(() => referencesIn(definition.arguments))
  const agree = name.startsWith("delete_") ? agreeToDeletion({ name, title: definition.title }) : undefined
  const { deletedNamed } = definition
  const withId = (
    client: EngineClient["Service"],
    { isAgreed, rest }: CallOptions,
    since: number,
    args: Arguments.Decoded<Fields>,
    notices: ReadonlyArray<string>
  ) => {
    const run = (given: Arguments.Decoded<Fields>) =>
      Effect.zipWith(definition.run(given), BriefAnswers, (answer, isBrief) =>
        withNotices(answer, isBrief ? unsaidIn(answer, notices) : notices)
      )
    const noting = notices.length === 0 ? definition : { ...definition, run }
    const attempt = (agreed: Agreement, from: number) =>
      Tool.run(noting, args).pipe(
        Effect.catchIf(isTooLarge, ({ bytes }) => Effect.flatMap(Tool.tooLarge(definition, bytes), Effect.fail)),
        Effect.updateContext((context: Context.Context<never>) =>
          context.pipe(
            Context.add(EngineClient, client),
            Context.add(Agreed, agreed),
            Context.add(Deadline, from + callSeconds * 1000)
          )
        )
      )
    return isHarmless
      ? attempt(noAgreement, since)
      : withAgreement(attempt, { tool: { name, title: definition.title }, since, isAgreed, rest })
  }
  const within = (client: EngineClient["Service"], args: Arguments.Decoded<Fields>, options: CallOptions) =>
    client.isReadOnly && !isHarmless
      ? Effect.fail(new ReadOnlyInstance({ instance: client.instance, operation: name }))
      : Effect.flatMap(Arrival, (arrival) =>
          Effect.flatMap(monotonicMillis, (now) => {
            const since = arrival ?? now
            return resolvingNames(references(), args, { deletedNamed, agree }, (ids, notices) =>
              withId(client, options, since, ids, notices)
            ).pipe(
              Effect.provideService(EngineClient, client),
              Effect.provideService(Deadline, since + callSeconds * 1000)
            )
          })
        )
  return {
    ...Tool.describe(name, definition),
    ...(definition.sparesEngine === true ? { isListed: true } : {}),
    inputSchema: () => {
      const schema = parameters.jsonSchema()
      return { ...schema, properties: Object.assign({}, schema.properties, { instance: instanceSchema }) }
    },
    call: (input) => {
      const result = Effect.suspend(() => {
        const options = takeOptions(input, !isHarmless)
        return Effect.flatMap(parameters.decode(options.rest), (args) =>
          Effect.flatMap(clientOf(options.instance), ({ client, isOneOfMany }) => {
            const answered = within(client, args, options)
            return isOneOfMany ? onInstance(answered, client.instance) : answered
          })
        )
      })
      return spanned(name)(Effect.mapError(result, toToolFailure))
    }
  }
}

/** The client of the requested instance, which is noted for the audit log, and whether there are other instances. */
const clientOf = (instance: unknown) =>
  Instances.use(({ names, resolve }) =>
    Effect.flatMap(resolve(instance), (client) =>
      Effect.flatMap(noteInstance, (note) =>
        Effect.as(note(client.instance), { client, isOneOfMany: names.length > 1 })
      )
    )
  )

/** The arguments beside those of the tool itself: the instance, and whether a person has agreed to the change. */
interface CallOptions {
  readonly instance?: unknown
  readonly isAgreed: boolean
  readonly rest: unknown
}

const takeOptions = (input: unknown, isChange: boolean): CallOptions => {
  const taken = takeInstance(input)
  if (!isChange || !Predicate.isObject(taken.rest)) return { ...taken, isAgreed: false }
  const { confirm_protected: said, ...rest } = { confirm_protected: undefined, ...taken.rest }
  return { ...taken, isAgreed: said === true || said === "true", rest }
}

const isTooLarge = (error: Failure): error is TooLargeToShow => error._tag === "TooLargeToShow"

/** The size that an answer of the engine may have, as a multiple of the answer that is made of it. */
const mostLeftOut = 3

/** Limits a read whose result is shown to the bytes that an answer can hold. */
export const toBeShown = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Tool.AnswerLimit, (limit) => Effect.provideService(read, UsefulBytes, mostLeftOut * limit))
