import { Effect, Schema } from "effect"

import * as results from "../../changes/tools/results.ts"
import { summary } from "../../changes/tools/summary.ts"
import { fitted } from "../../internal/json/values.ts"
import { JsonObject } from "../../internal/schema/JsonObject.ts"
import { reads, runs } from "../../mcp/annotations.ts"
import { gatheringSeconds } from "../../mcp/callContext.ts"
import { masking } from "../../mcp/masking.ts"
import * as Tool from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { instanceSchema } from "../tools/overInstances.ts"
import { credentialSource, flag, optional, text, timestamp } from "../tools/parameters.ts"
import { ExecutionStatus } from "../workflow/models.ts"
import { actions, planBulk } from "./bulk/planBulk.ts"
import { toPlanningFailure } from "./failures.ts"
import { healTools } from "./healTools.ts"
import { type PlanConfig, WorkflowPlans } from "./Plans.ts"
import { planPromotion } from "./promotion/planPromotion.ts"
import { TestSeconds } from "./promotion/requiredTests.ts"
import { planRestore } from "./restore/planRestore.ts"
import { planRotationTool } from "./rotation.ts"
import { MatchFields } from "./settings.ts"
import { place } from "./Step.ts"
import { verdictCounts, verdictRows } from "./upgrade/draftUpgrade.ts"
import { planUpgrade } from "./upgrade/planUpgrade.ts"

/** A tool that plans, with the services that it uses. */
type PlanTool = Tool.Tool<Instances | PlanConfig | WorkflowPlans>

/** A program of these tools, whose errors are told as a tool's. */
const orRefuse = Effect.mapError(toPlanningFailure)

const mostOutcomes = 200

/** Bytes for the outcomes of single workflows; those that need a look come first. */
const room = 2500

const outcome = Schema.Struct({
  name: Schema.String,
  id: Schema.String,
  action: Schema.Literals(["blocked", "create", "leave", "update"]),
  counterpart: Schema.optionalKey(Schema.String)
})

const rank = (action: string) => ["blocked", "update", "create", "leave"].indexOf(action)

export const planPromotionTool: PlanTool = Tool.make("plan_promotion", {
  title: "Plan promotion",
  description: "Plan to bring workflows to another instance, where what they use is matched",
  annotations: reads,
  arguments: {
    from: text("Instance"),
    to: text("Instance"),
    ids: optional(Schema.Array(Schema.String).annotate({ description: "Ids or names" })),
    tag: optional(text("Tag")),
    name: optional(text("Name (*: anything)")),
    activation: optional(
      Schema.Literals(["keep", "activate", "inactive"]).annotate({
        description: "keep (default): as there; new: as here"
      })
    ),
    dependencies: optional(Schema.Literals(["missing", "all"]).annotate({ description: "Sub-workflows" })),
    mapping: optional(
      Schema.Struct({ ...MatchFields.fields, match: optional(Schema.Literals(["whole", "part"])) }).annotate({
        inputSchema: {
          type: "object",
          description:
            "Source to target: {credentials, workflows, tables, tags: {name: name}, values: {text: text}, match: part}"
        }
      })
    ),
    keep: optional(
      Schema.Array(Schema.Struct({ node: optional(text("Node")), field: text("Field") })).annotate({
        inputSchema: {
          type: "array",
          items: { type: "object" },
          description: "Stays: {node, field}; {field: setting}"
        }
      })
    ),
    on_drift: optional(
      Schema.Literals(["block", "overwrite"]).annotate({
        description: "Target changed since; default block"
      })
    ),
    rewrite: optional(flag("Rewrite deprecated nodes")),
    include: optional(
      Schema.Array(Schema.Literals(["rows", "variables"])).annotate({
        inputSchema: {
          type: "array",
          items: { type: "string" },
          description: "rows of new tables, variables that a person enters"
        }
      })
    ),
    source: credentialSource,
    folder: optional(text("Of new workflows"))
  },
  result: Schema.Struct({
    ...results.summaryFields(Schema.Literal("promotion"), place),
    workflows: Schema.Array(outcome),
    workflows_more: Schema.optionalKey(Schema.Int)
  }),
  run: Effect.fn("plan_promotion")(function* ({
    activation = "keep",
    dependencies = "missing",
    on_drift: onDrift = "block",
    ...request
  }) {
    const { outcomes, plan } = yield* planPromotion({ ...request, activation, dependencies, onDrift }).pipe(
      Effect.provideService(TestSeconds, gatheringSeconds)
    )
    const { describing } = yield* WorkflowPlans
    const planSummary = yield* summary(describing, plan)
    const counts = Object.fromEntries(
      ["create", "update", "leave", "blocked"].map((action) => [
        action,
        outcomes.filter((outcome) => outcome.action === action).length
      ])
    )
    const notable = [...outcomes].sort((a, b) => rank(a.action) - rank(b.action))
    const shownOutcomes = fitted(notable.slice(0, mostOutcomes), room)
    const rest = outcomes.length - shownOutcomes.length
    return { ...planSummary, counts, workflows: shownOutcomes, ...(rest === 0 ? {} : { workflows_more: rest }) }
  }, orRefuse)
})

/** One change of many things. */
const partFields = {
  where: optional(
    JsonObject.annotate({
      description:
        "As in search_workflows; also ids, name (*: anything), idle_days (without a run). Required but for replace_…"
    })
  ),
  action: Schema.Union([Schema.Literals(actions), Schema.NonEmptyArray(Schema.Literals(actions))]).annotate({
    inputSchema: { type: "array", items: { type: "string", enum: [...actions] }, description: "One or several" }
  }),
  value: optional(
    Schema.String.annotate({
      description: "Tag, error workflow (or none), new credential or text"
    })
  ),
  find: optional(Schema.String.annotate({ description: "Credential or text to replace" })),
  match: optional(Schema.Literals(["whole", "part"]).annotate({ description: "Default whole" })),
  in: optional(
    Schema.Struct({
      nodeType: optional(text("Type of nodes")),
      field: optional(Schema.Union([text("Name or path"), Schema.Array(text("Name or path"))])),
      notes: optional(Schema.Boolean)
    }).annotate({
      inputSchema: {
        type: "object",
        description: "replace_text: {nodeType, field: [name or path], notes: true}"
      }
    })
  ),
  status: optional(
    ExecutionStatus.annotate({
      inputSchema: { type: "string", description: "delete_executions: error, success, …" }
    })
  ),
  before: optional(timestamp("delete_executions: started before; ISO 8601"))
}

/** Texts that are only like what is replaced. */
const mostNotChanged = 12

const planBulkTool: PlanTool = Tool.make("plan_bulk", {
  title: "Plan bulk change",
  description: "Plan actions on many workflows, or the deletion of executions",
  annotations: reads,
  arguments: {
    instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
    ...partFields,
    also: optional(
      Schema.Array(Schema.Struct(partFields)).annotate({
        inputSchema: {
          type: "array",
          items: { type: "object" },
          description: "More in this plan: {action, where, value, …}"
        }
      })
    )
  },
  result: Schema.Struct({
    ...results.summaryFields(Schema.Literal("bulk"), place),
    not_changed: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
    not_changed_more: Schema.optionalKey(Schema.Int)
  }),
  run: Effect.fn("plan_bulk")(function* (request) {
    const { notChanged, plan, selected, unchanged } = yield* planBulk(request)
    const { describing } = yield* WorkflowPlans
    const more = notChanged.size - mostNotChanged
    return {
      ...(yield* summary(describing, plan)),
      selected,
      unchanged,
      ...(notChanged.size === 0 ? {} : { not_changed: Object.fromEntries([...notChanged].slice(0, mostNotChanged)) }),
      ...(more > 0 ? { not_changed_more: more } : {})
    }
  }, orRefuse)
})

const planRestoreTool: PlanTool = Tool.make("plan_restore", {
  title: "Plan restore",
  description:
    "Plan to bring all workflows of an instance back to a commit of its history (see backup): content, tags, state; deleted " +
    "ones, data tables, variables and folders are made anew, newer ones stay. Changes nothing; apply_plan applies it",
  annotations: reads,
  arguments: {
    instance: optional(text("Instance").annotate({ inputSchema: instanceSchema })),
    version: text("Commit, or `version` of workflow_history"),
    include: optional(
      Schema.Array(Schema.Literals(["variables"])).annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "variables: a person enters lost values" }
      })
    ),
    source: credentialSource
  },
  result: Schema.Struct(results.summaryFields(Schema.Literal("restore"), place)),
  run: Effect.fn("plan_restore")(function* (request) {
    const { plan, unchanged } = yield* planRestore(request)
    const { describing } = yield* WorkflowPlans
    return { ...(yield* summary(describing, plan)), unchanged }
  }, orRefuse)
})

const instanceNames = Schema.Union([Schema.Array(Schema.String), Schema.String])

/** Bytes for the verdicts on single workflows; those that stay as they are come first. */
const verdictRoom = 1500

export const planUpgradeTool: PlanTool = Tool.make("plan_upgrade", {
  title: "Plan upgrade",
  description:
    "Plan the rewrites that an upgrade asks for, proved on recorded runs in temporary copies that do not act outside",
  annotations: runs,
  arguments: {
    instances: optional(
      instanceNames.annotate({
        inputSchema: { type: "array", items: { type: "string" }, description: "*: all" }
      })
    ),
    where: optional(JsonObject.annotate({ description: "As in plan_bulk" })),
    to: optional(text("Version, default 3.0")),
    rules: optional(Schema.Array(Schema.String).annotate({ description: "Ids of check_upgrade" })),
    accept: optional(Schema.Array(Schema.String).annotate({ description: "Workflows to rewrite without proof" }))
  },
  result: Schema.Struct({
    ...results.summaryFields(Schema.Literal("upgrade"), place),
    verdicts: Schema.Record(Schema.String, Schema.Int),
    workflows: Schema.Array(Schema.Struct({ name: Schema.String, id: Schema.String, verdict: Schema.String })),
    workflows_more: Schema.optionalKey(Schema.Int)
  }),
  run: Effect.fn("plan_upgrade")(function* (request) {
    const { plan, proven } = yield* planUpgrade(request)
    const { describing } = yield* WorkflowPlans
    const rows = verdictRows(proven)
    const workflows = fitted(rows.slice(0, mostOutcomes), verdictRoom)
    const rest = rows.length - workflows.length
    return {
      ...(yield* summary(describing, plan, verdictRoom)),
      verdicts: verdictCounts(proven),
      workflows,
      ...(rest === 0 ? {} : { workflows_more: rest })
    }
  }, orRefuse)
})

/** The tools that plan changes of workflows, in the order in which they are listed. */
export const planTools: ReadonlyArray<PlanTool> = [
  planPromotionTool,
  planBulkTool,
  planRestoreTool,
  planUpgradeTool,
  planRotationTool,
  ...healTools
].map(masking)
