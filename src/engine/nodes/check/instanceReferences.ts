import { DateTime, Effect, Option, Predicate } from "effect"

import { isJsonObject, type JsonObject, objectOf, textOf } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import type { EngineClient } from "../../client/EngineClient.ts"
import type { EngineError } from "../../client/EngineError.ts"
import { isMissing } from "../../client/isMissing.ts"
import { everything, firstPagesIfSupported } from "../../client/listAll.ts"
import { idPattern, type Page, type PageQuery, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { isSameName } from "../../workflow/names.ts"
import { isCommunityPackage, packageOf, toEngineType } from "../../workflow/naming.ts"
import { nameOf } from "../../workflow/nodes.ts"
import { createsTable, tableUses, type VariableUse, variableUses } from "../../workflow/resources.ts"
import { errorWorkflowOf, subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import type { Catalog } from "../Catalog.ts"
import type { Finding } from "./Finding.ts"
import { mustBeThere } from "./node.ts"

const maxPages = 4

/** References to credentials that the instance does not list to this key. */
export const checkCredentialIds = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>
) {
  const wanted = nodes.flatMap((node) =>
    Object.entries(objectOf(node.credentials)).flatMap(([type, reference]) =>
      isJsonObject(reference) && Predicate.isString(reference.id)
        ? [{ node: nameOf(node), type, id: reference.id, name: textOf(reference.name) }]
        : []
    )
  )
  if (wanted.length === 0) return []
  const credentials = yield* listed(engine)
  if (credentials === undefined) return []
  return wanted.flatMap(({ id, name, node, type }): ReadonlyArray<Finding> => {
    const at = { level: "error", node, field: `credentials.${type}` } as const
    const credential = credentials.get(id)
    if (credential === undefined) {
      const same = [...credentials].find(([, one]) => one.type === type)
      const fix = same === undefined ? "Create it with create_credential" : `There is ${same[1].name} (${same[0]})`
      return [{ ...at, problem: `there is no credential ${name === "" ? id : `${name} (${id})`} here`, fix }]
    }
    return credential.type === type
      ? []
      : [
          {
            ...at,
            problem: `credential ${credential.name} (${id}) is of type ${credential.type}`,
            fix: `It must be of type ${type}`
          }
        ]
  })
})

/** Credentials by id; undefined if the engine does not list all. */
const listed = (engine: EngineClient["Service"]) =>
  firstPagesIfSupported(engine.listCredentialsIfSupported, { pages: maxPages }, (page) =>
    page.map(({ id, name, type }) => [textOf(id), { name: textOf(name), type: textOf(type) }] as const)
  ).pipe(
    Effect.catchTag("PermissionDenied", () => Effect.succeedNone),
    Effect.map((read) => (Option.isSome(read) && read.value.isWhole ? new Map(read.value.matches) : undefined))
  )

/** Data tables and variables that nodes use and the instance does not have, as far as it lists them to this key. */
export const checkResources = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>
) {
  const enabled = nodes.filter(isEnabled)
  const [tables, variables] = yield* Effect.all(
    [missingTables(engine, enabled), missingVariables(engine, variableUses(enabled))],
    { concurrency: 2 }
  )
  return [...tables, ...variables]
})

/** All items of a list; undefined where nobody can tell what it lacks. */
const whole = <A>(list: (query: PageQuery) => Effect.Effect<Option.Option<Page<A>>, EngineError>) =>
  firstPagesIfSupported(list, { pages: maxPages }, everything).pipe(
    Effect.map(Option.map(({ isWhole, matches }) => (isWhole ? matches : undefined))),
    Effect.catchTag("PermissionDenied", () => Effect.succeedSome(undefined))
  )

const missingTables = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>
): Effect.fn.Return<ReadonlyArray<Finding>, EngineError> {
  // What a run makes, and what an expression names, is known in a run alone.
  const isMade = nodes.some(createsTable)
  const uses = tableUses(nodes).filter(({ by }) => by === "id" || (by === "name" && !isMade))
  if (uses.length === 0) return []
  const listedTables = yield* whole(engine.listTablesIfSupported)
  const at = { level: "error", field: "parameters.dataTableId" } as const
  if (Option.isNone(listedTables)) {
    const problem = "this engine has no data tables: they came with generation 2"
    return uses.map(({ node }) => ({ ...at, node, problem }))
  }
  const tables = listedTables.value
  if (tables === undefined) return []
  return uses.flatMap((use): ReadonlyArray<Finding> => {
    const { by, name, node, value } = use
    if (tables.some((table) => (by === "id" ? table.id === value : isSameName(table.name, value)))) return []
    const wanted = name ?? value
    const guess = nearest(
      wanted,
      tables.map((table) => table.name)
    )
    const match = tables.find((table) => table.name === guess)
    const problem = `there is no data table ${wanted === value ? value : `${wanted} (${value})`} here`
    return [{ ...at, node, problem, fix: match === undefined ? "Create it" : `There is ${match.name} (${match.id})` }]
  })
})

const missingVariables = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  uses: ReadonlyArray<VariableUse>
): Effect.fn.Return<ReadonlyArray<Finding>, EngineError> {
  if (uses.every(({ name }) => name === undefined)) return []
  const variables = Option.getOrUndefined(yield* whole(engine.listVariablesIfSupported))
  if (variables === undefined) return []
  const keys = variables.map(({ key }) => key)
  return uses.flatMap(({ name, node }): ReadonlyArray<Finding> => {
    if (name === undefined || keys.includes(name)) return []
    const guess = nearest(name, keys)
    const problem = `there is no variable ${name} here: $vars.${name} is undefined`
    return [{ level: "warning", node, problem, fix: guess === undefined ? "Create it" : `There is ${guess}` }]
  })
})

/** Most workflows to look up. */
const most = 20

interface Mention {
  readonly id: string
  readonly finding: Pick<Finding, "field" | "node">
  /** Kinds of nodes of which the sub-workflow must have one. */
  readonly begins: ReadonlyArray<string>
}

/** Called workflows and error workflows that do not exist on the instance, or cannot be started that way. */
export const checkSubWorkflows = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  workflow: JsonObject & { readonly nodes: ReadonlyArray<JsonObject> }
) {
  const mentions = mentionsIn(workflow)
  const ids = [...new Set(mentions.map(({ id }) => id))].slice(0, most)
  const workflows = new Map(
    yield* Effect.forEach(ids, (id) => Effect.map(lookUp(engine, id), (one) => [id, one] as const), {
      concurrency: 4
    })
  )
  return mentions.flatMap(({ begins, finding, id }): ReadonlyArray<Finding> => {
    const other = workflows.get(id)
    if (other === undefined || other === "unknown") return []
    if (other === "missing") {
      const fix = "list_workflows tells the ids of those that are there"
      return [{ level: "error", ...finding, problem: `this instance has no workflow ${id}`, fix }]
    }
    if (other.nodes.some((node) => isEnabled(node) && begins.includes(kindOf(node)))) {
      // Engines of generation 2 run the published version of another workflow, not its draft.
      if (other.activeVersionId !== null || finding.node === undefined) return []
      const problem = `workflow ${other.name} (${id}) is not active: only active ones can be run by others here`
      return [{ level: "warning", ...finding, problem, fix: "Activate it with activate_workflow" }]
    }
    const problem = `workflow ${other.name} (${id}) cannot be started in this way: it has no enabled ${begins[0]}`
    return [{ level: "error", ...finding, problem, fix: `Give it a node of type ${begins[0]}` }]
  })
})

const mentionsIn = (workflow: JsonObject & { readonly nodes: ReadonlyArray<JsonObject> }): ReadonlyArray<Mention> => {
  const onError = errorWorkflowOf(workflow)
  return [
    ...workflow.nodes.filter(isEnabled).flatMap((node) => {
      const sub = subWorkflowOf(node)
      if (sub === undefined) return []
      return [
        {
          id: sub.id,
          finding: { node: nameOf(node), field: "parameters.workflowId" },
          begins: ["executeWorkflowTrigger", "manualTrigger", "manualChatTrigger", "start"]
        }
      ]
    }),
    ...(onError === undefined || onError === "DEFAULT"
      ? []
      : [{ id: onError, finding: { field: "settings.errorWorkflow" }, begins: ["errorTrigger"] }])
  ]
}

/** A workflow of the instance; one that this key may not see might still exist. */
const lookUp = (engine: EngineClient["Service"], id: string): Effect.Effect<Workflow | "missing" | "unknown"> =>
  idPattern.test(id)
    ? Effect.match(engine.getWorkflow(WorkflowId.make(id)), {
        onSuccess: (workflow) => workflow,
        onFailure: (error) => (isMissing(error) ? "missing" : "unknown")
      })
    : Effect.succeed("missing")

/** Invalid settings of a workflow. */
export const checkSettings = ({ settings }: JsonObject): ReadonlyArray<Finding> => {
  const { timezone } = objectOf(settings)
  if (!Predicate.isString(timezone) || timezone === "" || timezone === "DEFAULT") return []
  if (Option.isSome(DateTime.zoneMakeNamed(timezone))) return []
  const fix = "Take a name of the IANA database, such as Europe/Berlin"
  return [{ level: "error", field: "settings.timezone", problem: `there is no time zone ${timezone}`, fix }]
}

/** Nodes of packages that are not installed, as far as the engine lists them. */
export const checkPackages = Effect.fnUntraced(function* (
  engine: EngineClient["Service"],
  nodes: ReadonlyArray<JsonObject>,
  catalog: Catalog | undefined
) {
  const typeOf = (node: JsonObject) => toEngineType(textOf(node.type))
  const strange = nodes.filter((node) => {
    const type = typeOf(node)
    if (catalog === undefined || !isEnabled(node) || !isCommunityPackage(packageOf(type))) return false
    return catalog.find(type) === undefined && !mustBeThere(type, catalog)
  })
  if (strange.length === 0) return []
  const packages = yield* Effect.orElseSucceed(engine.communityPackagesIfSupported, () => Option.none())
  if (Option.isNone(packages)) return []
  const installed = new Set(packages.value.map(({ packageName }) => packageName))
  return strange
    .filter((node) => !installed.has(packageOf(typeOf(node))))
    .map((node): Finding => ({
      level: "error",
      node: nameOf(node),
      field: "type",
      problem: `the package ${packageOf(typeOf(node))} is not installed on this engine`,
      fix: "Install it, or take a node that find_nodes knows"
    }))
})
