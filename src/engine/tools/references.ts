import { Array as Arrays, Effect, Option, Predicate, SchemaAST } from "effect"

import { only } from "../../internal/json/Selection.ts"
import type { Fields } from "../../mcp/Arguments.ts"
import { InvalidArgument, type ToolError } from "../../mcp/ToolError.ts"
import { EngineClient } from "../client/EngineClient.ts"
import { ApiError, type EngineError, reworded } from "../client/EngineError.ts"
import { isMissing } from "../client/isMissing.ts"
import { everything, firstPages, firstPagesIfSupported, workflowsIn } from "../client/listAll.ts"
import { idPattern, WorkflowId } from "../workflow/models.ts"
import {
  inQuotes,
  isSameName,
  type Kind,
  type Named,
  namedWorkflow,
  proposed,
  severalNamed,
  takenName
} from "../workflow/names.ts"
import { credentialsIn } from "../workflow/nodes.ts"
import type { Failure } from "./errors.ts"

/** An argument that refers to something. */
interface Reference {
  readonly argument: string
  readonly kind: Kind
  /** The id or the name that was given. */
  readonly given: string
}

/** The arguments of a tool that refer to something, with the kind of thing. */
export const referencesIn = (fields: Fields): ReadonlyArray<Omit<Reference, "given">> =>
  Object.entries(fields).flatMap(([argument, { ast }]) => {
    const kind = SchemaAST.resolveAt<Kind>("refersTo")(ast)
    return kind === undefined ? [] : [{ argument, kind }]
  })

/** Pages of a list that are looked through for a name, and for names that are like it. */
const mostPages = 40
const pageSize = 250

const identifying = only({ id: "whole", name: "whole", active: "whole", isArchived: "whole", tags: "whole" })

/**
 * The longest part of a text that every engine's name filter matches: engines ignore letter case only in ASCII, take `%`
 * and `_` as wildcards, and trim.
 */
export const sendablePart = (name: string): { readonly name?: string } => {
  const parts = name
    .normalize("NFC")
    .split(/[^\x20-\x7e]|[%_\\]/)
    .map((part) => part.trim())
  const longest = parts.reduce((a, b) => (b.length > a.length ? b : a), "")
  return longest === "" ? {} : { name: longest }
}

/** The workflows whose names may contain a text; those of the first page where there is none. */
const workflowsLike = (text: string | undefined) =>
  EngineClient.use(({ listWorkflows }) =>
    firstPages(
      (query) =>
        listWorkflows(
          { ...query, ...(text === undefined ? {} : sendablePart(text)), excludePinnedData: true },
          identifying
        ),
      { limit: pageSize, pages: text === undefined ? 1 : mostPages },
      (page) => page.flatMap(namedWorkflow)
    )
  ).pipe(Effect.map(({ matches }) => matches))

const tags = EngineClient.use(({ listTags }) => firstPages(listTags, { pages: mostPages }, everything)).pipe(
  Effect.map(({ matches }) => matches.map(({ id, name }): Named => ({ id, name, state: "" })))
)

/** The credentials that an engine lists, or else those that its workflows use. */
const credentials = Effect.gen(function* () {
  const { listCredentialsIfSupported, listWorkflows } = yield* EngineClient
  const listed = yield* firstPagesIfSupported(listCredentialsIfSupported, { pages: mostPages }, everything).pipe(
    Effect.catchTag("PermissionDenied", () => Effect.succeedNone)
  )
  if (Option.isSome(listed)) return listed.value.matches.flatMap(asCredential)
  const { matches } = yield* firstPages(
    (query) => listWorkflows({ ...query, excludePinnedData: true }),
    { pages: mostPages },
    (page) => credentialsIn(workflowsIn(page))
  )
  return [...new Map(matches.map((one) => [one.id, one])).values()].flatMap(asCredential)
})

const asCredential = ({ id, name, type }: { readonly [field in "id" | "name" | "type"]?: unknown }) =>
  Predicate.isString(id) && Predicate.isString(name) ? [{ id, name, state: String(type) } satisfies Named] : []

/** Everything that an instance has of a kind, as far as a name has to be looked for among it. */
const thingsOf: {
  readonly [kind in Kind]: (name: string) => Effect.Effect<ReadonlyArray<Named>, EngineError, EngineClient>
} = { credential: () => credentials, tag: () => tags, workflow: workflowsLike }

/** Everything of a kind that has exactly this name. */
const named = (kind: Kind, given: string) =>
  Effect.map(thingsOf[kind](given), (things) =>
    things.filter(({ id, name }) => idPattern.test(id) && isSameName(name, given))
  )

/** The workflows of exactly this name. */
export const workflowsNamed = (name: string) => named("workflow", name)

/** A thing as a refusal has it that says that it is missing. */
const thingOf = ({ given, kind }: Omit<Reference, "argument">): string => `${kind} ${given}`

/** The engine's refusal of a thing that it does not have, for a name; one that cannot be an id is quoted. */
const notFound = ({ given, kind }: Omit<Reference, "argument">, instance: string) =>
  new ApiError({
    instance,
    httpStatus: 404,
    missing: thingOf({ given, kind }),
    problem: `Not Found (${kind} ${idPattern.test(given) ? given : inQuotes(given)} on instance ${instance})`,
    apiResponse: { message: "Not Found" }
  })

/** Longest time for names that are like an unknown one: they only help. */
const hintTime = "5 seconds"

/** The end of a refusal that proposes names like the one that was given; empty if there are none. */
const hintFor = ({ given, kind }: Omit<Reference, "argument">) =>
  (kind === "workflow" ? workflowsLike(undefined) : thingsOf[kind](given)).pipe(
    Effect.map((things) => proposed(given, things)),
    Effect.timeout(hintTime),
    Effect.orElseSucceed(() => "")
  )

/** The refusal with the names that are like the one that was given, if there are any. */
const withNamesAlike = (error: ApiError, reference: Reference) =>
  Effect.map(hintFor(reference), (hint) => (hint === "" ? error : reworded(error, `${error.problem}${hint}`)))

/**
 * Fails as for an unknown id where a workflow is called like that, so that its name is resolved. For lists, which engines answer
 * empty for an unknown workflow.
 */
export const refuseName = Effect.fnUntraced(function* (given: string, deletedNamed?: DeletedNamed) {
  const { instance } = yield* EngineClient
  const reference = { argument: "", given, kind: "workflow" } as const
  const things = yield* Effect.orElseSucceed(thingsNamed(reference, { deletedNamed }), () => [])
  yield* things.length === 0 ? Effect.void : Effect.fail(notFound(reference, instance))
})

/** Whether an instance has something of this id; the engine's own answer counts, not the looks of a text. */
export const exists = ({ given, kind }: Omit<Reference, "argument">) => {
  if (kind !== "workflow") return Effect.map(thingsOf[kind](given), (things) => things.some(({ id }) => id === given))
  return EngineClient.use(({ getWorkflow }) => getWorkflow(WorkflowId.make(given))).pipe(
    Effect.as(true),
    Effect.catchIf(isMissing, () => Effect.succeed(false))
  )
}

/**
 * The notice about a workflow of which a list has nothing, if the instance does not have it. Engines answer such a list empty.
 * A name in place of the id is refused like an unknown id, so that it is resolved.
 */
export const noticesOfUnknown = Effect.fnUntraced(function* (given: string, deletedNamed?: DeletedNamed) {
  const { instance } = yield* EngineClient
  const isThere = yield* Effect.option(exists({ given, kind: "workflow" }))
  if (Option.contains(isThere, true)) return []
  yield* refuseName(given, deletedNamed)
  if (Option.isNone(isThere)) return []
  const hint = yield* hintFor({ given, kind: "workflow" })
  return [`There is no workflow ${given} on instance ${instance}${hint === "" ? "." : hint}`]
})

/** Looks up the deleted workflows of a name. */
export type DeletedNamed = (name: string) => Effect.Effect<ReadonlyArray<Named>, Failure, EngineClient>

/** Options for the names in one call. */
interface Options {
  /** For tools that work on deleted workflows, too. */
  readonly deletedNamed?: DeletedNamed | undefined
  /** Asks whether it may go on with what was given by its name. By default it may. */
  readonly agree?: ((kind: Kind, thing: Named) => Effect.Effect<void, ToolError, EngineClient>) | undefined
}

/** A name that was taken for an id. */
interface Resolved {
  readonly argument: string
  readonly id: string
  readonly notice: string
}

/** Everything of the name in an argument; deleted workflows where no other has it. */
const thingsNamed = Effect.fnUntraced(function* (
  { given, kind }: Reference,
  { deletedNamed }: Options
): Effect.fn.Return<ReadonlyArray<Named>, Failure, EngineClient> {
  const things = yield* named(kind, given)
  return things.length === 0 && kind === "workflow" && deletedNamed !== undefined ? yield* deletedNamed(given) : things
})

/** The id of the only thing of a name. */
const idOfOnly = Effect.fnUntraced(function* (
  reference: Reference,
  [thing, ...others]: readonly [Named, ...ReadonlyArray<Named>],
  { agree }: Options
): Effect.fn.Return<Resolved, Failure, EngineClient> {
  const { argument, given, kind } = reference
  if (others.length > 0) {
    const problem = severalNamed(given, kind, [thing, ...others], (yield* EngineClient).instance)
    return yield* new InvalidArgument({ argument, problem })
  }
  if (agree !== undefined) yield* agree(kind, thing)
  return { argument, id: thing.id, notice: takenName(thing, kind) }
})

/** The id of a name that cannot be an id itself. */
const idOf = Effect.fnUntraced(function* (reference: Reference, options: Options) {
  const things = yield* thingsNamed(reference, options)
  if (Arrays.isReadonlyArrayNonEmpty(things)) return yield* idOfOnly(reference, things, options)
  return yield* yield* withNamesAlike(notFound(reference, (yield* EngineClient).instance), reference)
})

/** The id of a name that was taken for an id, which the engine has refused; else that refusal, with names that are alike. */
const idInstead = Effect.fnUntraced(function* (
  refusal: ApiError,
  reference: Reference,
  options: Options
): Effect.fn.Return<Resolved, Failure, EngineClient> {
  const things = yield* Effect.orElseSucceed(thingsNamed(reference, options), (): ReadonlyArray<Named> => [])
  if (!Arrays.isReadonlyArrayNonEmpty(things)) return yield* yield* withNamesAlike(refusal, reference)
  const isId = yield* Effect.orElseSucceed(exists(reference), () => true)
  return isId ? yield* refusal : yield* idOfOnly(reference, things, options)
})

/** Arguments with ids in place of names. */
const withIds = <A extends object>(args: A, resolved: ReadonlyArray<Resolved>): A =>
  Object.assign({}, args, Object.fromEntries(resolved.map(({ argument, id }) => [argument, id])))

/** An answer that also says which names were taken for ids, in the field in which others have their notices. */
export const withNotices = <A extends object>(answer: A, notices: ReadonlyArray<string>): A => {
  if (notices.length === 0) return answer
  const before = Predicate.hasProperty(answer, "notice") && Predicate.isString(answer.notice) ? [answer.notice] : []
  return Object.assign({ notice: "" }, answer, { notice: [...notices, ...before].join(" ") })
}

/** The notices that are left where an answer has the id and the name of a workflow itself. */
export const unsaidIn = (answer: object, notices: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { id, name } = { id: "", name: "", ...answer }
  return notices.filter((notice) => notice !== takenName({ id, name, state: "" }, "workflow"))
}

const isOfMissing = (error: Failure): error is ApiError => error._tag === "ApiError" && isMissing(error)

/**
 * Runs a program with ids in place of the names among its arguments. What can be an id is taken as one first: only where the
 * engine has nothing of that id, its name is looked for. A program that finds its thing missing must have changed nothing.
 */
export const resolvingNames = <Args extends object, A, R>(
  references: ReadonlyArray<Omit<Reference, "given">>,
  args: Args,
  options: Options,
  run: (args: Args, notices: ReadonlyArray<string>) => Effect.Effect<A, Failure, R>
): Effect.Effect<A, Failure, EngineClient | R> => {
  const all = references.flatMap((reference): ReadonlyArray<Reference> => {
    const given: unknown = Predicate.hasProperty(args, reference.argument) ? args[reference.argument] : undefined
    return Predicate.isString(given) ? [{ ...reference, given }] : []
  })
  if (all.length === 0) return run(args, [])
  const canBeId = ({ given }: Reference) => idPattern.test(given)
  const runWith = (resolved: ReadonlyArray<Resolved>) =>
    run(
      withIds(args, resolved),
      resolved.map(({ notice }) => notice)
    )
  return Effect.gen(function* () {
    const fromNames = yield* Effect.forEach(
      all.filter((one) => !canBeId(one)),
      (one) => idOf(one, options)
    )
    return yield* Effect.catchIf(runWith(fromNames), isOfMissing, (refusal) => {
      const reference = all.find((one) => canBeId(one) && refusal.missing === thingOf(one))
      return reference === undefined
        ? Effect.fail(refusal)
        : Effect.flatMap(idInstead(refusal, reference, options), (one) => runWith([...fromNames, one]))
    })
  })
}
