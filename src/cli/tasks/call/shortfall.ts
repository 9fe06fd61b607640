import { Predicate } from "effect"

type Answer = Readonly<Record<string, unknown>>

/** What an answer lacks that a script would take for done: nothing of most answers. */
export const shortfall = (tool: string, answer: Answer): ReadonlyArray<string> => [
  ...unread(answer),
  ...(tool === "apply_plan" ? unapplied(answer) : [])
]

/** What a tool over several instances says of those that it could not read, wherever it says so. */
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
