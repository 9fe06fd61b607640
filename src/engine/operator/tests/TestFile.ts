import { Effect, Result, Schema } from "effect"

import { firstIssue } from "../../../internal/schema/describeIssue.ts"
import { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nearest } from "../../../internal/texts.ts"
import { NodeOutput, item } from "./NodeOutput.ts"
import { parsePattern } from "./PathPattern.ts"

const text = (message: string) => Schema.String.annotate({ message }).check(Schema.isPattern(/\S/, { message }))

const pattern = Schema.String.annotate({ message: "must be a path, as in rows[*].id" }).check(
  Schema.makeFilter((path) => Result.match(parsePattern(path), { onSuccess: () => true, onFailure: (words) => words }))
)
const patterns = Schema.Array(pattern).annotate({ message: "must be a list of paths, as in rows[*].id" })

const orElse = <const A>(value: A) => Effect.succeed(value)

/** What is expected of one node. Everything that is said must hold. */
const Expectation = Schema.Struct({
  /** What it gives out, field by field. */
  exact: Schema.optionalKey(NodeOutput),
  /** What each item looks like: the type of every field. */
  shape: Schema.optionalKey(JsonObject.annotate({ message: "must be an object from fields to types" })),
  /** Values at places of what it gives out: `[0].total`, or `total` of every item. */
  values: Schema.optionalKey(JsonObject.annotate({ message: "must be an object from paths to values" })),
  /** How many items it gives out in all. */
  items: Schema.optionalKey(
    Schema.Int.annotate({ message: "must be a whole number" }).check(
      Schema.isGreaterThanOrEqualTo(0, { message: "must be 0 or more" })
    )
  ),
  /** Whether it runs at all. */
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
  /** Where it comes from; nobody but people reads it. */
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
  /** How the run ends. */
  status: Schema.Literals(["success", "error"])
    .annotate({ message: "must be success or error" })
    .pipe(Schema.withDecodingDefaultKey(orElse("success"))),
  /** Where it ends, if it fails. */
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

/** Reads a test as a file holds it. What is wrong is named by its place. */
export const readTest = (json: unknown): Result.Result<TestFile, string> =>
  Result.mapError(decode(json), (error) => {
    const { path, unknown, words } = firstIssue(error)
    const place = path === "" ? "the test" : path
    if (unknown === undefined) return `${place} ${words}`
    const meant = nearest(unknown.name, unknown.names)
    return `${place} is no field of tests${meant === undefined ? "" : `: did you mean ${meant}?`}`
  })

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
