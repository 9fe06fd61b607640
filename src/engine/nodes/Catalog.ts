import { Effect, Option, Schema } from "effect"

import { toEngineType } from "../workflow/naming.ts"
import type { Collected } from "./collectNodeTypes.ts"
import { type Archive, ArchiveError } from "./NodePackages.ts"
import { IndexEntry, NodeType, type Property } from "./NodeType.ts"

/** The list at the head of an archive. */
const Index = Schema.Struct({
  format: Schema.Literal(1),
  /** Version of the engine. */
  version: Schema.String,
  /** The source of the types: the engine itself, which lists all that it has, or the packages that it is made of. */
  source: Schema.Literals(["engine", "packages"]),
  /** Milliseconds since 1970. */
  made: Schema.Finite,
  /** Packages whose types are all in the list. */
  packages: Schema.Array(Schema.String),
  entries: Schema.Array(IndexEntry)
})
type Index = typeof Index.Type

/** All node types of one engine; each is read at its first use. */
export interface Catalog extends Pick<Index, "entries" | "made" | "packages" | "source" | "version"> {
  /** The line of the list about a type; callers may spell the package as the contract does. */
  readonly find: (type: string) => IndexEntry | undefined
  /** Every description of a type, each for some of its versions; none of a type that is not here. */
  readonly read: (type: string) => Effect.Effect<ReadonlyArray<NodeType>, ArchiveError>
}

const readIndex = Schema.decodeUnknownOption(Schema.fromJsonString(Index))
const readVersions = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(NodeType)))

/** The content of an archive: its list, and a text for each line. */
export const archiveContent = (
  about: Pick<Index, "made" | "packages" | "source" | "version">,
  collected: ReadonlyArray<Collected>
): { readonly index: string; readonly texts: ReadonlyArray<string> } => ({
  index: JSON.stringify({ format: 1, ...about, entries: collected.map(({ entry }) => entry) }),
  texts: collected.map(({ versions }) => JSON.stringify(versions))
})

/** Opens an archive; nothing where another version of this server wrote it. */
export const open = (archive: Archive): Option.Option<Catalog> =>
  Option.map(readIndex(archive.index), ({ entries, made, packages, source, version }) => {
    const places = new Map(entries.map(({ type }, place) => [type, place]))
    const cache = new Map<string, ReadonlyArray<NodeType>>()

    const entryOf = (type: string) => entries[places.get(type) ?? -1]

    const baseOf = (type: string): string | undefined => {
      const base = type.endsWith("Tool") ? type.slice(0, -"Tool".length) : ""
      return entryOf(base)?.asTool === true ? base : undefined
    }

    /** The type of which an engine makes one that asks a person before an agent's tool runs. */
    const askingBaseOf = (type: string): string | undefined => {
      const base = type.endsWith(askingSuffix) ? type.slice(0, -askingSuffix.length) : ""
      const asks = entryOf(base)?.actions.some(({ operation }) => operation === "sendAndWait") === true
      return asks && Number.parseInt(version, 10) >= 2 ? base : undefined
    }

    const find = (given: string): IndexEntry | undefined => {
      const type = toEngineType(given)
      const base = baseOf(type) ?? askingBaseOf(type)
      const entry = entryOf(type) ?? (base === undefined ? undefined : entryOf(base))
      return entry === undefined || entry.type === type
        ? entry
        : { ...entry, type, title: `${entry.title} Tool`, asTool: false, gives: ["ai_tool"], isTrigger: false }
    }

    const readOwn = Effect.fnUntraced(function* (type: string) {
      const place = places.get(type)
      const cachedVersions = cache.get(type)
      if (place === undefined || cachedVersions !== undefined) return cachedVersions ?? []
      const text = yield* archive.read(place)
      const versions = yield* Effect.mapError(
        readVersions(text),
        () => new ArchiveError({ message: `The stored node type ${type} cannot be read` })
      )
      if (cache.size >= maxCached) cache.clear()
      cache.set(type, versions)
      return versions
    })

    return {
      entries,
      made,
      packages,
      source,
      version,
      find,
      read: (given) => {
        const type = toEngineType(given)
        const asking = places.has(type) ? undefined : askingBaseOf(type)
        if (asking !== undefined) return Effect.map(readOwn(asking), (versions) => versions.map(asAskingTool))
        const base = places.has(type) ? undefined : baseOf(type)
        return base === undefined ? readOwn(type) : Effect.map(readOwn(base), (versions) => versions.map(asTool))
      }
    }
  })

const askingSuffix = "HitlTool"

/** Types whose descriptions are kept in memory. */
const maxCached = 64

/** A node type as engines offer it to agents: without inputs, and with words about when to use it. */
const asTool = (node: NodeType): NodeType => {
  const { asTool: _, description, properties, title, type, ...rest } = node
  const has = (name: string) => properties.some((property) => property.name === name)
  const isChosen = has("resource") || has("operation")
  const words: Property = {
    name: "toolDescription",
    title: "Description",
    type: "string",
    default: description,
    required: true,
    ...(isChosen ? { show: { descriptionType: ["manual"] } } : {})
  }
  const addedProperties = has("toolDescription") ? [] : [...(isChosen ? [descriptionType] : []), words]
  return {
    ...rest,
    type: `${type}Tool`,
    title: `${title} Tool`,
    description,
    isTrigger: false,
    inputs: [],
    outputs: [{ type: "ai_tool" }],
    properties: [...addedProperties, ...properties]
  }
}

const descriptionType: Property = {
  name: "descriptionType",
  title: "Tool Description",
  type: "options",
  default: "auto",
  choices: [
    { value: "auto", title: "Set Automatically" },
    { value: "manual", title: "Set Manually" }
  ]
}

/** A node type that asks a person, as engines put it between an agent and a tool. */
const asAskingTool = (node: NodeType): NodeType => {
  const { asTool: _, properties, title, type, ...rest } = node
  const asks = properties.find(
    ({ choices = [], name }) => name === "operation" && choices.some(({ value }) => value === operation)
  )
  const resource = asks?.show?.resource?.[0]
  const fixed = (name: string, value: unknown): Property => ({ name, title: name, type: "hidden", default: value })
  const replaced = new Set(["message", "operation", "resource", "responseType"])
  return {
    ...rest,
    type: `${type}HitlTool`,
    title: `${title} Human Review`,
    description: "Request human approval for tools",
    isTrigger: false,
    inputs: [{ type: "ai_tool", required: true }],
    outputs: [{ type: "ai_tool" }],
    properties: [
      { name: "message", title: "Message", type: "string", default: "=", required: true },
      ...(resource === undefined ? [] : [fixed("resource", resource)]),
      fixed("operation", operation),
      fixed("responseType", "approval"),
      ...properties.filter(({ name }) => !replaced.has(name))
    ]
  }
}

const operation = "sendAndWait"
