import { Predicate } from "effect"

import { visible, visibleJson } from "../../../internal/foreignText.ts"

type Answer = Readonly<Record<string, unknown>>

/** Shortfalls of an answer that a script would take for a success: none in most answers. */
export const shortfall = (tool: string, answer: Answer, input: Answer = {}): ReadonlyArray<string> => [
  ...unread(answer),
  ...undone(tool, answer, input),
  ...(tool === "apply_plan" ? unapplied(answer) : []),
  ...(tool === "run_tests" ? unpassed(answer) : []),
  ...(runners.has(tool) ? unsuccessful(answer) : [])
]

/** Whether an answer printed as text or JSON contains these words. */
export const tells = (text: string, words: string): boolean =>
  text.includes(visible(words)) || text.includes(visibleJson(JSON.stringify(words)).slice(1, -1))

/** Guidance means that a tool has not done what was requested, except for a dry run, which requests just that. */
const undone = (tool: string, { guidance }: Answer, { dry_run }: Answer): ReadonlyArray<string> =>
  // A test that is not stored is contained in the answer.
  Predicate.isString(guidance) && tool !== "record_test" && String(dry_run) !== "true" ? [guidance] : []

const unpassed = ({ passed, total }: Answer): ReadonlyArray<string> =>
  Predicate.isNumber(passed) && Predicate.isNumber(total) && passed < total
    ? [`${total - passed} of ${total} tests did not pass`]
    : []

/** The tools that run a workflow and return how that ended. */
const runners = new Set(["execute_workflow", "retry_execution", "run_workflow"])

/** The failure of a run; of one without a record nobody knows, and its note says so. */
const unsuccessful = ({ ran, status }: Answer): ReadonlyArray<string> =>
  Predicate.isString(status) && (failures.has(status) || (ran === true && status === "unknown"))
    ? [`The run did not succeed: ${status}`]
    : []

const failures = new Set(["canceled", "crashed", "error", "failed"])

/** The instances that a tool could not read, wherever its answer says so. */
const unread = (answer: Answer): ReadonlyArray<string> =>
  Object.values(answer)
    .flatMap((rows: unknown): ReadonlyArray<unknown> => (Array.isArray(rows) ? rows : []))
    .flatMap((row) =>
      Predicate.hasProperty(row, "instance") &&
      Predicate.isString(row.instance) &&
      Predicate.hasProperty(row, "error") &&
      Predicate.isString(row.error)
        ? [row.error.includes(`nstance ${row.instance}`) ? row.error : `Instance ${row.instance}: ${row.error}`]
        : []
    )

const unapplied = ({ next, plan_id, state }: Answer): ReadonlyArray<string> =>
  Predicate.isString(state) && state !== "applied"
    ? [
        `Plan ${String(plan_id)} is ${state === "refused" ? "not applied" : state}. ${Predicate.isString(next) ? next : ""}`
      ]
    : []
