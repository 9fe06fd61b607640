import { type JsonSchema, Predicate } from "effect"

/** One argument of a call, where it goes, and its shape. */
export interface Parameter {
  readonly name: string
  readonly place: "path" | "query"
  readonly isRequired: boolean
  readonly description: string
  /** Without references. */
  readonly schema: JsonSchema.JsonSchema
}

/** The JSON that a call takes beside its arguments. */
export interface Body {
  readonly isRequired: boolean
  /** Of what may be sent: without references, and without fields that engines only tell. */
  readonly schema: JsonSchema.JsonSchema
}

/** One call of an engine's API, as the engine describes it. */
export interface ApiCall {
  /** Method and path below the API's root: `GET /data-tables/{dataTableId}/rows`. */
  readonly call: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly body?: Body
  /** Whether it takes something else than JSON, such as a file. */
  readonly takesFile?: true
  /** The scope that a key needs for it. */
  readonly scope?: string
}

/** An engine's description of its API. */
export interface ApiDescription {
  readonly calls: ReadonlyArray<ApiCall>
  /** Parts that could not be read, each with the reason. */
  readonly unreadable: ReadonlyArray<string>
  /** The version whose description it is, where the engine itself gives none. */
  readonly keptOf?: string
}

/** A call without the engine's words about it, as this project keeps those of the versions that it is tried on. */
export interface KeptCall extends Pick<ApiCall, "body" | "call" | "scope" | "tag" | "takesFile"> {
  readonly parameters: ReadonlyArray<Omit<Parameter, "description">>
}

export const keptCall = ({ body, call, parameters, scope, tag, takesFile }: ApiCall): KeptCall => ({
  call,
  tag,
  parameters: parameters.map(({ isRequired, name, place, schema }) => ({
    name,
    place,
    isRequired,
    schema: plain(schema)
  })),
  ...(body === undefined ? {} : { body: { isRequired: body.isRequired, schema: plain(body.schema) } }),
  ...(takesFile === undefined ? {} : { takesFile }),
  ...(scope === undefined ? {} : { scope })
})

/** A shape without words about it and without examples. */
const plain = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (wordy.has(key)) return []
      return [[key, key === "properties" && Predicate.isObject(value) ? mapValues(value, plainPart) : plainPart(value)]]
    })
  )

const plainPart = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plainPart)
  return Predicate.isObject(value) ? plain({ ...value }) : value
}

const mapValues = (fields: object, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))

const wordy = new Set(["description", "example", "examples", "title"])

/** A kept call as one that an engine describes. */
export const describedCall = ({ call, parameters, ...rest }: KeptCall): ApiCall => {
  const [method = "", path = ""] = call.split(" ")
  const described = parameters.map((one) => ({ ...one, description: "" }))
  return { ...rest, call, method, path, summary: "", description: "", parameters: described }
}

/** Whether a call only reads. */
export const isRead = ({ method }: ApiCall): boolean => method === "GET"

/** The path of a call with these arguments. */
export const pathOf = ({ path }: Pick<ApiCall, "path">, args: Readonly<Record<string, unknown>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(args[name])))

/** The argument that would lead the path to another call: dots alone mean the same however they are encoded, and nothing is no segment. */
export const strayArgument = ({ parameters }: ApiCall, args: Readonly<Record<string, unknown>>): string | undefined =>
  parameters.find(({ name, place }) => place === "path" && /^(?:\.{0,2})$/.test(String(args[name])))?.name

/** The arguments of a call that stand behind its path. */
export const queryOf = ({ parameters }: ApiCall, args: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    parameters.flatMap(({ name, place }) =>
      place === "query" && args[name] !== undefined ? [[name, writtenOf(args[name])] as const] : []
    )
  )

const writtenOf = (value: unknown): string => {
  if (Predicate.isString(value)) return value
  return Array.isArray(value) ? value.map(writtenOf).join(",") : JSON.stringify(value)
}
