import { Result, Struct } from "effect"

import { digest } from "../../../internal/json/digest.ts"
import { type JsonObject, objectOf, objectsOf } from "../../../internal/schema/JsonObject.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { jsonOf, type RunData, runDataOf } from "../../operator/explain/runData.ts"
import { nodesToMock } from "../../operator/run/sideEffects.ts"
import { recordedOutputOf } from "../../operator/tests/NodeOutput.ts"
import type { TestFile } from "../../operator/tests/TestFile.ts"
import { draftTest } from "../../operator/tests/testFromExecution.ts"
import { type Execution, nameOf, type Workflow } from "../../workflow/models.ts"
import { kindOf } from "../../workflow/triggers.ts"
import { edgesOf } from "../../workflow/wires.ts"

/** A run of the past as a test of the fixed workflow. */
export interface ProofTest {
  readonly test: TestFile
  readonly data: RunData
  /** The names of the nodes that answer from the record. */
  readonly mocked: ReadonlySet<string>
  /** Sentences about what the run cannot show. */
  readonly notes: ReadonlyArray<string>
}

/** The input of a proof. */
interface ProofInput {
  readonly parse: Parse
  readonly instance: string
  readonly fixed: Workflow
  readonly execution: Execution
}

/** A test in which the nodes of the fixed workflow that act outside answer what they answered in a run. */
const fitted = (
  { execution, fixed, instance, parse }: ProofInput,
  answersOf: (name: string, data: RunData) => { readonly answer: TestFile["mocks"][string]; readonly note?: string }
): Result.Result<ProofTest, string> =>
  Result.gen(function* () {
    const { data, files, ignored, test } = yield* draftTest(execution, {
      name: undefined,
      instance,
      parse,
      expect: undefined,
      ignore: []
    })
    const { names, part } = yield* nodesToMock(fixed, test.trigger.node, parse)
    if (!part.isTrigger) return yield* Result.fail(`${test.trigger.node} is no trigger any more`)
    const there = new Set(fixed.nodes.map(nameOf))
    const answers = names.map((name) => [name, answersOf(name, data)] as const)
    const expected = Object.entries(test.expect).filter(([name]) => there.has(name) && !names.includes(name))
    const varying = [...ignored]
      .filter(([name]) => there.has(name))
      .map(([name, { ignore }]) => `${name} ${ignore.join(", ")}`)
    return {
      test: {
        ...test,
        workflow: { id: fixed.id, name: fixed.name },
        mocks: Object.fromEntries(answers.map(([name, { answer }]) => [name, answer])),
        expect: Object.fromEntries(expected)
      },
      data,
      mocked: new Set(names),
      notes: [
        ...answers.flatMap(([, { note }]) => note ?? []),
        ...(varying.length === 0 ? [] : [`Not compared, as they differ in every run: ${varying.join("; ")}`]),
        ...(files.length === 0
          ? []
          : [`Files that ${files.join(", ")} gave out are left out: nodes that read them prove nothing`])
      ]
    }
  })

/**
 * The failed run as one that is to pass. Nodes that act outside and were not reached answer as in a success; where there is none,
 * nothing.
 */
export const failedRunTest = (input: ProofInput, success: Execution | undefined): Result.Result<ProofTest, string> => {
  const other = success === undefined ? undefined : runDataOf(success)
  const ran = (data: RunData | undefined, name: string) =>
    data?.runs.some(({ error, node }) => node === name && error === undefined) === true
  const proof = fitted(input, (name, data) => {
    if (ran(data, name)) return { answer: recordedOutputOf(data, name) }
    return other !== undefined && ran(other, name)
      ? {
          answer: recordedOutputOf(other, name),
          note: `${name} acts outside and was not reached: it answers as in execution ${success?.id ?? 0}`
        }
      : { answer: [], note: `${name} acts outside, and no answer of it is on record: nothing after it ran` }
  })
  return Result.map(proof, ({ test, ...rest }) => ({
    ...rest,
    test: { ...Struct.omit(test, ["failsAt"]), status: "success", expect: {} }
  }))
}

/** A success as a test, item by item. */
export const successTest = (input: ProofInput): Result.Result<ProofTest, string> =>
  Result.map(
    fitted(input, (name, data) => ({ answer: recordedOutputOf(data, name) })),
    (proof) => {
      const there = new Set(input.fixed.nodes.map(nameOf))
      const gone = [...new Set(proof.data.runs.map(({ node }) => node))].filter((name) => !there.has(name))
      return gone.length === 0
        ? proof
        : { ...proof, notes: [...proof.notes, `${gone.join(", ")} ran then and is gone now`] }
    }
  )

/** A digest of the nodes and connections of a workflow, whatever their parameters: its version family. */
export const familyOf = (workflow: JsonObject): string => {
  const { connections, nodes } = workflow
  const names = objectsOf(nodes)
    .filter((node) => kindOf(node) !== "stickyNote")
    .map((node) => `${nameOf(node)} ${kindOf(node)}`)
  return digest([
    names.toSorted(),
    edgesOf(objectOf(connections))
      .map((edge) => JSON.stringify(edge))
      .toSorted()
  ])
}

/** Whether one of these nodes got items in a run: one that nothing reached proves nothing. */
export const isReached = (data: RunData, names: ReadonlySet<string>): boolean =>
  data.runs.some(
    ({ node, outputs, whole }) => names.has(node) && (whole.error !== undefined || outputs.flat().some(jsonOf))
  )
