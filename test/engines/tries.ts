/** The kept results of trying versions of the engine, from which `docs/engines.md` is made. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { Predicate, Schema } from "effect"

import { withoutNames } from "../../src/engine/client/capabilities.ts"
import { compareVersions } from "../../src/engine/workflow/releases.ts"
import type { Entry } from "../real/probe/Probe.ts"

const file = fileURLToPath(new URL("tried.jsonl", import.meta.url))

/** The result of the contract suite on one version; the failures are titles of tests. */
const Tried = Schema.Struct({
  version: Schema.String,
  date: Schema.String,
  passed: Schema.Int,
  failed: Schema.Array(Schema.String)
})
export type Tried = typeof Tried.Type

const kinds = ["call", "field", "answer"] as const
export type Kind = (typeof kinds)[number]

/** A capability, with its value from each version on at which it changed among those that were tried. */
const Capability = Schema.Struct({
  kind: Schema.Literals(kinds),
  name: Schema.String,
  from: Schema.Record(Schema.String, Schema.String)
})
type Capability = typeof Capability.Type

const Line = Schema.fromJsonString(Schema.Union([Tried, Capability]))
const decodeLine = Schema.decodeUnknownSync(Line)

/** The kept value of a call or field that a version lacks, and of a request that was not made to it. */
const none = "none"

/** The capabilities of one version: the value of each that it has, by kind and name. */
export type Capabilities = Readonly<Record<Kind, ReadonlyMap<string, string>>>

/** The results of the versions that were tried, the oldest first. */
export type Tries = ReadonlyArray<Tried & { readonly capabilities: Capabilities }>

const isTried = (line: Tried | Capability): line is Tried => "version" in line

export const readTries = (text = readFileSync(file, "utf8")): Tries => {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decodeLine(line))
  return lines.filter(isTried).map((tried) => {
    const valueAt = ({ from }: Capability) =>
      Object.entries(from)
        .filter(([version]) => compareVersions(version, tried.version) <= 0)
        .toSorted(([one], [other]) => compareVersions(one, other))
        .at(-1)?.[1] ?? none
    const valuesOf = (kind: Kind) =>
      lines.flatMap((line) => (isTried(line) || line.kind !== kind ? [] : [[line.name, valueAt(line)] as const]))
    const of = (kind: Kind) => new Map(valuesOf(kind).filter(([, value]) => value !== none))
    return { ...tried, capabilities: { call: of("call"), field: of("field"), answer: of("answer") } }
  })
}

/** The file of these results: a line for each version, and one for each capability. */
export const textOfTries = (tries: Tries): string => {
  const sorted = tries.toSorted((one, other) => compareVersions(one.version, other.version))
  const lines = kinds.flatMap((kind) => {
    const names = new Set(sorted.flatMap(({ capabilities }) => [...capabilities[kind].keys()]))
    return [...names].toSorted().map((name) => {
      const values = sorted.map(({ capabilities, version }) => [version, capabilities[kind].get(name) ?? none] as const)
      const from = values.filter(([, value], index) => value !== (values[index - 1]?.[1] ?? none))
      return { kind, name, from: Object.fromEntries(from) }
    })
  })
  const kept = lines.filter(({ from }) => Object.keys(from).length > 0)
  const versions = sorted.map(({ date, failed, passed, version }) => ({ version, date, passed, failed }))
  return [...versions, ...kept].map((line) => `${JSON.stringify(line)}\n`).join("")
}

/** Keeps the result of a version in place of the one that was there. */
export const keepTry = (tried: Tries[number]) => {
  const others = readTries().filter(({ version }) => version !== tried.version)
  writeFileSync(file, textOfTries([...others, tried]))
}

/** The capabilities that show in the description of an API and in the answers to the probe. */
export const capabilitiesOf = (
  calls: ReadonlyArray<{ readonly call: string }>,
  answers: ReadonlyArray<Entry>
): Capabilities => ({
  call: new Map(calls.map(({ call }) => [withoutNames(call), "offered"])),
  field: typesOf(answers.flatMap(fieldsOf)),
  answer: new Map(answers.map((entry) => [entry.title, answerOf(entry)]))
})

const isObject = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The status, and the words of a refusal. */
const answerOf = ({ body, status }: Entry): string => {
  if (status < 400) return String(status)
  const message = isObject(body) ? body["message"] : body
  const words = Predicate.isString(message) ? message : JSON.stringify(message ?? "")
  return `${status} ${words.replace(/<(\w+):\d+>/g, "<$1>").slice(0, 160)}`
}

/** Fields whose parts are the caller's, or the nodes'. */
const opaque = /^(?:connections|data|nodes|parameters|pinData|staticData|workflowData)$/

interface Field {
  readonly name: string
  readonly type: string
}

/** The types of each field; `null` only where it has no other value. */
const typesOf = (fields: ReadonlyArray<Field>): ReadonlyMap<string, string> => {
  const types = new Map<string, ReadonlySet<string>>()
  for (const { name, type } of fields) types.set(name, new Set([...(types.get(name) ?? []), type]))
  return new Map(
    [...types].map(([name, all]) => [
      name,
      [...all]
        .filter((type) => type !== "null")
        .toSorted()
        .join(" or ") || "null"
    ])
  )
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "list"
  return Predicate.isString(value) ? "text" : typeof value
}

/** The fields that an answer has, below the name of its resource. */
const fieldsOf = ({ body, request, status, title }: Entry): ReadonlyArray<Field> => {
  const path = isObject(request) ? String(request["path"]).split("?")[0] : ""
  const resource = /^\/api\/v1\/(?:workflows\/[^/]+\/)?(workflow|execution|tag|credential)s(?!\/schema)/.exec(
    path ?? ""
  )
  // Of lists by a query, only the names are kept.
  if (status >= 400 || resource === null || title.startsWith("list: ")) return []
  const walk = (value: unknown, name: string, depth: number): ReadonlyArray<Field> => {
    if (Array.isArray(value)) return value.flatMap((item) => walk(item, name, depth))
    if (!isObject(value) || depth > 2) return []
    return Object.entries(value).flatMap(([key, part]) => [
      { name: `${name}.${key}`, type: typeOf(part) },
      ...(opaque.test(key) ? [] : walk(part, `${name}.${key}`, depth + 1))
    ])
  }
  const isPage = isObject(body) && "nextCursor" in body
  return walk(isPage ? body["data"] : body, resource[1] ?? "", 1)
}
