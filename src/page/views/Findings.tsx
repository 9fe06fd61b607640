import { type JsonObject, objectsOf } from "../../internal/schema/JsonObject.ts"
import { type Fleet, type Run } from "../fleet.ts"
import { numberOf, textOf } from "../json.ts"
import { Ago, Badge, Empty, Words } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"
import { durationWords, type Tone } from "../status.ts"
import { lanesOf, slowRunOf } from "../timeline.ts"
import { RunActions } from "./RunActions.tsx"

export interface Health {
  /** As instance_health tells it; undefined where it could not be told. */
  readonly health: JsonObject | undefined
}

/** Something that wants a person: what it is, since when, and the run that shows it. */
export interface Finding {
  readonly instance: string
  readonly kind: keyof typeof kinds
  readonly name: string
  readonly workflowId: string | undefined
  readonly text: string
  readonly at: number | undefined
  readonly count: number
  readonly run: Pick<Run, "id" | "status"> | undefined
}

const kinds = {
  failed: ["Failed", "bad"],
  recovered: ["Recovered", "calm"],
  missed: ["Did not run", "bad"],
  quiet: ["Runs less", "warn"],
  hangs: ["Hangs", "warn"],
  slow: ["Slow", "warn"],
  dear: ["Costs more", "warn"],
  trigger: ["No trigger", "warn"],
  credential: ["Credential", "bad"],
  webhook: ["Webhook", "bad"],
  key: ["Key ends", "warn"],
  off: ["Switched off", "calm"],
  version: ["Old version", "calm"],
  changed: ["Changed", "calm"],
  unproven: ["Not run since", "calm"]
} as const satisfies Readonly<Record<string, readonly [word: string, tone: Tone]>>

/** The kinds of findings of instance_health, by their fields. */
const fields: ReadonlyArray<readonly [field: string, kind: keyof typeof kinds]> = [
  ["failures", "failed"],
  ["missedSchedules", "missed"],
  ["rarerThanBefore", "quiet"],
  ["quieterThanBefore", "quiet"],
  ["runningTooLong", "hangs"],
  ["waitingTooLong", "hangs"],
  ["slowerThanUsual", "slow"],
  ["dearerThanUsual", "dear"],
  ["noWorkingTrigger", "trigger"],
  ["webhooksThatCollide", "webhook"],
  ["credentialsFailing", "credential"],
  ["credentialsGone", "credential"],
  ["keyEnds", "key"],
  ["switchedOff", "off"],
  ["runsOldVersion", "version"],
  ["changedByOthers", "changed"],
  ["credentialsUnusedSinceChange", "unproven"]
]

/** All findings over all instances, the gravest and newest first. */
export const findingsOf = (fleet: Fleet, healths: ReadonlyMap<string, Health>): ReadonlyArray<Finding> => {
  const findings = fleet.instances.flatMap(({ name, runs, silence }) => {
    if (silence !== undefined) return []
    const lanes = lanesOf(runs)
    const health = healths.get(name)?.health
    const rows = fields.flatMap(([field, kind]) => objectsOf(health?.[field]).map((row) => findingOf(name, kind, row)))
    const slowIds = new Set(rows.flatMap(({ kind, workflowId }) => (kind === "slow" ? [workflowId] : [])))
    const messages = new Map(
      rows.flatMap((one) => (one.kind === "failed" ? [[one.workflowId, one.text] as const] : []))
    )
    // The runs are newer than the health, which is read less often: its words are taken, and their numbers.
    const failures = lanes.flatMap(({ failed, runs, workflowId }): ReadonlyArray<Finding> => {
      const run = runs.find(({ status }) => status === "error" || status === "crashed")
      if (run === undefined) return []
      const isRecovered = runs[0]?.status === "success"
      const message = messages.get(workflowId) ?? ""
      return [
        {
          instance: name,
          kind: isRecovered ? "recovered" : "failed",
          name: fleet.nameOf(name, workflowId),
          workflowId,
          text: isRecovered ? `Failed ${timesOf(failed)}; its last run succeeded. ${message}` : message,
          at: run.startedAt,
          count: isRecovered ? 1 : failed,
          run
        }
      ]
    })
    const slow = lanes.flatMap((lane): ReadonlyArray<Finding> => {
      const one = slowRunOf(lane)
      if (one === undefined || slowIds.has(lane.workflowId)) return []
      const text = `Took ${durationWords(one.seconds)}; ${durationWords(one.usual)} is usual.`
      const workflow = fleet.nameOf(name, lane.workflowId)
      const { workflowId } = lane
      return [
        {
          instance: name,
          kind: "slow",
          name: workflow,
          workflowId,
          text,
          at: one.run.startedAt,
          count: 1,
          run: one.run
        }
      ]
    })
    return [...failures, ...rows.filter(({ kind }) => kind !== "failed"), ...slow]
  })
  return findings.toSorted((a, b) => toneRank(b) - toneRank(a) || (b.at ?? 0) - (a.at ?? 0))
}

const timesOf = (count: number): string => (count === 1 ? "once" : `${count} times`)

const ranks: Readonly<Record<Tone, number>> = { bad: 2, warn: 1, calm: 0, good: 0 }
const toneRank = ({ kind }: Finding) => ranks[kinds[kind][1]]

/** Whether a finding wants a person; others are told for those who look. */
export const isProblem = (finding: Finding): boolean => toneRank(finding) > 0

const findingOf = (instance: string, kind: Finding["kind"], row: JsonObject): Finding => {
  const [error] = objectsOf(row.errors)
  const execution = textOf(error?.execution ?? row.execution)
  return {
    instance,
    kind,
    name: textOf(row.name),
    workflowId: textOf(row.workflowId) || textOf(objectsOf(row.workflows)[0]?.id) || undefined,
    text: wordsOf(row, error),
    at: Date.parse(textOf(row.last ?? row.lastRun ?? row.when)) || undefined,
    count: numberOf(row.failures),
    run: execution === "" ? undefined : { id: execution, status: kind === "hangs" ? "running" : "error" }
  }
}

/** A finding as a sentence of its own: the server's goes on after the name. */
const wordsOf = (row: JsonObject, error: JsonObject | undefined): string => {
  if (error !== undefined) return [textOf(error.node), textOf(error.message)].filter((one) => one !== "").join(": ")
  if (row.seconds !== undefined && row.execution !== undefined) {
    const usual = row.usualSeconds === undefined ? "" : `; ${durationWords(numberOf(row.usualSeconds))} is usual`
    return `Running for ${durationWords(numberOf(row.seconds))}${usual}.`
  }
  const text = textOf(row.text)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Everything that wants a person, each with its cause and its remedy. */
export const Findings = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) => {
  const { has, instances } = useServer()
  if (findings.length === 0) return <Empty>Nothing. Every instance that answers is well.</Empty>
  return (
    <ul class="findings">
      {findings.map(({ at, count, instance, kind, name, run, text, workflowId }, place) => {
        const [word, tone] = kinds[kind]
        const whole: Run | undefined =
          run === undefined || workflowId === undefined
            ? undefined
            : { ...run, instance, workflowId, mode: "", startedAt: at, stoppedAt: undefined }
        return (
          <li key={place} class="row finding">
            <Badge tone={tone}>{count > 1 ? `${word} ${count} times` : word}</Badge>
            <div class="what">
              {workflowId === undefined ? (
                <strong>{name}</strong>
              ) : (
                <a class="title" dir="auto" href={href(["workflow", instance, workflowId], { execution: run?.id })}>
                  {name}
                </a>
              )}
              {instances.length > 1 ? <span class="soft"> on {instance}</span> : null}
              {text === "" ? null : (
                <div class="soft">
                  <Words>{text}</Words>
                </div>
              )}
            </div>
            <span class="soft when">{at === undefined ? null : <Ago at={at} />}</span>
            <span class="row actions">
              {whole === undefined ? null : (
                <>
                  {(kind === "failed" || kind === "recovered") && has("explain_execution") ? (
                    <a
                      class="button"
                      href={href(["workflow", instance, whole.workflowId], { execution: whole.id })}
                      aria-label={`Why did ${name} fail?`}
                    >
                      Why?
                    </a>
                  ) : null}
                  {kind === "failed" || kind === "hangs" ? <RunActions runs={[whole]} isKept /> : null}
                </>
              )}
              {kind === "missed" && workflowId !== undefined ? (
                <a class="button" href={href(["workflow", instance, workflowId])}>
                  Open
                </a>
              ) : null}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
