import { grouped } from "../../../internal/collections.ts"
import { type Finding, type Kind, kinds, type Severity } from "../health/Finding.ts"

/** Kinds that only a watching process tells. */
export type WatchedKind = Kind | "unreachable" | "versionChanged"

/** A finding of a watching process. */
export interface WatchedFinding extends Omit<Finding, "kind" | "row"> {
  readonly kind: WatchedKind
}

const severities: { readonly [kind in WatchedKind]: { readonly severity: Severity; readonly isEvent?: boolean } } = {
  ...kinds,
  unreachable: { severity: "error" },
  versionChanged: { severity: "info", isEvent: true }
}

/** A thing that has an incident. */
interface Member {
  readonly kind: WatchedKind
  readonly subject: string
  readonly name: string
  readonly workflowId?: string | undefined
}

/** Something that began and is not over: one thing, or everything of one cause. */
export interface Incident {
  readonly key: string
  readonly instance: string
  readonly kind: WatchedKind
  readonly severity: Severity
  readonly title: string
  readonly text: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly members: ReadonlyArray<Member>
}

/** An incident that begins or is over, or something that has happened at once. */
export interface Change {
  readonly type: "begin" | "event" | "over"
  readonly at: number
  readonly incident: Incident
}

/** The present look at an instance. */
interface Look {
  readonly instance: string
  readonly now: number
  readonly findings: ReadonlyArray<WatchedFinding>
  /** Kinds of findings that could not be judged: their incidents stay as they are. */
  readonly unjudged: ReadonlySet<WatchedKind>
}

const keyOf = (instance: string, { cause, kind, subject }: WatchedFinding): string =>
  JSON.stringify([instance, ...(cause === undefined ? [kind, subject] : [cause.key])])

/** The incidents of an instance after a look, and what has begun or is over by it. */
export const advance = (
  open: ReadonlyArray<Incident>,
  look: Look
): { readonly open: ReadonlyArray<Incident>; readonly changes: ReadonlyArray<Change> } => {
  const { instance, now, unjudged } = look
  const groups = grouped(
    look.findings.filter(({ isUsual }) => isUsual !== true),
    (finding) => keyOf(instance, finding)
  )
  const before = new Map(open.filter((one) => one.instance === instance).map((one) => [one.key, one]))
  const changes: Array<Change> = []
  const after: Array<Incident> = open.filter((one) => one.instance !== instance)
  for (const [key, findings] of groups) {
    const incident = incidentOf(key, instance, now, findings)
    const former = before.get(key)
    if (incident === undefined) continue
    if (severities[incident.kind].isEvent === true) {
      changes.push({ type: "event", at: now, incident })
    } else if (former === undefined) {
      changes.push({ type: "begin", at: now, incident })
      after.push(incident)
    } else {
      const kept = former.members.filter(({ kind }) => unjudged.has(kind))
      after.push({ ...former, members: membersOf([...incident.members, ...kept]) })
    }
  }
  for (const [key, former] of before) {
    if (groups.has(key)) continue
    const kept = former.members.filter(({ kind }) => unjudged.has(kind))
    if (kept.length > 0) after.push({ ...former, members: kept })
    else changes.push({ type: "over", at: now, incident: former })
  }
  return { open: after, changes }
}

const membersOf = (members: ReadonlyArray<Member>): ReadonlyArray<Member> => [
  ...new Map(members.map((member) => [`${member.kind} ${member.subject}`, member])).values()
]

/** Names that a title lists. */
const mostNames = 3

const incidentOf = (
  key: string,
  instance: string,
  now: number,
  findings: ReadonlyArray<WatchedFinding>
): Incident | undefined => {
  const [first] = findings
  if (first === undefined) return undefined
  const { cause, kind, name, text } = first
  const members = membersOf(
    findings.map(({ kind, name, subject, workflowId }) => ({ kind, name, subject, workflowId }))
  )
  const names = [...new Set(findings.flatMap((one) => (one.workflowId === undefined ? [] : [one.name])))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const list = `${names.slice(0, mostNames).join(", ")}${more}`
  const count = `${names.length} ${names.length === 1 ? "workflow" : "workflows"}`
  return {
    key,
    instance,
    kind,
    severity: severities[kind].severity,
    title: cause === undefined ? `${name} ${text}` : cause.words,
    text: cause === undefined || names.length === 0 ? "" : `${count}: ${list}`,
    since: now,
    members
  }
}

/** All incidents, the gravest and oldest first. */
export const ranked = (open: ReadonlyArray<Incident>): ReadonlyArray<Incident> =>
  open.toSorted((a, b) => rankOf(b.severity) - rankOf(a.severity) || a.since - b.since)

/** The rank of a severity: the higher, the graver. */
export const rankOf = (severity: Severity): number => ["info", "warning", "error"].indexOf(severity)
