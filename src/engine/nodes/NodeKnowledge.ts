import { Clock, Context, type Duration, Effect, Fiber, Option, Schema, Semaphore } from "effect"

import type { EngineClient } from "../client/EngineClient.ts"
import type { EngineError } from "../client/EngineError.ts"
import type { CommunityPackage } from "../workflow/models.ts"
import { packageOf } from "../workflow/naming.ts"
import { archiveContent, type Catalog, open } from "./Catalog.ts"
import { collectNodeTypes } from "./collectNodeTypes.ts"
import { type Archive, archiveOf, Archives, type NodePackage, NodePackages } from "./NodePackages.ts"

type Engine = EngineClient["Service"]

/** The node types of an engine, or a hint about why there are none. */
export interface CatalogLookup {
  readonly catalog: Catalog | undefined
  /** The reason why there is no catalog, and what to do about it. */
  readonly hint?: string
  /** Whether waiting, or a command, would get the catalog. */
  readonly isFetchable?: boolean
}

/** Milliseconds for which an engine's version, and the types that it listed, are taken as current. */
const versionIsFresh = 10 * 60_000
const typesAreFresh = 24 * 60 * 60_000

/** Longest wait of a call for node types. */
const longestWait = "40 seconds"

/** Longest wait of a call for which node types are an extra. */
const shortWait = "2500 millis"

interface State {
  readonly turn: Semaphore.Semaphore
  lookup: CatalogLookup | undefined
  /** Time of the last look at the version. */
  lookedUpAt: number
  /** Time of the last failed lookup. */
  failedAt: number
  /** The lookup under way, shared by all callers. */
  running: Fiber.Fiber<CatalogLookup, EngineError> | undefined
}

export interface NodeKnowledge {
  /** Looks the types up, once; an engine of generation 1 lists them itself, which takes a second or two. */
  readonly of: (engine: Engine) => Effect.Effect<CatalogLookup, EngineError>
  /** The catalog that this process or another one of the user's has already, without a request. */
  readonly atHand: (engine: Engine) => Effect.Effect<Option.Option<Catalog>>
  /** The catalog at hand, or one that can be looked up within a moment; a longer lookup goes on in the background. */
  readonly soon: (engine: Engine) => Effect.Effect<CatalogLookup>
}

const make = (): NodeKnowledge => {
  const states = new WeakMap<Engine, State>()

  const stateOf = (engine: Engine): State => {
    const existingState = states.get(engine)
    if (existingState !== undefined) return existingState
    const state: State = {
      turn: Semaphore.makeUnsafe(1),
      lookup: undefined,
      lookedUpAt: -Infinity,
      failedAt: -Infinity,
      running: undefined
    }
    states.set(engine, state)
    return state
  }

  const of = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    const now = yield* Clock.currentTimeMillis
    if (state.lookup?.catalog !== undefined && now < state.lookedUpAt + versionIsFresh) return state.lookup
    const lookup = yield* lookUpOnce(engine)
    state.lookup = lookup
    state.lookedUpAt = now
    state.failedAt = lookup.catalog === undefined ? now : -Infinity
    return lookup
  })

  const atHand = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    if (state.lookup?.catalog !== undefined) return Option.some(state.lookup.catalog)
    const { policy } = yield* NodePackages
    const version = policy === "off" ? Option.none<string>() : yield* archivedVersion(engine)
    if (Option.isNone(version)) return Option.none()
    const catalog = yield* archivedCatalog(engine, version.value)
    // Who asks for more than what is at hand finds out which version it is now.
    if (Option.isSome(catalog)) state.lookup = { catalog: catalog.value }
    return catalog
  })

  /** Goes on when its caller leaves: a download of packages may take longer than a call. */
  const shared = Effect.fnUntraced(function* (engine: Engine, wait: Duration.Input = longestWait) {
    const state = stateOf(engine)
    const running = state.running ?? (yield* Effect.forkDetach(state.turn.withPermit(of(engine))))
    if (state.running === undefined) {
      state.running = running
      running.addObserver(() => {
        state.running = undefined
      })
    }
    return yield* Effect.timeoutOrElse(Fiber.join(running), {
      duration: wait,
      orElse: () => Effect.succeed<CatalogLookup>({ catalog: undefined, hint: stillFetching, isFetchable: true })
    })
  })

  const soon = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    const now = yield* Clock.currentTimeMillis
    if (state.running === undefined) {
      const catalog = yield* state.turn.withPermit(atHand(engine))
      if (Option.isSome(catalog)) return { catalog: catalog.value }
      // Who could not tell a moment ago is not asked again for every write.
      if (state.lookup !== undefined && now < state.failedAt + versionIsFresh) return state.lookup
    }
    return yield* Effect.orElseSucceed(shared(engine, shortWait), (): CatalogLookup => ({ catalog: undefined }))
  })

  return {
    of: (engine) => shared(engine),
    atHand: (engine) => stateOf(engine).turn.withPermit(atHand(engine)),
    soon
  }
}

/** The node types of engines, from this process and its cache. */
export const NodeKnowledge = Context.Reference<NodeKnowledge>("workflow-tool-server/engine/nodes/NodeKnowledge", {
  defaultValue: make
})

/** Name of the archive of types that an instance listed itself: packages that are installed there may be nowhere else. */
const instanceArchiveName = (engine: Engine, version: string) => `${version}@${nameOfHost(engine)}`.slice(0, 120)

const nameOfHost = ({ host }: Engine) => host.replace(/^https?:\/\//, "").replace(/[^A-Za-z0-9.-]+/g, "_")

const Seen = Schema.fromJsonString(Schema.Struct({ version: Schema.String, at: Schema.Finite }))

/** The version that an instance had at the last request, if that was not long ago. */
const archivedVersion = Effect.fnUntraced(function* (engine: Engine) {
  const now = yield* Clock.currentTimeMillis
  const archive = yield* Effect.orElseSucceed((yield* Archives).open(`seen@${nameOfHost(engine)}`), () =>
    Option.none<Archive>()
  )
  return Option.flatMap(archive, ({ index }) => Schema.decodeOption(Seen)(index)).pipe(
    Option.filter(({ at }) => now < at + typesAreFresh),
    Option.map(({ version }) => version)
  )
})

/** The archived catalog of this version's packages, whether or not an instance has it. */
export const archivedTypes = Effect.fnUntraced(function* (version: string) {
  const { open: openArchive } = yield* Archives
  return Option.flatMap(yield* Effect.orElseSucceed(openArchive(version), () => Option.none<Archive>()), open)
})

/** Archives the version of an instance. */
const archiveVersion = Effect.fnUntraced(function* (engine: Engine, version: string) {
  const at = yield* Clock.currentTimeMillis
  const { save } = yield* Archives
  yield* Effect.ignore(save(`seen@${nameOfHost(engine)}`, JSON.stringify({ version, at }), []))
})

/** The archived catalog of an engine of this version: of this instance, or from packages. */
const archivedCatalog = Effect.fnUntraced(function* (engine: Engine, version: string) {
  const archives = yield* Archives
  const now = yield* Clock.currentTimeMillis
  const read = (name: string) =>
    Effect.match(archives.open(name), { onSuccess: Option.flatMap(open), onFailure: () => Option.none<Catalog>() })
  const instanceCatalog = Option.filter(
    yield* read(instanceArchiveName(engine, version)),
    ({ made }) => now < made + typesAreFresh
  )
  return Option.isSome(instanceCatalog) ? instanceCatalog : yield* read(version)
})

const lookUpOnce = Effect.fnUntraced(function* (engine: Engine): Effect.fn.Return<CatalogLookup, EngineError> {
  const { policy } = yield* NodePackages
  if (policy === "off") return { catalog: undefined, hint: isOff }
  const publicVersion = yield* engine.publicVersion
  if (Option.isNone(publicVersion)) return { catalog: undefined, hint: noVersion }
  const version = publicVersion.value
  yield* archiveVersion(engine, version)
  const catalog = yield* archivedCatalog(engine, version)
  return Option.isSome(catalog) ? { catalog: catalog.value } : yield* lookUp(engine, version)
})

const lookUp = Effect.fnUntraced(function* (
  engine: Engine,
  version: string
): Effect.fn.Return<CatalogLookup, EngineError> {
  const { policy } = yield* NodePackages
  const types = yield* engine.nodeTypesIfSupported
  if (Option.isSome(types)) {
    return yield* keep(instanceArchiveName(engine, version), version, "engine", [
      { name: "", version, nodes: types.value }
    ])
  }
  if (policy === "kept") return { catalog: undefined, hint: notFetched(version), isFetchable: true }
  return yield* Effect.matchEffect(readPackages(engine, version), {
    onFailure: ({ message }) => Effect.succeed({ catalog: undefined, hint: message }),
    onSuccess: ({ packages, others }) =>
      keep(others.length === 0 ? version : instanceArchiveName(engine, version), version, "packages", [
        ...packages,
        ...others
      ])
  })
})

/** The packages of an engine, and those that are installed beside them, as far as anybody can read them. */
const readPackages = Effect.fnUntraced(function* (engine: Engine, version: string) {
  const { read, readOther } = yield* NodePackages
  const packages = yield* read(version)
  const installed = yield* Effect.orElseSucceed(engine.communityPackagesIfSupported, () =>
    Option.none<ReadonlyArray<CommunityPackage>>()
  )
  const others = yield* Effect.forEach(
    Option.getOrElse(installed, () => []),
    (one) => {
      const { installedVersion, packageName } = one
      const described =
        readOther === undefined ? Effect.succeed(namesOnly(one)) : readOther(packageName, installedVersion)
      return described.pipe(
        Effect.map((nodePackage) => (nodePackage.nodes.length === 0 ? namesOnly(one) : nodePackage)),
        Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), namesOnly(one)))
      )
    }
  )
  return { packages, others }
})

/** A package of which only the names of its types are known. */
const namesOnly = ({ installedNodes = [], installedVersion, packageName }: CommunityPackage): NodePackage => ({
  name: "",
  version: installedVersion,
  nodes: installedNodes.map(({ latestVersion = 1, name, type }) => ({
    name: type.includes(".") ? type : `${packageName}.${type}`,
    displayName: name,
    version: latestVersion
  }))
})

/** Looks the types up again, as if nothing were archived: in the engine itself, else in its packages. */
export const fetchNodeTypes = Effect.fnUntraced(function* (
  engine: Engine
): Effect.fn.Return<CatalogLookup, EngineError> {
  const publicVersion = yield* engine.publicVersion
  if (Option.isNone(publicVersion)) return { catalog: undefined, hint: noVersion }
  yield* archiveVersion(engine, publicVersion.value)
  return yield* lookUp(engine, publicVersion.value)
})

/** Looks up the types of a version, whether or not an instance has it, in its packages. */
export const fetchVersion = Effect.fnUntraced(function* (version: string) {
  const { read } = yield* NodePackages
  return yield* Effect.matchEffect(read(version), {
    onFailure: ({ message }) => Effect.succeed<CatalogLookup>({ catalog: undefined, hint: message }),
    onSuccess: (packages) => keep(version, version, "packages", packages)
  })
})

/** Archives the types of packages and opens the archive; where nothing can be stored, this process still has them. */
const keep = Effect.fnUntraced(function* (
  name: string,
  version: string,
  source: Catalog["source"],
  packages: ReadonlyArray<NodePackage>
) {
  const archives = yield* Archives
  const made = yield* Clock.currentTimeMillis
  const collected = packages.flatMap((one) => collectNodeTypes(one.nodes, one.name === "" ? "" : `${one.name}.`))
  const names = [...new Set(collected.map(({ entry }) => packageOf(entry.type)))]
  const { index, texts } = archiveContent({ version, source, made, packages: names }, collected)
  const archive = yield* Effect.catch(archives.save(name, index, texts), ({ message }) =>
    Effect.as(Effect.logWarning(`Node types are not stored: ${message}`), archiveOf(index, texts))
  )
  const lookup: CatalogLookup = { catalog: Option.getOrUndefined(open(archive)) }
  return lookup
})

const stillFetching = "The engine's node types are still being fetched: ask again in a minute."

const isOff = 'Node types are not looked up: nodeTypes is "off" in the configuration.'

const noVersion = "This engine does not tell its version, so that its node types cannot be looked up."

const notFetched = (version: string) =>
  `This engine (${version}) does not tell its node types: run "workflow-tool-server nodes fetch" once.`
