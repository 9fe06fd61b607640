import { clipped } from "../../../internal/foreignText.ts"
import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { maskSecrets, maskText } from "../../../internal/secrets/maskSecrets.ts"
import { type Failure, failureOf, messageOf, wordsOf } from "../../operator/explain/failure.ts"
import { goneOver, inputOf, jsonOf, nodeNamed, type NodeRun, type RunData } from "../../operator/explain/runData.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { isEnabled, kindOf } from "../../workflow/triggers.ts"
import { leavesOf } from "../../workflow/valuePaths.ts"
import { isSameJson } from "../../workflow/versions.ts"
import { edgesOf } from "../../workflow/wires.ts"

/** The outcome of the failed run with the fix, and why. */
export interface Verdict {
  readonly outcome: "not proven" | "passes" | "still fails"
  readonly why: string
}

/** The run with the fix, with what is known of the run that failed and of successes. */
export interface FixedRun {
  readonly failure: Failure
  readonly before: RunData
  readonly fixed: Workflow
  /** Names of the nodes that the fix changes or adds. */
  readonly changed: ReadonlySet<string>
  readonly mocked: ReadonlySet<string>
  readonly after: RunData
  readonly status: string
  readonly successes: ReadonlyArray<RunData>
}

/** Kinds of nodes whose work is to give out fewer items than they get. */
const reducing = new Set(
  "aggregate compareDatasets filter if itemLists limit merge removeDuplicates splitInBatches summarize switch".split(
    " "
  )
)

/**
 * Judges the failed run with the fix. It only passes where the node that failed really ran on all the items that it had, kept them
 * all, and no error is hidden.
 */
export const judgeRun = (run: FixedRun): Verdict => {
  const { after, before, failure, fixed, mocked, status } = run
  const failedName = failure.at?.node ?? ""
  if (status === "error") {
    const now = failureOf(after)
    const place = now?.at?.node ?? after.lastNode ?? "the run"
    const message = now === undefined ? "no error is on record" : String(wordsOf(now.error, 200).message)
    return fails(`${place === failedName ? "" : "now at "}${clipped(place, 80)}: ${message}`)
  }
  if (status !== "success") return fails(`the run ended as ${status}`)
  const earlier = new Set(goneOver(before).map(({ node }) => node))
  const [hidden] = goneOver(after).filter(({ node }) => !earlier.has(node) || node === failedName)
  if (hidden !== undefined) {
    const text = typeof hidden.error === "string" ? hidden.error : messageOf(objectOf(hidden.error))
    return fails(`${clipped(hidden.node, 80)} only goes on after its error: ${clipped(maskText(text), 200)}`)
  }
  const node = sameNode(fixed, nodeNamed(before, failedName), failedName)
  if (node === undefined) return open(`${failedName} is gone from the workflow: what failed does not run any more`)
  const name = nameOf(node)
  if (!isEnabled(node)) return open(`${name} is switched off: what failed does not run any more`)
  if (mocked.has(name)) {
    return open(`${name} acts outside, so that it did not run: its part cannot be proven without acting`)
  }
  if (/\bcatch\b/.test(textOf(node)) && !/\bcatch\b/.test(textOf(nodeNamed(before, failedName)))) {
    return open(`${name} catches its error now: whether gives_now is right is for a person to say`)
  }
  return judgeItems(run, name, kindOf(node)) ?? { outcome: "passes", why: `${name} ran on all its items` }
}

const fails = (why: string): Verdict => ({ outcome: "still fails", why })
const open = (why: string): Verdict => ({ outcome: "not proven", why })

/** The node of the fixed workflow that failed before, perhaps under another name. */
const sameNode = ({ nodes }: Workflow, before: JsonObject | undefined, name: string): JsonObject | undefined =>
  nodes.find((node) => nameOf(node) === name) ??
  (before?.id === undefined ? undefined : nodes.find(({ id }) => id === before.id))

const runsOf = ({ runs }: RunData, name: string) => runs.filter(({ node }) => node === name)
const countIn = (data: RunData, name: string) => sum(runsOf(data, name).map((run) => inputOf(data, run).length))
const itemsOut = (runs: ReadonlyArray<NodeRun>) => runs.flatMap(({ outputs }) => outputs.flat())
const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)

/** The verdict on items that do not reach the node that failed, or do not leave it. */
const judgeItems = (run: FixedRun, name: string, kind: string): Verdict | undefined => {
  const { after, before, failure, successes } = run
  const got = countIn(after, name)
  const wanted = Math.max(countIn(before, failure.at?.node ?? name), failure.input.length)
  if (runsOf(after, name).length === 0 || (got === 0 && wanted > 0)) return open(`${name} got no items in this run`)
  if (got < wanted) return open(`only ${got} of ${wanted} items reach ${name} now: the fix drops items`)
  const out = itemsOut(runsOf(after, name))
  const usual = successes.flatMap((data) => {
    const count = countIn(data, name)
    return count === 0 ? [] : [{ count, items: itemsOut(runsOf(data, name)) }]
  })
  const keepsAll = usual.length === 0 ? !reducing.has(kind) : usual.every(({ count, items }) => items.length >= count)
  if (out.length < got && keepsAll) return open(`${name} gives ${out.length} items for ${got}: the fix drops items`)
  if (out.length === 0 && usual.length > 0 && usual.every(({ items }) => items.length > 0)) {
    return open(`${name} gives no items, and gave some in every success`)
  }
  const lacking = firstLacking(
    out,
    usual.flatMap(({ items }) => items)
  )
  if (lacking !== undefined) {
    return open(`item ${lacking.item + 1} of ${name} lacks ${lacking.field}, which every item of the successes has`)
  }
  return firstDropping(run, name)
}

/** The first item that lacks a field which all the usual ones have. */
const firstLacking = (items: ReadonlyArray<unknown>, usual: ReadonlyArray<unknown>) => {
  const [first, ...others] = usual.map(jsonOf)
  const common = Object.keys(first ?? {}).filter((field) => others.every((json) => Object.hasOwn(json, field)))
  for (const [item, one] of items.entries()) {
    const field = common.find((name) => !Object.hasOwn(jsonOf(one), name))
    if (field !== undefined) return { item, field: clipped(field, 60) }
  }
  return undefined
}

/** Another node of the fix at which items end that went on before. */
const firstDropping = (run: FixedRun, failedName: string): Verdict | undefined => {
  const { after, before, changed, fixed, mocked } = run
  const edges = edgesOf(fixed.connections).filter(({ type }) => type === "main")
  for (const name of changed) {
    const runs = runsOf(after, name)
    if (name === failedName || mocked.has(name) || runs.length === 0) continue
    const outputs = new Set(edges.filter(({ source }) => source === name).map(({ output }) => output))
    const going = sum(
      runs.flatMap((one) =>
        one.outputs.map((items, output) => (outputs.size === 0 || outputs.has(output) ? items.length : 0))
      )
    )
    const got = countIn(after, name)
    const went = itemsOut(runsOf(before, name)).length
    const isNew = runsOf(before, name).length === 0
    if (going < got && (isNew || went >= countIn(before, name))) {
      return open(`${name} lets ${going} of ${got} items go on: the fix drops items`)
    }
  }
  return undefined
}

/** The names of nodes that a fix changes, adds or connects otherwise. */
export const changedNodes = (before: Workflow, after: Workflow): ReadonlySet<string> => {
  const bare = ({ position: _position, ...node }: JsonObject) => node
  const others = new Map(before.nodes.map((node) => [nameOf(node), bare(node)]))
  const [old, now] = [before, after].map(({ connections }) => edgesOf(connections).map((edge) => JSON.stringify(edge)))
  const ends = edgesOf(after.connections).filter((edge) => old?.includes(JSON.stringify(edge)) !== true)
  const gone = edgesOf(before.connections).filter((edge) => now?.includes(JSON.stringify(edge)) !== true)
  const there = new Set(after.nodes.map(nameOf))
  return new Set(
    [
      ...after.nodes.filter((node) => !isSameJson(others.get(nameOf(node)), bare(node))).map(nameOf),
      ...[...ends, ...gone].map(({ target }) => target)
    ].filter((name) => there.has(name))
  )
}

/** Words of expressions and code whose values differ from run to run. */
const changing =
  /\$(?:now|today|execution|runIndex)\b|\bnew Date\(\s*\)|\bDate\.now\b|\bDateTime\.(?:now|local|utc)\b|\bMath\.random\b|\brandom(?:Int|UUID|Bytes)?\(|\buuid/i

const textOf = (node: JsonObject | undefined): string =>
  leavesOf(node?.parameters)
    .map(({ text }) => text)
    .join("\n")

/** The limits of a proof, in words: parts of the fix that no comparison can hold. */
export const limitsOf = (
  { changed, fixed, mocked }: Pick<FixedRun, "changed" | "fixed" | "mocked">,
  current: Workflow
) =>
  [...changed].flatMap((name): ReadonlyArray<string> => {
    const [now, then] = [fixed, current].map(({ nodes }) => nodes.find((node) => nameOf(node) === name))
    const [text, old] = [textOf(now), textOf(then)]
    return [
      ...(mocked.has(name)
        ? [`${name} is changed and acts outside: it did not run, and answered what is on record`]
        : []),
      ...(changing.test(text)
        ? [`${name} uses the time or random values (${changing.exec(text)?.[0] ?? ""}), which differ in every run`]
        : []),
      ...(/\bcatch\b/.test(text) && !/\bcatch\b/.test(old)
        ? [`${name} catches errors now: look at what it gives for the item that failed`]
        : [])
    ]
  })

/** The item that the node that failed gives now for the one with this index, in short. */
export const givenNow = ({ after, before, failure, fixed }: FixedRun, index: number): string | undefined => {
  const name = failure.at?.node ?? ""
  const node = sameNode(fixed, nodeNamed(before, name), name)
  const out = node === undefined ? [] : itemsOut(runsOf(after, nameOf(node)))
  const paired = out.find((item) => pairOf(item) === index) ?? (out.length > index ? out[index] : undefined)
  return paired === undefined ? undefined : clipped(JSON.stringify(maskSecrets(jsonOf(paired))), 300)
}

const pairOf = (item: unknown): unknown => {
  const { pairedItem } = objectOf(item)
  const [first] = Array.isArray(pairedItem) ? listOf(pairedItem) : [pairedItem]
  return typeof first === "number" ? first : objectOf(first).item
}
