import { Console, Effect, Option, Result, Schema } from "effect"

import { oneLine, visibleJson } from "../../internal/foreignText.ts"
import { GatheringSeconds } from "../../mcp/callContext.ts"
import type { Tool } from "../../mcp/Tool.ts"
import { calledAtOnce } from "../audit/calledAtOnce.ts"
import { type Options, UsageError } from "../configuration/flags.ts"
import { parseJson } from "../configuration/json.ts"
import { readLaunch } from "../configuration/readLaunch.ts"
import { stopRequested } from "../stopRequested.ts"
import { plain, withProgressLine } from "../terminal.ts"
import { toolsOf } from "../toolsets/toolsets.ts"
import { readText } from "./call/jsonInput.ts"
import { render } from "./call/render.ts"
import { shortfall } from "./call/shortfall.ts"
import { watched } from "./watched.ts"

/** The arguments of `ads watch`. */
export interface AdsWatchRequest {
  /** A file with a JSON list of rules, as for ads_plan_rules. */
  readonly rules: string | undefined
  readonly account: string | undefined
  /** A workflow that is run with the matches. */
  readonly run: string | undefined
  readonly instance: string | undefined
  readonly json: boolean
}

/** No rule matches, one could not tell, some rule matches, somebody has stopped it. */
const exitCodes = { fine: 0, failed: 1, matched: 2, stopped: 130 } as const

/** Seconds for which it waits for what the marketplace's limits allow only slowly. */
const patience = 4 * 3600

/**
 * Judges the campaigns by rules, once. Nothing is changed, except that campaigns are paused where a rule says so and the
 * configuration allows it; nothing ever rises or starts.
 */
export const runWatch = Effect.fnUntraced(function* (options: Options, request: AdsWatchRequest) {
  if (request.rules === undefined) {
    return yield* new UsageError({ message: "ads watch needs --rules FILE: a JSON list, as for ads_plan_rules" })
  }
  const rules = yield* readRules(request.rules)
  const launch = yield* readLaunch({ ...options, http: false, toolsets: ["marketplace"] })
  const work = Effect.flatMap(toolsOf(launch), (tools) => judged({ ...request, rules, tools }))
  return yield* work.pipe(
    Effect.provideService(GatheringSeconds, patience),
    withProgressLine,
    watched(launch),
    Effect.catch(({ message }) => Effect.as(Console.error(oneLine(message)), exitCodes.failed)),
    Effect.raceFirst(Effect.as(stopRequested, exitCodes.stopped))
  )
}, Effect.scoped)

/** A rule of the file, as far as it matters here; ads_plan_rules checks the rest. */
const Rules = Schema.NonEmptyArray(Schema.Record(Schema.String, Schema.Unknown))

const readRules = Effect.fnUntraced(function* (file: string) {
  const text = yield* readText("--rules", file)
  const json = parseJson(text)
  const rules = Result.isSuccess(json) ? Schema.decodeUnknownOption(Rules)(json.success) : Option.none()
  if (Option.isSome(rules)) return rules.value
  return yield* new UsageError({ message: `--rules: ${file} must hold a JSON list of rules, as for ads_plan_rules` })
})

interface Watch extends Omit<AdsWatchRequest, "rules"> {
  readonly rules: typeof Rules.Type
  readonly tools: ReadonlyArray<Tool>
}

const Judgement = Schema.Struct({
  plan_id: Schema.String,
  steps: Schema.Int,
  rules: Schema.Array(Schema.Struct({ rule: Schema.String, matches: Schema.Int, steps: Schema.Int })),
  first_steps: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  blocked: Schema.Array(Schema.Unknown),
  watch_may_pause: Schema.optionalKey(Schema.Boolean)
})

const judged = Effect.fnUntraced(function* ({ account, instance, json, rules, run, tools }: Watch) {
  const of = account === undefined ? {} : { account }
  const call = Effect.fnUntraced(function* (name: string, args: object) {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) return yield* new UsageError({ message: `ads watch needs the tool ${name}` })
    return (yield* calledAtOnce(tool, args)).structured ?? {}
  })
  const plan = (some: Watch["rules"] | ReadonlyArray<Watch["rules"][number]>) =>
    Effect.flatMap(call("ads_plan_rules", { rules: some, ...of }), Schema.decodeUnknownEffect(Judgement))

  const judgement = yield* plan(rules)
  const matched = judgement.rules.filter(({ matches }) => matches > 0)
  const pausing = rules.filter((rule) => rule["do"] === "pause")
  let applied: Readonly<Record<string, unknown>> = {}
  if (matched.length > 0 && pausing.length > 0 && judgement.watch_may_pause === true) {
    const { plan_id, steps } = yield* plan(pausing)
    if (steps > 0) applied = yield* call("apply_plan", { plan_id, confirm: true, max_seconds: 3600 })
  }
  const paused = Number(applied["done"] ?? 0)
  const answer = {
    matched: matched.length > 0,
    rules: judgement.rules,
    first_steps: judgement.first_steps,
    blocked: judgement.blocked,
    paused,
    ...(judgement.steps > 0 ? { plan_id: judgement.plan_id } : {})
  }
  const items = [{ matched: matched.map(({ matches, rule }) => ({ rule, matches })), paused }]
  const isRunning = run !== undefined && matched.length > 0
  const ran = isRunning
    ? yield* call("run_workflow", { id: run, items, confirm: true, ...(instance && { instance }) })
    : undefined
  const output = { ...answer, ...(ran && { run: ran }) }
  yield* Console.log(json ? visibleJson(JSON.stringify(output)) : render(output, plain))
  // A match of which nobody hears, or that goes on spending, is a failure for cron.
  const problems = [...shortfall("apply_plan", applied), ...(ran === undefined ? [] : shortfall("run_workflow", ran))]
  yield* Effect.forEach(problems, (problem) => Console.error(oneLine(problem)), { discard: true })
  if (problems.length > 0 || (isRunning && ran?.["ran"] !== true)) return exitCodes.failed
  return matched.length === 0 ? exitCodes.fine : exitCodes.matched
})
