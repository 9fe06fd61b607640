import { Effect, Predicate } from "effect"

import { monotonicMillis } from "../../internal/http/monotonicMillis.ts"
import { UsefulBytes } from "../../internal/http/Room.ts"
import { once } from "../../internal/once.ts"
import { spanned } from "../../internal/spanned.ts"
import * as Arguments from "../../mcp/Arguments.ts"
import { noteInstance } from "../../mcp/Audit.ts"
import { Arrival, callSeconds } from "../../mcp/callTime.ts"
import * as Tool from "../../mcp/Tool.ts"
import { Deadline } from "../client/Deadline.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { ReadOnlyInstance, type TooLargeToShow } from "../client/EngineError.ts"
import { Instances } from "../client/Instances.ts"
import { engineName } from "../client/naming.ts"
import { Agreed, type Agreement, agreement } from "../client/Protection.ts"
import { agreeing } from "./agreeing.ts"
import { type Failure, toToolFailure } from "./errors.ts"

const instanceSchema = { type: "string", description: engineName }

/**
 * The tools over these instances: they name them, and are not listed where they could change nothing on any of them; who
 * calls one nevertheless is told why.
 */
export const over = (
  tools: ReadonlyArray<Tool.Tool<Instances>>,
  instances: Instances["Service"]
): ReadonlyArray<Tool.Tool<Instances>> => {
  const isAllReadOnly = instances.names.every((name) => instances.readOnly.has(name))
  const description = once(() => instanceNames(instances, roomIn(tools)))
  return tools.map((tool) => ({
    ...tool,
    inputSchema: () => {
      const schema = tool.inputSchema()
      const described = { instance: { ...instanceSchema, description: description() } }
      return { ...schema, properties: Object.assign({}, schema.properties, described) }
    },
    isListed: tool.isListed ?? (tool.annotations.readOnlyHint || !isAllReadOnly),
    lane: (input) => laneOf(takeInstance(input).instance, instances)
  }))
}

/** Bytes that a list of all tools may have; a model reads it before anything else. */
const maxListBytes = 13_950

/** Characters that the names of the instances may have in each tool, so that the list stays as short as it should be. */
const roomIn = (tools: ReadonlyArray<Tool.Tool<Instances>>): number => {
  const bare = tools.map(({ annotations, description, inputSchema, meta, name, title }) => ({
    name,
    title,
    description,
    inputSchema: inputSchema(),
    annotations,
    ...(meta === undefined ? {} : { _meta: meta })
  }))
  return Math.min(200, Math.floor((maxListBytes - JSON.stringify(bare).length) / tools.length) - 2)
}

/** A tool of one instance. */
export interface Definition<Fields extends Arguments.Fields> extends Tool.Definition<Fields, EngineClient, Failure> {
  /** Whether it only reads from the engine, whatever it changes elsewhere: then it may be used where nothing may be changed. */
  readonly sparesEngine?: boolean
}

/**
 * A tool whose program runs against the instance that the caller asks for, as long as callers wait. First all arguments
 * are checked, then the instance is found, then the engine is called.
 */
export const make = <const Fields extends Arguments.Fields>(
  name: string,
  definition: Definition<Fields>
): Tool.Tool<Instances> => {
  const isHarmless = definition.annotations.readOnlyHint || definition.sparesEngine === true
  const parameters = Arguments.make(definition.arguments, { aliases: definition.aliases, others: ["instance"] })
  return {
    ...Tool.describe(name, definition),
    ...(definition.sparesEngine === true ? { isListed: true } : {}),
    inputSchema: () => {
      const schema = parameters.jsonSchema()
      return { ...schema, properties: Object.assign({}, schema.properties, { instance: instanceSchema }) }
    },
    call: Effect.fnUntraced(
      function* (input) {
        const { instance, isAgreed, rest } = takeOwn(input, !isHarmless)
        const args = yield* parameters.decode(rest)
        const client = yield* (yield* Instances).resolve(instance)
        yield* (yield* noteInstance)(client.instance)
        if (client.isReadOnly && !isHarmless) {
          return yield* new ReadOnlyInstance({ instance: client.instance, operation: name })
        }
        const since = (yield* Arrival) ?? (yield* monotonicMillis)
        const attempt = (agreed: Agreement, from: number) =>
          Tool.run(definition, args).pipe(
            Effect.catchIf(isTooLarge, ({ bytes }) => Effect.flatMap(Tool.tooLarge(definition, bytes), Effect.fail)),
            Effect.provideService(EngineClient, client),
            Effect.provideService(Agreed, agreed),
            Effect.provideService(Deadline, from + callSeconds * 1000)
          )
        return yield* isHarmless
          ? attempt(noAgreement, since)
          : agreeing(attempt, { tool: definition.title, since, isAgreed, rest })
      },
      Effect.mapError(toToolFailure),
      spanned(name)
    )
  }
}

const noAgreement = agreement(new Set())

const isTooLarge = (error: Failure): error is TooLargeToShow => error._tag === "TooLargeToShow"

/** How much larger than what is made of it an answer of the engine may be, with all that is left out of it. */
const mostLeftOut = 3

/** Reads what will be shown: no more of it than an answer can hold. */
export const toBeShown = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Tool.AnswerLimit, (limit) => Effect.provideService(read, UsefulBytes, mostLeftOut * limit))

/** The lane of calls to an instance, by what was given as its name; those of a name that is none share one. */
export const laneOf = (given: unknown, { defaultName, names }: Instances["Service"]): string => {
  const name = given === undefined ? defaultName : names.find((known) => known === given)
  return name === undefined ? "This server" : `Instance ${name}`
}

/** What a caller says beside a tool's own arguments: the instance, and of changes that a person has agreed to them. */
const takeOwn = (input: unknown, isChange: boolean) => {
  const taken = takeInstance(input)
  if (!isChange || !Predicate.isObject(taken.rest)) return { ...taken, isAgreed: false }
  const { confirm_protected: said, ...rest } = { confirm_protected: undefined, ...taken.rest }
  return { ...taken, isAgreed: said === true || said === "true", rest }
}

/** Whatever is given as the instance is looked up as a name; only what is left out means the default one. */
const takeInstance = (input: unknown): { readonly instance?: unknown; readonly rest: unknown } => {
  if (!Predicate.isObject(input)) return { rest: input }
  const { instance, ...rest } = { instance: undefined, ...input }
  return { instance, rest }
}

/**
 * The configured instances in one line, the default one first: `production (default), staging (read-only)`. What does
 * not fit into this many characters is counted.
 */
export const instanceNames = (
  { defaultName, names, readOnly }: Pick<Instances["Service"], "defaultName" | "names" | "readOnly">,
  room: number
): string => {
  const marks = (name: string) => [
    ...(name === defaultName && names.length > 1 ? ["default"] : []),
    ...(readOnly.has(name) ? ["read-only"] : [])
  ]
  const words = [...names]
    .sort((a, b) => Number(b === defaultName) - Number(a === defaultName))
    .map((name) => (marks(name).length === 0 ? name : `${name} (${marks(name).join(", ")})`))
  const all = words.join(", ")
  if (all.length <= room) return all
  const most = words.findLastIndex((_, last) => shortened(words, last).length <= room)
  return shortened(words, Math.max(most, 0))
}

const shortened = (words: ReadonlyArray<string>, last: number): string => {
  const shown = words.slice(0, last + 1).join(", ")
  return last + 1 === words.length ? shown : `${shown} and ${words.length - last - 1} more`
}
