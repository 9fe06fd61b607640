import { Effect, Result, Schema } from "effect"

import { jsonBytes } from "../../../internal/json/values.ts"
import { firstIssue } from "../../../internal/schema/describeIssue.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { item, NodeOutput, runsOf } from "./NodeOutput.ts"
import { parsePattern } from "./PathPattern.ts"
import { shapeOf } from "./shape.ts"

const text = (message: string) => Schema.String.annotate({ message }).check(Schema.isPattern(/\S/, { message }))

const pattern = Schema.String.annotate({ message: "must be a path, as in rows[*].id" }).check(
  Schema.makeFilter((path) => Result.match(parsePattern(path), { onSuccess: () => true, onFailure: (words) => words }))
)
const patterns = Schema.Array(pattern).annotate({ message: "must be a list of paths, as in rows[*].id" })

const orElse = <const A>(value: A) => Effect.succeed(value)

/** The expectations of one node, all of which must hold. */
const Expectation = Schema.Struct({
  /** Its output, compared field by field. */
  exact: Schema.optionalKey(NodeOutput),
  /** The shape of each output item: the type of every field. */
  shape: Schema.optionalKey(JsonObject.annotate({ message: "must be an object from fields to types" })),
  /** Values at paths of its output: `[0].total`, or `total` of every item. */
  values: Schema.optionalKey(JsonObject.annotate({ message: "must be an object from paths to values" })),
  /** The number of its output items in all. */
  items: Schema.optionalKey(
    Schema.Int.annotate({ message: "must be a whole number" }).check(
      Schema.isGreaterThanOrEqualTo(0, { message: "must be 0 or more" })
    )
  ),
  /** Whether it runs. */
  ran: Schema.optionalKey(Schema.Boolean.annotate({ message: "must be true or false" })),
  /** Fields that may be anything. */
  ignore: Schema.optionalKey(patterns)
})
  .annotate({ message: "must be an object with exact, shape, values, items or ran" })
  .check(
    Schema.makeFilter(
      ({ exact, items, ran, shape, values }) =>
        [exact, items, ran, shape, values].some((one) => one !== undefined) ||
        "must say something: exact, shape, values, items or ran"
    ),
    Schema.makeFilter(({ values = {} }) => {
      const broken = Object.keys(values)
        .map((path) => parsePattern(path))
        .find(Result.isFailure)
      return broken === undefined ? true : broken.failure
    })
  )
export type Expectation = typeof Expectation.Type

const Fields = Schema.Struct({
  testFormat: Schema.Literal(1).annotate({
    message: "must be 1, the only form of test files that this version reads"
  }),
  name: text("must be a text"),
  workflow: Schema.Struct({
    id: Schema.optionalKey(text("must be a text")),
    name: Schema.optionalKey(text("must be a text"))
  })
    .annotate({ message: "must be an object with id and name" })
    .check(
      Schema.makeFilter(({ id, name }) => id !== undefined || name !== undefined || "must hold the id or the name")
    ),
  /** The origin of the recording, for people alone. */
  recorded: Schema.optionalKey(JsonObject.annotate({ message: "must be an object" })),
  trigger: Schema.Struct({
    node: text("must be the name of the trigger"),
    items: Schema.Array(item("must be an object")).annotate({ message: "must be a list of items" })
  }).annotate({ message: "must be an object with node and items" }),
  mocks: Schema.Record(Schema.String, NodeOutput)
    .annotate({ message: "must be an object from nodes to what they give out" })
    .pipe(Schema.withDecodingDefaultKey(orElse({}))),
  expect: Schema.Record(Schema.String, Expectation)
    .annotate({ message: "must be an object from nodes to what is expected of them" })
    .pipe(Schema.withDecodingDefaultKey(orElse({}))),
  /** Fields of every node that may be anything. */
  ignore: patterns.pipe(Schema.withDecodingDefaultKey(orElse([]))),
  /** The status of the run at its end. */
  status: Schema.Literals(["success", "error"])
    .annotate({ message: "must be success or error" })
    .pipe(Schema.withDecodingDefaultKey(orElse("success"))),
  /** The node at which the run fails. */
  failsAt: Schema.optionalKey(text("must be the name of a node")),
  /** Nodes that may really act outside. */
  allow: Schema.Array(text("must be the name of a node"))
    .annotate({ message: "must be a list of nodes" })
    .pipe(Schema.withDecodingDefaultKey(orElse([]))),
  /** Seconds for the run. */
  timeout: Schema.Int.annotate({ message: "must be a whole number of seconds" })
    .check(Schema.isBetween({ minimum: 1, maximum: 40 }, { message: "must be between 1 and 40" }))
    .pipe(Schema.withDecodingDefaultKey(orElse(30)))
}).annotate({ message: "must be an object with testFormat, name, workflow, trigger, mocks and expect" })

/** One recorded test of a workflow. */
export type TestFile = typeof Fields.Type

const decode = Schema.decodeUnknownResult(Fields, { onExcessProperty: "error" })

/** Reads the content of a test's file; the failure names the place of the problem. */
export const readTest = (json: unknown): Result.Result<TestFile, string> =>
  Result.mapError(decode(json), (error) => {
    const { path, unknown, words } = firstIssue(error)
    const place = path === "" ? "the test" : path
    if (unknown === undefined) return `${place} ${words}`
    const meant = nearest(unknown.name, unknown.names)
    return `${place} is no field of tests${meant === undefined ? "" : `: did you mean ${meant}?`}`
  })

/** A file's name from that of a test: letters, digits and hyphens. */
export const fileName = (name: string): string => {
  const words =
    name
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const short = Array.from(words.join("-")).slice(0, 60).join("")
  return `${short.replace(/-$/, "") || "test"}.json`
}

/** The text of a test's file: its own fields always in the same order, those of items as they are. */
export const printTest = ({
  allow,
  expect,
  failsAt,
  ignore,
  mocks,
  name,
  recorded,
  status,
  timeout,
  trigger,
  workflow
}: TestFile) =>
  `${JSON.stringify(
    {
      testFormat: 1,
      name,
      workflow,
      ...(recorded === undefined ? {} : { recorded }),
      trigger,
      ...(Object.keys(mocks).length === 0 ? {} : { mocks }),
      expect,
      ...(ignore.length === 0 ? {} : { ignore }),
      ...(status === "success" ? {} : { status }),
      ...(failsAt === undefined ? {} : { failsAt }),
      ...(allow.length === 0 ? {} : { allow }),
      ...(timeout === 30 ? {} : { timeout })
    },
    undefined,
    2
  )}\n`

/** Bytes that a test's file may have. */
const most = 512 * 1024

const encoder = new TextEncoder()

/**
 * Makes a test small enough for a file: the largest expected outputs are replaced by their shapes. Inputs and mocks cannot be
 * replaced; if these alone are too large, this fails.
 */
export const shrinkTest = (
  test: TestFile
): Result.Result<{ readonly test: TestFile; readonly cut: ReadonlyArray<string> }, string> => {
  const expect = new Map(Object.entries(test.expect))
  const cut: Array<string> = []
  for (;;) {
    const whole = { ...test, expect: Object.fromEntries(expect) }
    const size = encoder.encode(printTest(whole)).length
    if (size <= most) {
      const note = `Too large to compare item by item, so only the shape is expected: ${cut.join(", ")}`
      return Result.succeed({ test: whole, cut: cut.length === 0 ? [] : [note] })
    }
    const [largest] = [...expect]
      .filter(([, { exact }]) => exact !== undefined)
      .toSorted((a, b) => jsonBytes(b[1]) - jsonBytes(a[1]))
    if (largest === undefined) return Result.fail(tooLarge(test, size))
    const [name, expectation] = largest
    expect.set(name, asShape(expectation))
    cut.push(name)
  }
}

const asShape = ({ exact = [], ignore }: Expectation): Expectation => {
  const items = runsOf(exact).flat(2)
  return { shape: shapeOf(items), items: items.length, ...(ignore === undefined ? {} : { ignore }) }
}

const tooLarge = ({ mocks, trigger }: TestFile, size: number): string => {
  const [largest] = [
    [trigger.node, jsonBytes(trigger.items)] as const,
    ...Object.entries(mocks).map(([name, one]) => [name, jsonBytes(one)] as const)
  ].toSorted((a, b) => b[1] - a[1])
  return `a file of ${size} bytes would be too large (${most} at most), most of it what ${largest?.[0] ?? ""} gave out: record a smaller run`
}
