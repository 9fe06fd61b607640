import { isoOf, minuteOf } from "../../../internal/time.ts"
import { failingCredentials, missingCredentials, unusedCredentials } from "./credentialHealth.ts"
import { type Finding, kindNames } from "./Finding.ts"
import { longRuns, longWaits, slowerWorkflows } from "./longRuns.ts"
import { about, missedRuns, quieterWorkflows, rarerRuns, switchedOff } from "./missedRuns.ts"
import { dearerWorkflows } from "./modelUsage.ts"
import { expectationOf, type Observation } from "./Observation.ts"
import { failures } from "./recentFailures.ts"
import { collisionsOf } from "./workflowFacts.ts"

type Rule = (observation: Observation) => ReadonlyArray<Finding>

/** Active workflows none of whose triggers can start them. */
const deafWorkflows: Rule = ({ workflows }) =>
  workflows.flatMap((workflow) => {
    const { id, name, triggerProblem: why } = workflow
    const row = { workflow: name, id, why }
    return why === undefined
      ? []
      : [{ kind: "noWorkingTrigger", ...about(workflow), text: `is active, but ${why}`, row }]
  })

const collidingWebhooks: Rule = ({ workflows }) =>
  collisionsOf(workflows).map((row) => ({
    kind: "webhooksThatCollide",
    subject: row.address,
    name: row.address,
    text: `is wanted by ${row.workflows.map(({ workflow }) => workflow).join(", ")}; the engine calls one of them`,
    row
  }))

/** Milliseconds for which a newer version may be worked on before it is told that the old one runs. */
const draftMs = 86_400_000

const oldVersions: Rule = ({ now, workflows }) =>
  workflows.flatMap((workflow) => {
    const { active, hasOtherDraft, id, name, updatedAt } = workflow
    if (!active || !hasOtherDraft || updatedAt === undefined || now - updatedAt < draftMs) return []
    const saved = isoOf(updatedAt)
    const text = `runs its published version, though another one was saved at ${minuteOf(updatedAt)}`
    return [{ kind: "runsOldVersion", ...about(workflow), text, row: { workflow: name, id, saved } }]
  })

const othersChanges: Rule = ({ changes }) =>
  changes.map(({ by, change, id, name, version, when }) => ({
    kind: "changedByOthers",
    subject: `${id} ${version}`,
    name,
    workflowId: id,
    cause: { key: `changes by ${by}`, words: `Changed by ${by}` },
    text: `was changed by ${by} at ${minuteOf(Date.parse(when))}`,
    row: { workflow: name, id, when, by, change: change.slice(0, 160) }
  }))

/** Milliseconds before the end of a key at which it is told. */
const keyWarningMs = 14 * 86_400_000

const endingKey: Rule = ({ instance, keyEndsAt, now }) => {
  if (keyEndsAt === undefined || keyEndsAt - now > keyWarningMs) return []
  const ends = isoOf(keyEndsAt)
  const text =
    keyEndsAt < now
      ? `ended at ${minuteOf(keyEndsAt)}: make a new one`
      : `ends at ${minuteOf(keyEndsAt)}: make a new one before`
  return [{ kind: "keyEnds", subject: instance, name: `The API key of ${instance}`, text, row: { ends } }]
}

const rules: ReadonlyArray<Rule> = [
  failures,
  missedRuns,
  deafWorkflows,
  collidingWebhooks,
  failingCredentials,
  missingCredentials,
  longRuns,
  rarerRuns,
  quieterWorkflows,
  longWaits,
  slowerWorkflows,
  dearerWorkflows,
  endingKey,
  switchedOff,
  oldVersions,
  othersChanges,
  unusedCredentials
]

/** Everything that is not as it should be by what was read, the gravest kinds first, without what a person does not want to be told. */
export const findingsIn = (observation: Observation): ReadonlyArray<Finding> => {
  const all = rules.flatMap((rule) => rule(observation))
  const isWanted = ({ kind, name, workflowId: id }: Finding) => {
    const ignored = (id === undefined ? undefined : expectationOf(observation, { id, name }).ignore) ?? []
    return !ignored.includes(kind) && !ignored.includes("all")
  }
  return kindNames.flatMap((kind) => all.filter((finding) => finding.kind === kind && isWanted(finding)))
}
