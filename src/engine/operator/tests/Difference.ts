import { isJsonObject } from "../../../internal/schema/JsonObject.ts"
import { masked } from "../../../internal/secrets/maskSecrets.ts"
import { type Path, pathText } from "../../workflow/valuePaths.ts"
import type { Run } from "../run/mocks.ts"
import { matchesPattern } from "./PathPattern.ts"

/** A place where a node's output differs from what was expected. */
export interface Difference {
  /** From 0 on; only given if the node runs several times or has several outputs. */
  readonly run?: number
  readonly output?: number
  readonly item?: number
  /** Inside of the item. */
  readonly path?: string
  /** The unit, if `expected` and `got` are counts. */
  readonly of?: "items" | "runs"
  /** Undefined if nothing was expected. */
  readonly expected?: unknown
  /** Undefined if nothing was there. */
  readonly got?: unknown
}

/** The differences between a node's expected output and its real one: counts first, then fields in order. */
export const differencesOf = (
  expected: ReadonlyArray<Run>,
  got: ReadonlyArray<Run>,
  ignore: ReadonlyArray<Path>
): ReadonlyArray<Difference> => {
  const isOften = expected.length > 1 || got.length > 1
  return [
    ...(expected.length === got.length ? [] : [{ of: "runs", expected: expected.length, got: got.length } as const]),
    ...expected
      .slice(0, got.length)
      .flatMap((run, index) =>
        ofRun(run, got[index] ?? [], ignore).map((one) => (isOften ? { run: index, ...one } : one))
      )
  ]
}

const ofRun = (expected: Run, got: Run, ignore: ReadonlyArray<Path>): ReadonlyArray<Difference> => {
  const isForked = expected.length > 1 || got.length > 1
  return Array.from({ length: Math.max(expected.length, got.length) }, (_, output) => {
    const [wanted = [], gotItems = []] = [expected[output], got[output]]
    const place = isForked ? { output } : {}
    return [
      ...(wanted.length === gotItems.length
        ? []
        : [{ ...place, of: "items", expected: wanted.length, got: gotItems.length } as const]),
      ...wanted
        .slice(0, gotItems.length)
        .flatMap((item, index) =>
          differingValues(item, gotItems[index], ignore).map((one) => ({ ...place, item: index, ...one }))
        )
    ]
  }).flat()
}

type Differing = Pick<Difference, "expected" | "got" | "path">

/** The differences between two values, field by field in the expected order, then unexpected fields. */
export const differingValues = (
  expected: unknown,
  got: unknown,
  ignore: ReadonlyArray<Path>,
  path: Path = []
): ReadonlyArray<Differing> => {
  if (path.length > 0 && ignore.some((pattern) => matchesPattern(path, pattern))) return []
  if (Array.isArray(expected) && Array.isArray(got)) {
    const length = Math.max(expected.length, got.length)
    return Array.from({ length }, (_, at) => differingValues(expected[at], got[at], ignore, [...path, at])).flat()
  }
  if (isJsonObject(expected) && isJsonObject(got)) {
    const names = [...Object.keys(expected), ...Object.keys(got).filter((name) => !Object.hasOwn(expected, name))]
    const within = (value: typeof expected, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)
    return names.flatMap((name) => differingValues(within(expected, name), within(got, name), ignore, [...path, name]))
  }
  return isLike(expected, got) ? [] : [{ path: pathText(path), expected, got }]
}

/** A secret that was masked in the recording matches anything. */
const isLike = (expected: unknown, got: unknown): boolean =>
  expected === got ||
  expected === masked ||
  (typeof expected === "string" && typeof got === "string" && expected.includes(masked) && fitsMasked(expected, got))

const fitsMasked = (expected: string, got: string): boolean => {
  const parts = expected.split(masked)
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  if (!got.startsWith(first) || !got.endsWith(last)) return false
  let at = 0
  for (const part of parts) {
    const start = got.indexOf(part, at)
    if (start < 0) return false
    at = start + part.length
  }
  return true
}
