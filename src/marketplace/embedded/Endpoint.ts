import {
  type DateTime,
  JsonSchema,
  Option,
  Predicate,
  Result,
  Schema,
  SchemaGetter,
  SchemaRepresentation
} from "effect"

import { firstIssue } from "../../internal/schema/describeIssue.ts"
import { AdvertId, Pair } from "../client/ids.ts"
import requests from "./data/requests.json" with { type: "json" }
import { type ErrorFormat, refuse, type Reply, type Written } from "./Reply.ts"
import type { State } from "./State.ts"

/** The two known forms of the API: as specified, and as published with its clients. */
export type Wire = "published" | "spec"

/** The marketplace's own rules that tests may switch. */
export interface Rules {
  /** Steps of bids in kopecks, by payment type. */
  readonly steps: { readonly cpm: number; readonly cpc: number }
  /** The fate of a bid between two steps. */
  readonly offStep: "kept" | "refused" | "rounded"
}

/** The circumstances of a call, in addition to its input. */
export interface Call {
  readonly wire: Wire
  readonly now: DateTime.Utc
  readonly rules: Rules
}

/** The work of an operation: it reads or changes the account. */
type Work<Input> =
  | { readonly read: (state: State, input: Input, call: Call) => Reply }
  | { readonly write: (state: State, input: Input, call: Call) => Written }

type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT"

/** One operation of the marketplace. */
export interface Endpoint {
  readonly method: Method
  readonly path: `/${string}`
  readonly isRead: boolean
  /** The answer to any query (of a GET) or body (of other methods), valid or not. */
  readonly answer: (state: State, given: unknown, circumstances: Omit<Call, "wire">) => Written
}

/** The name of the first invalid field. */
const nameIn = (error: Schema.SchemaError): string => firstIssue(error).path.split(".")[0] ?? ""

type Shape = Readonly<Record<string, unknown>>

const Shape = Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
const Shapes = Schema.Record(Schema.String, Schema.Struct({ spec: Shape, published: Shape }))
const shapes = Option.getOrThrow(Schema.decodeUnknownOption(Shapes)(requests))

const fitOf = (shape: Shape): Predicate.Predicate<unknown> => {
  const schema = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12({ ...shape }), {
    patterns: "apply"
  })
  return Schema.is(Schema.make<Schema.Codec<unknown>>(schema.ast))
}

/** Whether a body has the shape of its operation on this wire; operations without a specified shape use the published one. */
const fits = (wire: Wire, operation: string): Predicate.Predicate<unknown> => {
  const { published = null, spec = null } = shapes[operation] ?? {}
  const shape = wire === "spec" ? (spec ?? published) : published
  return shape === null ? () => true : fitOf(shape)
}

/** The maximum length of a list in a body, and what the error calls its items. */
interface Cap {
  /** Path of the list, through any lists on the way. */
  readonly at: ReadonlyArray<string>
  readonly max: number
  readonly of: string
}

const cap = (at: string, max: number, of: string): Cap => ({ at: at.split("."), max, of })
const pairs = [cap("items", 100, "items")]
const clusters = [cap("bids", 100, "bids")]

/** The caps of all bodies, the same on both wires. */
const caps: Readonly<Record<string, ReadonlyArray<Cap>>> = {
  "PATCH /api/advert/v1/bids": [cap("bids", 50, "adverts"), cap("bids.nm_bids", 50, "nm_bids")],
  "PATCH /adv/v0/auction/nms": [cap("campaigns", 20, "adverts"), cap("nms", 20, "adverts")],
  "POST /adv/v0/normquery/get-minus": pairs,
  "POST /adv/v0/normquery/set-minus": [cap("norm_queries", 1000, "norm_queries")],
  "POST /adv/v0/normquery/stats": pairs,
  "POST /adv/v0/normquery/bids": clusters,
  "POST /adv/v0/normquery/get-bids": pairs,
  "DELETE /adv/v0/normquery/bids": clusters,
  "POST /api/advert/v1/bids/min": [cap("nm_ids", 100, "nm_ids")],
  "POST /adv/v2/seacat/save-ad": [cap("nms", 50, "nms")],
  "POST /api/advert/v2/budget": [cap("advertIds", 50, "advertIds")],
  "POST /adv/v1/normquery/stats": pairs,
  "POST /adv/v0/normquery/list": pairs,
  "POST /api/advert/v1/normquery/bids": clusters,
  "PUT /adv/v0/auction/placements": [cap("placements", 50, "placements")],
  "PUT /api/advert/v0/daily-limits": [cap("advertIds", 100, "advertIds")]
}

const listsAt = (value: unknown, [name, ...rest]: Cap["at"]): ReadonlyArray<ReadonlyArray<unknown>> => {
  const member = name !== undefined && Predicate.hasProperty(value, name) ? value[name] : undefined
  if (!Array.isArray(member)) return []
  return rest.length === 0 ? [member] : member.flatMap((item) => listsAt(item, rest))
}

/** The error for a list in a body that is too long, if there is one. */
const capProblem = (operation: string, body: unknown): string | undefined => {
  const passed = caps[operation]?.find(({ at, max }) => listsAt(body, at).some(({ length }) => length > max))
  return passed === undefined ? undefined : `too many ${passed.of}, max ${passed.max}`
}

/** Makes the operations of a wire from the error format of their part of the marketplace, their input, and their work. */
export const makeOn =
  (wire: Wire) =>
  <Input>(
    method: Method,
    path: Endpoint["path"],
    errors: ErrorFormat,
    input: Schema.Codec<Input, unknown>,
    work: Work<Input>
  ): Endpoint => {
    const operation = `${method} ${path}`
    const hasShape = fits(wire, operation)
    const read = Schema.decodeUnknownResult(input)

    const problem = (given: unknown): string | undefined => {
      if (method === "GET") return undefined
      return capProblem(operation, given) ?? (hasShape(given) ? undefined : errors.body)
    }

    const answer: Endpoint["answer"] = (state, given, circumstances) => {
      const wrong = problem(given)
      if (wrong !== undefined) return refuse(state, errors.refuse(wrong))
      const taken = read(given)
      if (Result.isFailure(taken)) {
        return refuse(state, errors.refuse(method === "GET" ? errors.parameter(nameIn(taken.failure)) : errors.body))
      }
      const call = { wire, ...circumstances }
      return "read" in work
        ? { state, reply: work.read(state, taken.success, call) }
        : work.write(state, taken.success, call)
    }
    return { method, path, isRead: "read" in work, answer }
  }

/** The maker of the operations of one wire. */
export type On = ReturnType<typeof makeOn>

/** An integer in a query. */
const Whole = Schema.String.check(Schema.isPattern(/^-?\d+$/)).pipe(Schema.decodeTo(Schema.NumberFromString))

/** Values separated by commas. */
export const listOf = <S extends Schema.Codec<unknown, number>>(item: S) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Array(Whole.pipe(Schema.decodeTo(item))), {
      decode: SchemaGetter.transform((text: string) => text.split(",").filter((part) => part.trim() !== "")),
      encode: SchemaGetter.transform((parts: ReadonlyArray<string>) => parts.join(","))
    })
  )

/** A campaign in a query. */
export const Id = Whole.pipe(Schema.decodeTo(AdvertId))
/** Campaigns in a query. */
export const Ids = listOf(AdvertId)

/** A query about one campaign. */
export const OneCampaign = Schema.Struct({ id: Id })
export type OneCampaign = typeof OneCampaign.Type

/** A body about articles of campaigns. */
export const Pairs = Schema.Struct({ items: Schema.Array(Pair) })
export type Pairs = typeof Pairs.Type
