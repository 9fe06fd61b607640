import { Clock, Context, type Duration, Effect, Fiber, Option, Schema, Semaphore } from "effect"

import type { EngineClient } from "../client/EngineClient.ts"
import type { EngineError } from "../client/EngineError.ts"
import type { CommunityPackage } from "../workflow/models.ts"
import { nodePackages, packageOf } from "../workflow/naming.ts"
import { type Catalog, open, written } from "./Catalog.ts"
import { collectNodeTypes } from "./collectNodeTypes.ts"
import { type Archive, archiveOf, Archives, type NodePackage, NodePackages } from "./NodePackages.ts"

type Engine = EngineClient["Service"]

/** What is known of an engine's node types. */
export interface Known {
  readonly catalog: Catalog | undefined
  /** Why nothing is known beyond the instance's own workflows, and what to do about it. */
  readonly hint?: string
  /** Whether somebody only has to wait, or to say so, for it to be known. */
  readonly canBeHad?: boolean
}

/** Milliseconds for which an engine's version is taken as known, and what it told of its types as true. */
const versionIsFresh = 10 * 60_000
const typesAreFresh = 24 * 60 * 60_000

/** Longest wait of one call. */
const longest = "40 seconds"

/** Longest wait of who has something else to do. */
const aMoment = "2500 millis"

interface State {
  readonly turn: Semaphore.Semaphore
  known: Known | undefined
  /** When the version was last asked for. */
  asked: number
  /** When nothing could be found out. */
  failed: number
  /** What is being found out, for all who ask meanwhile. */
  running: Fiber.Fiber<Known, EngineError> | undefined
}

export interface NodeKnowledge {
  /** Finds out, once; an engine of generation 1 is asked for its types, which takes a second or two. */
  readonly of: (engine: Engine) => Effect.Effect<Known, EngineError>
  /** What was found out before, by this process or another one of the user's; nobody is asked for anything. */
  readonly atHand: (engine: Engine) => Effect.Effect<Option.Option<Catalog>>
  /** What is at hand, or can be found out within a moment; what takes longer goes on beside. */
  readonly soon: (engine: Engine) => Effect.Effect<Known>
}

const make = (): NodeKnowledge => {
  const states = new WeakMap<Engine, State>()

  const stateOf = (engine: Engine): State => {
    const known = states.get(engine)
    if (known !== undefined) return known
    const state: State = {
      turn: Semaphore.makeUnsafe(1),
      known: undefined,
      asked: -Infinity,
      failed: -Infinity,
      running: undefined
    }
    states.set(engine, state)
    return state
  }

  const of = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    const now = yield* Clock.currentTimeMillis
    if (state.known?.catalog !== undefined && now < state.asked + versionIsFresh) return state.known
    const known = yield* findOut(engine)
    state.known = known
    state.asked = now
    state.failed = known.catalog === undefined ? now : -Infinity
    return known
  })

  const atHand = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    if (state.known?.catalog !== undefined) return Option.some(state.known.catalog)
    const { policy } = yield* NodePackages
    const version = policy === "off" ? Option.none<string>() : yield* lastSeen(engine)
    if (Option.isNone(version)) return Option.none()
    const found = yield* kept(engine, version.value)
    // Who asks for more than what is at hand finds out which version it is now.
    if (Option.isSome(found)) state.known = { catalog: found.value }
    return found
  })

  /** Goes on when its caller leaves: a download of packages may take longer than a call. */
  const together = Effect.fnUntraced(function* (engine: Engine, wait: Duration.Input = longest) {
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
      orElse: () => Effect.succeed<Known>({ catalog: undefined, hint: stillFetching, canBeHad: true })
    })
  })

  const soon = Effect.fnUntraced(function* (engine: Engine) {
    const state = stateOf(engine)
    const now = yield* Clock.currentTimeMillis
    if (state.running === undefined) {
      const found = yield* state.turn.withPermit(atHand(engine))
      if (Option.isSome(found)) return { catalog: found.value }
      // Who could not tell a moment ago is not asked again for every write.
      if (state.known !== undefined && now < state.failed + versionIsFresh) return state.known
    }
    return yield* Effect.orElseSucceed(together(engine, aMoment), (): Known => ({ catalog: undefined }))
  })

  return {
    of: (engine) => together(engine),
    atHand: (engine) => stateOf(engine).turn.withPermit(atHand(engine)),
    soon
  }
}

/** What this process and its cache know of the node types of engines. */
export const NodeKnowledge = Context.Reference<NodeKnowledge>("workflow-tool-server/engine/nodes/NodeKnowledge", {
  defaultValue: make
})

/** Under which name is kept what an instance told of itself: what is installed there may be nowhere else. */
const ownName = (engine: Engine, version: string) => `${version}@${nameOfHost(engine)}`.slice(0, 120)

const nameOfHost = ({ host }: Engine) => host.replace(/^https?:\/\//, "").replace(/[^A-Za-z0-9.-]+/g, "_")

const Seen = Schema.fromJsonString(Schema.Struct({ version: Schema.String, at: Schema.Finite }))

/** The version that an instance had when it was last asked, if that was not long ago. */
const lastSeen = Effect.fnUntraced(function* (engine: Engine) {
  const now = yield* Clock.currentTimeMillis
  const found = yield* Effect.orElseSucceed((yield* Archives).open(`seen@${nameOfHost(engine)}`), () =>
    Option.none<Archive>()
  )
  return Option.flatMap(found, ({ index }) => Schema.decodeOption(Seen)(index)).pipe(
    Option.filter(({ at }) => now < at + typesAreFresh),
    Option.map(({ version }) => version)
  )
})

/** Keeps in mind which version an instance has. */
const see = Effect.fnUntraced(function* (engine: Engine, version: string) {
  const at = yield* Clock.currentTimeMillis
  const { save } = yield* Archives
  yield* Effect.ignore(save(`seen@${nameOfHost(engine)}`, JSON.stringify({ version, at }), []))
})

/** What is kept of an engine of this version, by this instance or from packages. */
const kept = Effect.fnUntraced(function* (engine: Engine, version: string) {
  const archives = yield* Archives
  const now = yield* Clock.currentTimeMillis
  const read = (name: string) =>
    Effect.match(archives.open(name), { onSuccess: Option.flatMap(open), onFailure: () => Option.none<Catalog>() })
  const own = Option.filter(yield* read(ownName(engine, version)), ({ made }) => now < made + typesAreFresh)
  return Option.isSome(own) ? own : yield* read(version)
})

const findOut = Effect.fnUntraced(function* (engine: Engine): Effect.fn.Return<Known, EngineError> {
  const { policy } = yield* NodePackages
  if (policy === "off") return { catalog: undefined, hint: isOff }
  const told = yield* engine.publicVersion
  if (Option.isNone(told)) return { catalog: undefined, hint: noVersion }
  const version = told.value
  yield* see(engine, version)
  const found = yield* kept(engine, version)
  return Option.isSome(found) ? { catalog: found.value } : yield* lookUp(engine, version)
})

const lookUp = Effect.fnUntraced(function* (engine: Engine, version: string): Effect.fn.Return<Known, EngineError> {
  const { policy } = yield* NodePackages
  const types = yield* engine.nodeTypesIfSupported
  if (Option.isSome(types)) {
    return yield* keep(ownName(engine, version), version, "engine", [{ name: "", version, nodes: types.value }])
  }
  if (policy === "kept") return { catalog: undefined, hint: notFetched(version), canBeHad: true }
  return yield* Effect.matchEffect(readPackages(engine, version), {
    onFailure: ({ message }) => Effect.succeed({ catalog: undefined, hint: message }),
    onSuccess: ({ packages, others }) =>
      keep(others.length === 0 ? version : ownName(engine, version), version, "packages", [...packages, ...others])
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
      const described = readOther === undefined ? Effect.succeed(named(one)) : readOther(packageName, installedVersion)
      return described.pipe(
        Effect.map((found) => (found.nodes.length === 0 ? named(one) : found)),
        Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), named(one)))
      )
    }
  )
  return { packages, others }
})

/** A package of which only the names of its types are known. */
const named = ({ installedNodes = [], installedVersion, packageName }: CommunityPackage): NodePackage => ({
  name: "",
  version: installedVersion,
  nodes: installedNodes.map(({ latestVersion = 1, name, type }) => ({
    name: type.includes(".") ? type : `${packageName}.${type}`,
    displayName: name,
    version: latestVersion
  }))
})

/** Asks anew, as if nothing were kept: the engine itself, else its packages. */
export const fetchNodeTypes = Effect.fnUntraced(function* (engine: Engine): Effect.fn.Return<Known, EngineError> {
  const told = yield* engine.publicVersion
  if (Option.isNone(told)) return { catalog: undefined, hint: noVersion }
  yield* see(engine, told.value)
  return yield* lookUp(engine, told.value)
})

/** Keeps the types of packages, and opens what was kept; where there is no place for it, this process still has it. */
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
  const { index, texts } = written({ version, source, made, packages: names }, collected)
  const archive = yield* Effect.catch(archives.save(name, index, texts), ({ message }) =>
    Effect.as(Effect.logWarning(`Node types are not stored: ${message}`), archiveOf(index, texts))
  )
  const known: Known = { catalog: Option.getOrUndefined(open(archive)) }
  return known
})

const stillFetching = "The engine's node types are still being fetched: ask again in a minute."

const isOff = 'Node types are not looked up: nodeTypes is "off" in the configuration.'

const noVersion = "This engine does not tell its version, so that its node types cannot be looked up."

const notFetched = (version: string) =>
  `This engine (${version}) does not tell its node types. They are in its packages ${nodePackages.join(" and ")}: run ` +
  '"workflow-tool-server nodes fetch" once, or set nodeTypes in the configuration.'
