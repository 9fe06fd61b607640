import { Predicate, Result, Struct } from "effect"

import { isJsonObject, objectOf } from "../../internal/schema/JsonObject.ts"

/** A place inside a value: names of fields, and numbers of items. */
export type Path = ReadonlyArray<string | number>

/** Reads a path as people write it: `options.timeout`, `assignments[0].value`, `headers["content-type"]`. */
export const parsePath = (text: string): Result.Result<Path, string> => {
  const path: Array<string | number> = []
  let at = 0
  while (at < text.length) {
    step.lastIndex = at
    const [whole, index, quoted, dotted] = step.exec(text) ?? []
    if (whole === undefined || (dotted !== undefined && at === 0 && whole.startsWith("."))) return malformed(text)
    if (dotted !== undefined && at > 0 && !whole.startsWith(".")) return malformed(text)
    if (index !== undefined) path.push(Number(index))
    else path.push(quoted === undefined ? (dotted ?? "") : quoted.slice(1, -1).replace(/\\(.)/g, "$1"))
    at = step.lastIndex
  }
  if (path.length === 0) return malformed(text)
  if (path.length > longest) return Result.fail(`a path may have ${longest} steps, this one has ${path.length}`)
  return Result.succeed(path)
}

/** Steps of a path; nothing in a workflow lies deeper. */
const longest = 100

const step = /\[(\d{1,6})\]|\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]|\.?([^.[\]"]+)/y

const malformed = (text: string) =>
  Result.fail(
    `${JSON.stringify(text)} is no path; write it as in parameters.options.timeout or parameters.items[0].name`
  )

/** A path as `parsePath` reads it. */
export const pathText = (path: Path): string =>
  path
    .map((step, place) => {
      if (typeof step === "number") return `[${step}]`
      if (!/^[^.[\]"\\]+$/.test(step)) return `[${JSON.stringify(step)}]`
      return place === 0 ? step : `.${step}`
    })
    .join("")

/** Items of lists are also meant by `items.0`, as many write it. */
const stepIn = (value: unknown, step: string | number): string | number =>
  typeof step === "string" && Array.isArray(value) && /^\d{1,6}$/.test(step) ? Number(step) : step

/** The value at a place; `undefined` where there is none. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, given) => {
    const step = stepIn(at, given)
    if (typeof step === "number") return Array.isArray(at) ? at[step] : undefined
    return isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }, value)

/**
 * Puts a value at a place, or removes that which is there (`undefined`). Objects and lists on the way are made where
 * there is nothing; an item may be put behind the last one. Fails with the place that is in the way.
 */
export const withValueAt = (
  value: unknown,
  path: Path,
  put: unknown,
  done: Path = []
): Result.Result<unknown, string> => {
  const [given, ...rest] = path
  if (given === undefined) return Result.succeed(put)
  const step = stepIn(value, given)
  const here = [...done, step]
  if (value === undefined && put === undefined) return Result.fail(`there is nothing at ${pathText(here)}`)
  if (typeof step === "number") {
    const list: unknown = value ?? []
    if (!Array.isArray(list)) return Result.fail(`${pathText(done)} is no list`)
    const limit = put === undefined ? list.length - 1 : list.length
    if (step > limit)
      return Result.fail(`there is nothing at ${pathText(here)}: ${pathText(done)} has ${counted(list)}`)
    if (rest.length === 0 && put === undefined) return Result.succeed(list.toSpliced(step, 1))
    return Result.map(withValueAt(list[step], rest, put, here), (item) => list.toSpliced(step, 1, item))
  }
  const object: unknown = value ?? {}
  if (!isJsonObject(object)) {
    return Result.fail(`${pathText(done)} is ${Array.isArray(object) ? "a list" : "no object"}, and has no ${step}`)
  }
  const inside = Object.hasOwn(object, step) ? object[step] : undefined
  if (rest.length > 0) {
    return Result.map(withValueAt(inside, rest, put, here), (changed) => ({ ...object, [step]: changed }))
  }
  if (put !== undefined) return Result.succeed({ ...object, [step]: put })
  return Object.hasOwn(object, step)
    ? Result.succeed(Object.fromEntries(Object.entries(object).filter(([name]) => name !== step)))
    : Result.fail(`there is nothing at ${pathText(here)}`)
}

const counted = (list: ReadonlyArray<unknown>) => (list.length === 1 ? "1 item" : `${list.length} items`)

/** The same JSON with another value at a path, where that is possible: missing fields are added, lists do not grow. */
export const replaceAt = <A>(json: A, path: Path, value: unknown): A => {
  const replaced: unknown = replace(json, path, value)
  return isLike(json, replaced) ? replaced : json
}

/** The same JSON with other texts at some paths. */
export const replaceTextsAt = <A>(json: A, texts: ReadonlyArray<readonly [Path, string]>): A =>
  texts.reduce((changed, [path, text]) => replaceAt(changed, path, text), json)

const replace = (json: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value
  if (Array.isArray(json)) {
    const items: ReadonlyArray<unknown> = json
    return items.map((item, index) => (index === step ? replace(item, rest, value) : item))
  }
  if (!Predicate.isObject(json)) return json
  const inner = Predicate.hasProperty(json, step) ? json[step] : undefined
  return { ...json, [step]: replace(inner, rest, value) }
}

/** Replacing below the root keeps the kind of the root. */
const isLike = <A>(json: A, other: unknown): other is A =>
  typeof json === typeof other && Array.isArray(json) === Array.isArray(other)

/** RFC 7396: fields of the patch replace those of the target, objects are merged, `null` removes. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isJsonObject(patch)) return patch
  const fields = new Map(Object.entries(objectOf(target)))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name)
    else fields.set(name, mergePatch(fields.get(name), value))
  }
  return Object.fromEntries(fields)
}

/** Every text inside a value, changed; the same value where none changes. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]))
}

/** A text or a number inside a value, and where it stands. */
export interface Leaf {
  /** From the value's root: `options.timeout`, `rules.values[0].outputKey`. */
  readonly path: string
  /** The name of its field, or that beside it where it is a `{name, value}`. */
  readonly field: string
  readonly text: string
}

const maxDepth = 60

/** Every text and number inside a value, in its order. */
export const leavesOf = (value: unknown, path = "", field = "", depth = 0): ReadonlyArray<Leaf> => {
  if (Predicate.isString(value) || Predicate.isNumber(value)) return [{ path, field, text: String(value) }]
  if (depth > maxDepth) return []
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, place) => leavesOf(item, `${path}[${place}]`, field, depth + 1))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    leavesOf(item, joined(path, name), name === "value" ? (nameBeside(value) ?? name) : name, depth + 1)
  )
}

/** `options.timeout`; a name that is none of a field stands in brackets. */
export const joined = (path: string, name: string): string => {
  if (!/^[\w$ -]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === "" ? name : `${path}.${name}`
}

/** The name of a `{name, value}`. */
export const nameBeside = (value: object): string | undefined => {
  const { key, name }: Readonly<Record<string, unknown>> = { ...value }
  return [name, key].find(Predicate.isString)
}

/** Beside the id of what a parameter points at, editors keep its name and address, and show them as they are. */
const kept = ["cachedResultName", "cachedResultUrl"] as const

/** Parameters that were changed, without the names and addresses of what they no longer point at. */
export const withoutFormerNames = (before: unknown, after: unknown): unknown => {
  if (Array.isArray(after)) {
    const others: ReadonlyArray<unknown> = Array.isArray(before) ? before : []
    return after.map((item: unknown, index) => withoutFormerNames(others[index], item))
  }
  if (!isJsonObject(after) || before === after) return after
  const former = isJsonObject(before) ? before : {}
  const inner = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, withoutFormerNames(former[name], value)])
  )
  const isOther = after.__rl === true && former.__rl === true && after.value !== former.value
  return isOther
    ? Struct.omit(
        inner,
        kept.filter((name) => former[name] !== undefined && former[name] === after[name])
      )
    : inner
}

/** Lists of parameters whose items have an id that only editors use, and the field by which such an item is known. */
const identified = new Map([
  ["assignments", "name"],
  ["conditions", "leftValue"]
])

/** Parameters without the ids that editors give to assignments and conditions. */
export const withoutEditorIds = (value: unknown, name = "", depth = 0): unknown => {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) {
    const field = identified.get(name)
    return value.map((item: unknown) => {
      const isIdentified = field !== undefined && isJsonObject(item) && Object.hasOwn(item, field)
      return withoutEditorIds(isIdentified ? Struct.omit(item, ["id"]) : item, "", depth + 1)
    })
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutEditorIds(item, key, depth + 1)]))
}
