import { Effect, Option } from "effect"

import { inSlices } from "../../../internal/effects.ts"
import { digest } from "../../../internal/json/digest.ts"
import { monotonicMillis } from "../../../internal/time.ts"
import { Arrival, gatheringSeconds, Progress } from "../../../mcp/callContext.ts"
import { InvalidArgument } from "../../../mcp/ToolError.ts"
import { EngineClient } from "../../client/EngineClient.ts"
import { ReadOnlyInstance } from "../../client/EngineError.ts"
import { Instances } from "../../client/Instances.ts"
import { parser } from "../../nodes/check/checkWorkflow.ts"
import { requestedNames } from "../../operator/AcrossTool.ts"
import { codeReader } from "../../upgrade/code.ts"
import { rewritableRules, rewriteWorkflow } from "../../upgrade/rewrites/rewrites.ts"
import type { Finding } from "../../upgrade/Rule.ts"
import { findingsIn, newestVersion, rules, rulesOn } from "../../upgrade/rules.ts"
import { isConnections } from "../../workflow/connections.ts"
import { frozenNodes } from "../../workflow/frozenTypes.ts"
import { generationOf, type Workflow } from "../../workflow/models.ts"
import { normalName } from "../../workflow/names.ts"
import { compareVersions } from "../../workflow/releases.ts"
import { subWorkflowOf } from "../../workflow/subWorkflows.ts"
import { select, selectionOf } from "../bulk/selectWorkflows.ts"
import { eachWorkflow, outlineOf } from "../instanceContents.ts"
import { unknownTypes, versioned } from "../NodeTypes.ts"
import { WorkflowPlans } from "../Plans.ts"
import { readNodeTypes, publicVersionOf } from "../readNodeTypes.ts"
import { type Candidate, draftUpgrade, type Verdict } from "./draftUpgrade.ts"
import { prove } from "./prove.ts"
import type { ToProve } from "./repeated.ts"

type Client = EngineClient["Service"]

/** The workflows to rewrite, the version that they are rewritten for, and what is taken without proof. */
export interface UpgradeRequest {
  readonly instances?: string | ReadonlyArray<string> | undefined
  readonly where?: unknown
  readonly to?: string | undefined
  readonly rules?: ReadonlyArray<string> | undefined
  readonly accept?: ReadonlyArray<string> | undefined
}

/** Workflows that are proved at the same time: each makes its own copies on the engine. */
const atOnce = 2

/** Plans the rewrites that an upgrade asks for, each with its proof. */
export const planUpgrade = Effect.fn("planUpgrade")(function* (request: UpgradeRequest) {
  const until = ((yield* Arrival) ?? (yield* monotonicMillis)) + gatheringSeconds * 1000
  const { to = newestVersion } = request
  if (!/^\d+(?:\.\d+){0,2}(?:[-+][\w.]+)?$/.test(to)) {
    return yield* new InvalidArgument({ argument: "to", problem: "must be a version, such as 3.0" })
  }
  const ids = new Set<string>(request.rules ?? rewritableRules)
  const stranger = [...ids].find((id) => !rewritableRules.has(id))
  if (stranger !== undefined) {
    const problem = rules.some(({ id }) => id === stranger)
      ? `${stranger} has no rewrite: see check_upgrade for what to do`
      : `there is no rule ${JSON.stringify(stranger)}. There are ${[...rewritableRules].join(", ")}`
    return yield* new InvalidArgument({ argument: "rules", problem })
  }
  const clients = yield* clientsOf(request.instances)
  const contents = yield* Effect.forEach(clients, (client) => contentsOf(client, { to, ids, where: request.where }))
  const candidates = contents.flatMap((one) => one.candidates)
  const accepted = new Set((request.accept ?? []).map(normalName))
  const namesOf = ({ id, name }: Workflow) => [normalName(id), normalName(name)]
  const acceptable = new Set(candidates.flatMap(({ workflow }) => namesOf(workflow)))
  const nobody = [...accepted].find((one) => !acceptable.has(one))
  if (nobody !== undefined) {
    const problem = `no workflow ${JSON.stringify(nobody)} is to be rewritten`
    return yield* new InvalidArgument({ argument: "accept", problem })
  }
  const report = yield* Progress
  let done = 0
  const proven = yield* Effect.forEach(
    candidates,
    ({ target, around, ...candidate }) =>
      Effect.gen(function* () {
        const verdict = (yield* monotonicMillis) < until ? yield* verdictFor(around, candidate, target) : undefined
        done += 1
        yield* report({ progress: done, total: candidates.length, message: candidate.workflow.name })
        const isAccepted = namesOf(candidate.workflow).some((one) => accepted.has(one))
        return { ...candidate, verdict, isAccepted } satisfies Candidate
      }),
    { concurrency: atOnce }
  )
  const draft = yield* inSlices(() => draftUpgrade(proven))
  const warnings = [...contents.flatMap((one) => one.warnings), ...draft.warnings]
  const { keep } = yield* WorkflowPlans
  return { plan: yield* keep({ ...draft, warnings }), proven }
})

/** The clients of the named instances, of the default one where none is named. One that is read-only is left out, unless it is alone. */
const clientsOf = Effect.fnUntraced(function* (given: UpgradeRequest["instances"]) {
  const { names, resolve } = yield* Instances
  const clients = yield* Effect.forEach(requestedNames(given, names), (name) => resolve(name))
  const writable = clients.filter(({ isReadOnly }) => !isReadOnly)
  const [first] = clients
  if (writable.length === 0 && first !== undefined) {
    return yield* new ReadOnlyInstance({ instance: first.instance, operation: "plan_upgrade" })
  }
  return writable
})

/** Another instance whose version is not older than the one that is upgraded to. */
const targetFor = Effect.fnUntraced(function* (client: Client, to: string) {
  const { names, resolve } = yield* Instances
  for (const name of names.filter((one) => one !== client.instance)) {
    const other = yield* Effect.option(resolve(name))
    if (Option.isNone(other) || other.value.isReadOnly) continue
    const version = yield* publicVersionOf(other.value)
    if (version !== undefined && compareVersions(version, to) >= 0) return other.value
  }
  return undefined
})

interface Wanted {
  readonly to: string
  readonly ids: ReadonlySet<string>
  readonly where: unknown
}

/** A workflow with what rules have found in it. */
interface Kept {
  readonly workflow: Workflow
  readonly findings: ReadonlyArray<Finding>
}

/** The workflows of an instance that rules concern, rewritten. */
const contentsOf = Effect.fnUntraced(function* (client: Client, { ids, to, where }: Wanted) {
  const parse = yield* parser
  const from = yield* publicVersionOf(client)
  const freezing = yield* client.freezingVersion
  const facts = { code: codeReader(parse), outlines: new Map<string, never>(), seconds: new Map<string, never>() }
  const wanted = rulesOn({ from, to }, ({ id }) => ids.has(id))
  const selection = yield* selectionOf(client, where ?? { name: "*" })
  const used = new Set<string>()
  const callers = new Map<string, Set<string>>()
  const kept = yield* eachWorkflow(client, (workflow): Kept => {
    for (const node of workflow.nodes) {
      used.add(versioned(node))
      const called = subWorkflowOf(node)?.id
      if (called !== undefined) callers.set(called, (callers.get(called) ?? new Set()).add(workflow.id))
    }
    const findings = selection.fits(workflow) ? findingsIn(workflow, facts, wanted) : []
    return findings.length === 0 ? { workflow: outlineOf(workflow), findings } : { workflow, findings }
  })
  const concerned = kept.filter(({ findings }) => findings.length > 0)
  const { problems, selected } = yield* select(client, selection, {
    all: kept.map(({ workflow }) => workflow),
    fitting: concerned.map(({ workflow }) => workflow)
  })
  const chosen = new Set(selected.map(({ id }) => id))
  const nodeTypes = yield* readNodeTypes(client, client, used)
  const target = chosen.size === 0 ? undefined : yield* targetFor(client, to)
  const around: Pick<ToProve, "mayBeMade"> = { mayBeMade: (node) => frozenNodes([node], freezing).length === 0 }
  const candidates = concerned
    .filter(({ workflow }) => chosen.has(workflow.id))
    .map(({ findings, workflow }) => {
      const { connections, id, nodes, settings } = workflow
      const graph = { nodes, connections: isConnections(connections) ? connections : {}, settings: settings ?? {} }
      const rewritten = rewriteWorkflow(graph, isConnections(connections) ? findings : [], {
        parse,
        callers: [...(callers.get(id) ?? [])].filter((caller) => caller !== id),
        takesCallerPolicy: generationOf(workflow) === "2.x",
        problemOf: nodeTypes.problemOf
      })
      return { instance: client.instance, workflow, rewritten, target, around: { ...around, client } }
    })
  const added = candidates.flatMap(({ rewritten, workflow: { nodes } }) =>
    rewritten.graph.nodes.filter((node) => !nodes.includes(node))
  )
  return {
    candidates,
    warnings: [
      ...problems.map(({ reason, what }) => `${what}: ${reason}`),
      ...unknownTypes(nodeTypes, added, client.instance)
    ]
  }
})

/** Verdicts of this process by the instance that they are about, so that a plan goes on where the time of the last call was over. */
const verdicts = new WeakMap<Client, Map<string, Verdict>>()
const mostVerdicts = 1000

/** The verdict on a workflow; the one that was reached before where nothing has changed and nothing has run since. */
const verdictFor = Effect.fnUntraced(function* (
  { client, mayBeMade }: Pick<ToProve, "mayBeMade"> & { readonly client: Client },
  { rewritten, workflow }: Pick<Candidate, "rewritten" | "workflow">,
  target: Client | undefined
): Effect.fn.Return<Verdict> {
  if (rewritten.parts.length === 0) return { _tag: "unproved", why: "nothing of it can be rewritten" }
  const { connections, nodes, settings } = rewritten.graph
  const after = { ...workflow, connections, nodes, settings }
  const newest = yield* Effect.orElseSucceed(
    client.listExecutions({ workflowId: workflow.id, status: "success", limit: 1 }),
    () => ({ data: [] })
  )
  const key = digest([workflow.id, workflow.nodes, nodes, connections, settings, target?.instance, newest.data[0]?.id])
  const cache = verdicts.get(client) ?? new Map<string, Verdict>()
  verdicts.set(client, cache)
  const former = cache.get(key)
  if (former !== undefined) return former
  const verdict = yield* Effect.provideService(
    prove({ before: workflow, after, parts: rewritten.parts, target, mayBeMade }),
    EngineClient,
    client
  )
  // What could not be tried may be possible the next time.
  if (verdict._tag !== "proved" && verdict._tag !== "different") return verdict
  if (cache.size >= mostVerdicts) cache.clear()
  cache.set(key, verdict)
  return verdict
})
