// The parts of docs/engines.md, from the results that `npm run test:versions` keeps, and from what the sources say of versions
// that were only read about.
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { Array as Arrays } from "effect"

import { withoutNames } from "../src/engine/client/capabilities.ts"
import { compareVersions, frozenFrom, minorOf } from "../src/engine/workflow/releases.ts"
import type { Kind, Tries } from "../test/engines/tries.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The versions with which calls came that the tools use, as the sources say it. */
export const arrivals = readdirSync(path.join(root, "src/engine"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const text = readFileSync(path.join(root, "src/engine", file), "utf8")
    const routes = text.matchAll(/call: (["`])([A-Z]+ .+?)\1,[^{}]{0,120}?since: "(\d+\.\d+\.\d+)"/g)
    return [...routes].map(([, , call = "", since = ""]) => ({
      since,
      call: withoutNames(call.replace(/\$\{[^}]*\}/, "archive"))
    }))
  })

type Tried = Tries[number]

/** The standing of each minor version: tried, or known by what came with it. */
export const engineRows = (tries: Tries): ReadonlyArray<ReadonlyArray<string>> => {
  const frozen = minorOf(frozenFrom)
  const minors = new Set([
    ...tries.map(({ version }) => minorOf(version)),
    ...arrivals.map(({ since }) => minorOf(since)),
    frozen
  ])
  return [...minors].toSorted(compareVersions).map((minor) => {
    const tried = tries.findLast(({ version }) => minorOf(version) === minor)
    const calls = new Set(arrivals.filter(({ since }) => minorOf(since) === minor).map(({ call }) => `\`${call}\``))
    const came = [
      ...calls,
      ...(minor === frozen ? [`from ${frozenFrom} on, deprecated nodes can neither be made nor changed`] : [])
    ].join(", ")
    return tried === undefined ? [minor, "read, not tried", "", came] : [minor, ...standing(tried), came]
  })
}

const standing = ({ capabilities, date, failed, passed, version }: Tried) => {
  const failures = failed.length === 0 ? "none failed" : `${failed.length} failed`
  return [
    `tried, as ${version}`,
    `${date}: ${passed} tests passed, ${failures}; ${capabilities.call.size} calls in its API`
  ]
}

/** The failed tests of every version, and what is otherwise than on the one that was tried before it. */
export const engineDifferences = (tries: Tries): string =>
  tries
    .map((tried, index) => {
      const before = tries[index - 1]
      const lines = [...failures(tried), ...(before === undefined ? [] : differences(before, tried))]
      const title = `### ${tried.version}${before === undefined ? "" : `, beside ${before.version}`}`
      const said = before === undefined ? "The oldest: the others are held against it." : "No difference was seen."
      return `${title}\n\n${lines.length === 0 ? said : lines.map((line) => `- ${line}`).join("\n")}`
    })
    .join("\n\n")

const failures = ({ failed }: Tried) => (failed.length === 0 ? [] : [`Failed: ${failed.join("; ")}.`])

interface Change {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const differences = (before: Tried, after: Tried): ReadonlyArray<string> => {
  const changesOf = (kind: Kind): ReadonlyArray<Change> => {
    const [former, latter] = [before.capabilities[kind], after.capabilities[kind]]
    return [...new Set([...latter.keys(), ...former.keys()])]
      .map((name) => ({ name, before: former.get(name), after: latter.get(name) }))
      .filter((one) => one.before !== one.after)
  }
  const comings = (changes: ReadonlyArray<Change>) => changes.filter((one) => one.before === undefined).map(nameOf)
  const goings = (changes: ReadonlyArray<Change>) => changes.filter((one) => one.after === undefined).map(nameOf)
  const [calls, fields] = [changesOf("call"), changesOf("field")]
  const types = fields.flatMap(({ after, before, name }) =>
    before === undefined || after === undefined || before === "null" || after === "null"
      ? []
      : [`\`${name}\` (${before} → ${after})`]
  )
  const answers = changesOf("answer").flatMap(({ after, before, name }) =>
    before === undefined || after === undefined ? [] : [{ name, before, after }]
  )
  const statusOf = (answer: string) => answer.slice(0, 3)
  const isRefused = (answer: string) => Number(statusOf(answer)) >= 400
  const [taken, refused, otherwise] = [
    answers.filter((one) => isRefused(one.before) && !isRefused(one.after)),
    answers.filter((one) => !isRefused(one.before) && isRefused(one.after)),
    answers.filter((one) => isRefused(one.before) === isRefused(one.after))
  ]
  const statuses = otherwise.filter((one) => statusOf(one.before) !== statusOf(one.after))
  const worded = otherwise.length - statuses.length
  return [
    ...part("New calls", callsByRoot(comings(calls))),
    ...part("Calls that are gone", callsByRoot(goings(calls))),
    ...part("New fields", fieldsByObject(comings(fields))),
    ...part("Fields that are gone", fieldsByObject(goings(fields))),
    ...part("Fields of another type", types),
    ...part("Taken, was refused", taken.map(nameOf)),
    ...part(
      "Refused, was taken",
      refused.map((one) => `${one.name} (${one.after})`)
    ),
    ...part(
      "Another status",
      statuses.map((one) => `${one.name} (${statusOf(one.before)} → ${statusOf(one.after)})`)
    ),
    ...(worded === 0 ? [] : [`${worded === 1 ? "One refusal is" : `${worded} refusals are`} worded otherwise.`])
  ]
}

const nameOf = ({ name }: { readonly name: string }) => name

const part = (title: string, items: ReadonlyArray<string>) =>
  items.length === 0 ? [] : [`${title}: ${items.join("; ")}.`]

/** The names as code; more than three of one root as that root, with their number. */
const callsByRoot = (calls: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(Arrays.groupBy(calls, (call) => /\/[\w-]+/.exec(call)?.[0] ?? call)).flatMap(([name, members]) =>
    members.length > 3 ? [`${members.length} of \`${name}\``] : members.map((member) => `\`${member}\``)
  )

/** The fields as code, those of one object together. */
const fieldsByObject = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const nameOf = (field: string) => field.slice(field.lastIndexOf(".") + 1)
  const objectOf = (field: string) => field.slice(0, field.lastIndexOf("."))
  return Object.entries(Arrays.groupBy(fields, objectOf)).map(
    ([object, members]) => `of \`${object}\` ${members.map((member) => `\`${nameOf(member)}\``).join(", ")}`
  )
}
