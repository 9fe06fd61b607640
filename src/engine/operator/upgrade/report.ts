import { clipped } from "../../../internal/foreignText.ts"
import { jsonBytes } from "../../../internal/json/values.ts"
import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Severity } from "../../upgrade/Rule.ts"
import { isBeyondRules, newestVersion, ruleOf, type Way } from "../../upgrade/rules.ts"
import { compareVersions } from "../../workflow/releases.ts"
import { type Affected, severities, type Survey, type UpgradeFinding } from "./survey.ts"

/** Bytes of an answer. */
const mostBytes = 4096

/** Instances whose counts are shown one by one. */
const mostInstances = 12

/** A place in the order of all affected workflows; what comes after it is shown next. */
export interface Place {
  readonly severity: Severity
  readonly findings: number
  readonly instance: string
  readonly id: string
}

/** An affected workflow with its instance. */
interface Entry {
  readonly survey: Survey
  readonly affected: Affected
}

const placeOf = ({ affected, survey }: Entry): Place => ({
  severity: affected.severity,
  findings: affected.findings.length,
  instance: survey.instance,
  id: affected.id
})

const rank = ({ severity }: Pick<Place, "severity">) => severities.indexOf(severity)

/** The worst first. */
const comparePlaces = (a: Place, b: Place): number =>
  rank(a) - rank(b) || b.findings - a.findings || compareTexts(a.instance, b.instance) || compareTexts(a.id, b.id)

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The first line where an instance, or the target, is newer than what the rules know. */
export const beyond = (surveys: ReadonlyArray<Survey>, to: string): string | undefined => {
  const newer = surveys.flatMap(({ instance, way: { from } }) =>
    from !== undefined && isBeyondRules(from) ? [`${clipped(instance, 40)} has ${from}`] : []
  )
  const all = [...(isBeyondRules(to) ? [`the target is ${to}`] : []), ...newer]
  return all.length === 0
    ? undefined
    : `These rules end at version ${newestVersion}, and ${all.slice(0, 3).join(", ")}: later changes are not known to them.`
}

/** Questions about what no client of the API can see. */
const questions: ReadonlyArray<{ readonly since: string; readonly text: string }> = [
  { since: "2.0", text: "Do task runners work? All code runs in them" },
  { since: "2.0", text: "Is the database SQLite or PostgreSQL? MySQL and MariaDB are not supported any more" },
  { since: "2.0", text: "Are files of runs kept in memory? They move to disk or database" },
  { since: "2.0", text: "Do OAuth callbacks come without a login, or is NODES_EXCLUDE set?" },
  { since: "3.0", text: "Does it run in Docker? Nothing else is supported" },
  { since: "3.0", text: "May unverified community packages stay on?" },
  { since: "3.0", text: "Is the default caller policy any, or is Chat Hub in use?" }
]

/** The questions on the ways of these instances. */
export const questionsOn = (ways: ReadonlyArray<Way>): ReadonlyArray<string> =>
  questions
    .filter(({ since }) =>
      ways.some(
        ({ from, to }) => compareVersions(since, to) <= 0 && (from === undefined || compareVersions(from, since) < 0)
      )
    )
    .map(({ text }) => text)

const countOf = ({ affected }: Survey, severity: Severity) => affected.filter((one) => one.severity === severity).length

/** The workflows of an instance by what an upgrade does to them. */
export const countsOf = (survey: Survey) => ({
  workflows: survey.outlines.size,
  stop: countOf(survey, "stops"),
  change: countOf(survey, "changes results"),
  cosmetic: countOf(survey, "cosmetic"),
  clean: survey.outlines.size - survey.affected.length
})

const minutes = (time: string | undefined) => time?.replace(/:\d\d(?:\.\d+)?Z$/, "Z")

const instanceRow = (survey: Survey): JsonObject => ({
  instance: clipped(survey.instance, 40),
  version: survey.way.from ?? "unknown",
  ...countsOf(survey),
  ...(survey.archived === 0 ? {} : { archived: survey.archived }),
  ...(survey.runs.since === undefined ? {} : { runsSince: minutes(survey.runs.since) })
})

/** The workflows that run a workflow, or that it is started for when they fail. */
const callersOf = ({ outlines }: Survey, id: string) =>
  [...outlines.values()].filter((one) => one.calls.includes(id) || one.errorWorkflow === id)

/** The nodes of each rule that finds something in a workflow. */
const nodesByRule = (findings: ReadonlyArray<UpgradeFinding>) => {
  const nodes = new Map<string, Set<string>>()
  for (const { field, node, rule } of findings) {
    nodes.set(rule, (nodes.get(rule) ?? new Set()).add(node ?? field ?? ""))
  }
  return nodes
}

/** The room that a row has for its parts. */
interface Detail {
  readonly rules: number
  readonly nodes: number
  readonly callers: number
  readonly characters: number
}

const details: ReadonlyArray<Detail> = [
  { rules: 8, nodes: 3, callers: 3, characters: 80 },
  { rules: 5, nodes: 1, callers: 1, characters: 40 },
  { rules: 3, nodes: 0, callers: 0, characters: 20 }
]

/** Bytes of the row of one workflow. */
const rowBytes = 500

const firsts = (texts: ReadonlyArray<string>, most: number, characters: number): ReadonlyArray<string> => [
  ...texts.slice(0, most).map((text) => clipped(text, characters)),
  ...(texts.length > most ? [`+${texts.length - most}`] : [])
]

const affectedRow = ({ affected: { active, findings, id, name, severity }, survey }: Entry) => {
  const byRule = [...nodesByRule(findings)]
  const calling = callersOf(survey, id)
  return ({ callers, characters, nodes, rules }: Detail): JsonObject => {
    const calledBy = calling.map((one) => `${clipped(one.name, characters)} (${one.id})`)
    return {
      instance: clipped(survey.instance, 40),
      id,
      name: clipped(name, characters),
      ...(active ? { active } : {}),
      severity,
      rules: {
        ...Object.fromEntries(
          byRule.slice(0, rules).map(([rule, names]) => [rule, firsts([...names], nodes, characters).join(", ")])
        ),
        ...(byRule.length > rules ? { more: byRule.length - rules } : {})
      },
      ...(survey.runs.since === undefined ? {} : { runs: survey.runs.counts.get(id) ?? 0 }),
      ...(calledBy.length === 0 ? {} : { calledBy: firsts(calledBy, callers, 200) })
    }
  }
}

const shortRow = (entry: Entry): JsonObject => {
  const rows = details.map(affectedRow(entry))
  return rows.find((row) => jsonBytes(row) <= rowBytes) ?? rows.at(-1) ?? {}
}

/** The report about a fleet, with as many workflows as it has room for. */
export const fleetReport = (
  surveys: ReadonlyArray<Survey>,
  {
    after,
    cursorAfter,
    failed,
    source,
    to
  }: {
    readonly to: string
    readonly source: string
    readonly after: Place | undefined
    readonly cursorAfter: (place: Place) => string
    readonly failed: ReadonlyArray<JsonObject>
  }
): JsonObject => {
  const entries = surveys
    .flatMap((survey) => survey.affected.map((affected): Entry => ({ survey, affected })))
    .toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)))
  const left = after === undefined ? entries : entries.filter((entry) => comparePlaces(placeOf(entry), after) > 0)
  const notice = beyond(surveys, to)
  const notLookedAt = surveys.flatMap((survey) => survey.notLookedAt.map((one) => `${survey.instance}: ${one}`))
  const head = {
    ...(notice === undefined ? {} : { notice }),
    to,
    ...(surveys.length === 1 ? {} : { all: total(surveys) }),
    ...(after === undefined ? { instances: surveys.slice(0, mostInstances).map(instanceRow) } : {}),
    ...(surveys.length > mostInstances ? { moreInstances: surveys.length - mostInstances } : {})
  }
  const tail =
    after === undefined
      ? {
          nodeTypes: source,
          ...(notLookedAt.length === 0 ? {} : { notLookedAt: firsts(notLookedAt, 3, 160) }),
          ask: questionsOn(surveys.map(({ way }) => way)),
          ...(failed.length === 0 ? {} : { failed })
        }
      : {}
  const rows = left.slice(0, mostRows).map(shortRow)
  const shownTo = (count: number): JsonObject => {
    const last = left[count - 1]
    const more = left.length - count
    return {
      ...head,
      workflows: rows.slice(0, count),
      ...(more > 0 ? { more } : {}),
      ...tail,
      ...(more > 0 && last !== undefined ? { nextCursor: cursorAfter(placeOf(last)) } : {})
    }
  }
  return longest(rows.length, shownTo)
}

/** Rows of which one answer could hold no more. */
const mostRows = 60

/** The answer with the most rows that fits, which has one at least. */
const longest = (rows: number, answerOf: (count: number) => JsonObject): JsonObject => {
  let count = Math.min(rows, mostRows)
  while (count > 1 && jsonBytes(answerOf(count)) > mostBytes) count -= 1
  return answerOf(count)
}

const total = (surveys: ReadonlyArray<Survey>) =>
  surveys.map(countsOf).reduce((sum, one) => ({
    workflows: sum.workflows + one.workflows,
    stop: sum.stop + one.stop,
    change: sum.change + one.change,
    cosmetic: sum.cosmetic + one.cosmetic,
    clean: sum.clean + one.clean
  }))

/** The findings of one workflow from one on. */
export const workflowReport = (
  survey: Survey,
  {
    cursorAt,
    id,
    rewritingOf,
    skip,
    source
  }: {
    readonly id: string
    readonly source: string
    readonly skip: number
    readonly cursorAt: (skip: number) => string
    readonly rewritingOf: (finding: UpgradeFinding) => JsonObject
  }
): JsonObject => {
  const affected = survey.affected.find((one) => one.id === id)
  const all = (affected?.findings ?? []).toSorted((a, b) => rank(a) - rank(b))
  const notice = beyond([survey], survey.way.to)
  const outline = survey.outlines.get(id)
  const callers = callersOf(survey, id).map((one) => `${clipped(one.name, 60)} (${one.id})`)
  const head = {
    ...(notice === undefined ? {} : { notice }),
    to: survey.way.to,
    instance: survey.instance,
    version: survey.way.from ?? "unknown",
    id,
    name: clipped(outline?.name ?? "", 100),
    active: outline?.isActive === true,
    findings: all.length,
    ...(survey.runs.since === undefined
      ? {}
      : { runs: survey.runs.counts.get(id) ?? 0, runsSince: minutes(survey.runs.since) }),
    ...(callers.length === 0 ? {} : { calledBy: firsts(callers, 5, 200) })
  }
  const tail = {
    nodeTypes: source,
    ...(survey.notLookedAt.length === 0 ? {} : { notLookedAt: firsts(survey.notLookedAt, 3, 160) })
  }
  const rows = all.slice(skip, skip + mostRows).map((finding) => {
    const { field, line, message, node, rule, severity } = finding
    return {
      rule,
      severity,
      ...(node === undefined ? {} : { node: clipped(node, 60) }),
      ...(field === undefined ? {} : { field: clipped(field, 80) }),
      ...(line === undefined ? {} : { line }),
      happens: clipped(message, 200),
      ...rewritingOf(finding)
    }
  })
  return longest(rows.length, (count) => {
    const shownRows = rows.slice(0, count)
    const next = skip + count
    return {
      ...head,
      data: shownRows,
      todo: Object.fromEntries(shownRows.map(({ rule }) => [rule, ruleOf(rule)?.advice ?? compareWithTarget])),
      ...(next < all.length ? { more: all.length - next, nextCursor: cursorAt(next) } : {}),
      ...tail
    }
  })
}

const compareWithTarget = "See what the target offers instead, by describe_node on an instance that has it."
