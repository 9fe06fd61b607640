import { Result } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import { masked, maskSecrets, secretsOf } from "../../../internal/secrets/maskSecrets.ts"
import { replaceTexts } from "../../../internal/texts.ts"
import type { Parse } from "../../nodes/check/javaScript.ts"
import { type Execution, nameOf, type Workflow, WorkflowId } from "../../workflow/models.ts"
import { mapTexts } from "../../workflow/valuePaths.ts"
import { statusOf } from "../explain/describeExecution.ts"
import { failureOf } from "../explain/failure.ts"
import { byNode, isRedacted, type RunData, runDataOf, textIn } from "../explain/runData.ts"
import type { Run } from "../run/mocks.ts"
import { partOf } from "../run/Part.ts"
import { type NodesToMock, nodesToMock } from "../run/sideEffects.ts"
import { itemsOf, recordedOutputOf, toNodeOutput } from "./NodeOutput.ts"
import { shapeOf } from "./shape.ts"
import { type Expectation, readTest, shrinkTest, type TestFile } from "./TestFile.ts"
import { volatileIn } from "./volatileFields.ts"

/** The requested expectation of a node: its exact output, the shape of it, or values at certain paths. */
type Wanted = "exact" | "shape" | JsonObject

/** The options of a recording. */
interface RecordRequest {
  readonly parse: Parse
  readonly name: string | undefined
  /** The instance that the execution is from. */
  readonly instance: string
  /** Undefined: the exact output of every node. */
  readonly expect: Readonly<Record<string, Wanted>> | undefined
  readonly ignore: ReadonlyArray<string>
}

/** A test, and notes about it for people. */
interface Recording {
  readonly test: TestFile
  readonly notes: ReadonlyArray<string>
}

/** A run that an engine has recorded, begun by a trigger. */
export interface RecordedRun {
  readonly execution: Execution
  readonly data: RunData
  /** The trigger that began it. */
  readonly start: string
}

/** The record of a run that can be repeated; the failure says what is missing. */
export const recordedRunOf = (execution: Execution): Result.Result<RecordedRun, string> => {
  const { id } = execution
  const status = statusOf(execution)
  if (status !== "success" && status !== "error") {
    return Result.fail(`execution ${id} is in state ${status}: only runs that have ended can be recorded`)
  }
  if (execution.isTooLarge === true) return Result.fail(`the data of execution ${id} is too large to be read`)
  const data = runDataOf(execution)
  if (data === undefined) return Result.fail(`the engine keeps no data of execution ${id}`)
  if (data.nodes.length === 0) return Result.fail(`the engine no longer has the version that execution ${id} ran`)
  if (isRedacted(data)) return Result.fail(`the engine hides what the nodes of execution ${id} gave out`)
  const [first] = data.runs
  if (first === undefined) return Result.fail(`no node ran in execution ${id}`)
  const { node: start, outputs } = first
  if (!beginsAt(start, execution, data)) {
    return Result.fail(`execution ${id} began at ${start}, in the middle: record one that a trigger began`)
  }
  const last = outputs.findLastIndex((items) => items.length > 0)
  return last > 0
    ? Result.fail(`${start} gave out items by its output ${last + 1}, and a test starts at the first`)
    : Result.succeed({ execution, data, start })
}

/** Whether a run begins at this node as its workflow does. */
const beginsAt = (start: string, execution: Execution, data: RunData): boolean => {
  const part = partOf(workflowOf(execution, data), new Map(), { from: start })
  return Result.isSuccess(part) && part.success.isTrigger
}

/** Makes a test from an execution, to be kept; the failure says why that is impossible. */
export const testFromExecution = (execution: Execution, request: RecordRequest): Result.Result<Recording, string> =>
  Result.gen(function* () {
    const { data, start } = yield* recordedRunOf(execution)
    const workflow = workflowOf(execution, data)
    const mocked = yield* nodesToMock(workflow, start, request.parse)
    const runs = new Map([...byNode(data)].map(([node, all]) => [node, all.map(itemsOf)]))
    const status = statusOf(execution) === "error" ? "error" : "success"
    const failed = status === "error" ? failureOf(data)?.at?.node : undefined
    if (failed !== undefined && mocked.names.includes(failed)) {
      return yield* Result.fail(
        `${failed}, which acts outside, failed in execution ${execution.id}: record a run in which it did not`
      )
    }
    const mocks = new Map(mocked.names.map((name) => [name, recordedOutputOf(data, name)]))
    const items = runs.get(start)?.[0]?.[0] ?? []
    const chosen = yield* expectations({ data, mocked, runs, start, request, failed })
    const exact = [...chosen].flatMap(([name, one]) => (one.exact === undefined ? [] : [name]))
    const volatile = volatileIn(execution, data, exact, { items, mocks: [...mocks.values()] })
    const ignored = new Map(
      [...volatile].flatMap(([name, ignore]) => (ignore.length === 0 ? [] : [[name, { ignore }]]))
    )
    const kept = yield* keptTest({
      testFormat: 1,
      name: request.name ?? `${workflow.name} (execution ${execution.id})`,
      workflow: { id: workflow.id, name: workflow.name },
      recorded: { instance: request.instance, execution: execution.id, ...startedOf(execution) },
      trigger: { node: start, items },
      mocks: Object.fromEntries(mocks),
      expect: Object.fromEntries([...chosen].map(([name, one]) => [name, { ...one, ...ignored.get(name) }])),
      ignore: request.ignore,
      status,
      ...(failed === undefined ? {} : { failsAt: failed }),
      allow: [],
      timeout: 30
    })
    const files = givingFiles(data, [start, ...mocked.names])
    return { test: kept.test, notes: [...notesOf(kept.isMasked, ignored, files), ...kept.cut] }
  })

/** A test as it may be kept in a file: without secrets, and not too large. */
export const keptTest = (test: TestFile) =>
  Result.gen(function* () {
    const { expect, mocks, trigger } = test
    const whole = { items: trigger.items, mocks: Object.values(mocks), expect: Object.values(expect) }
    const clean = objectOf(withoutSecrets(whole))
    const { cut, test: shrunk } = yield* shrinkTest(
      yield* readTest({
        ...test,
        trigger: { ...trigger, items: clean.items },
        mocks: named(Object.keys(mocks), clean.mocks),
        expect: named(Object.keys(expect), clean.expect)
      })
    )
    return { test: shrunk, cut, isMasked: JSON.stringify(whole) !== JSON.stringify(clean) }
  })

/** Puts values whose secrets were masked under their names again: names of nodes are not masked. */
const named = (names: ReadonlyArray<string>, values: unknown): JsonObject => {
  const all = listOf(values)
  return Object.fromEntries(names.map((name, index) => [name, all[index]]))
}

/** The workflow as it ran. */
const workflowOf = ({ workflowData, workflowId }: Execution, { nodes }: RunData): Workflow => {
  const { connections, id, name } = objectOf(workflowData)
  return {
    id: WorkflowId.make(textIn(workflowId) ?? textIn(id) ?? "unknown"),
    name: textIn(name) ?? "Workflow",
    active: false,
    nodes,
    connections: objectOf(connections)
  }
}

const startedOf = ({ startedAt }: Execution): JsonObject => (textIn(startedAt) === undefined ? {} : { at: startedAt })

interface Choosing {
  readonly data: RunData
  readonly mocked: NodesToMock
  readonly runs: ReadonlyMap<string, ReadonlyArray<Run>>
  readonly start: string
  readonly request: RecordRequest
  /** The node that the run failed at. */
  readonly failed: string | undefined
}

/** The expectations of each node, in the order of the run. */
const expectations = ({
  failed,
  mocked,
  runs,
  start,
  request
}: Choosing): Result.Result<ReadonlyMap<string, Expectation>, string> =>
  Result.gen(function* () {
    const { names, part } = mocked
    const nodeNames = part.nodes.map(nameOf)
    const stranger = Object.keys(request.expect ?? {}).find((name) => !nodeNames.includes(name))
    if (stranger !== undefined) {
      return yield* Result.fail(`expect: ${stranger} is no node that can run. There are ${nodeNames.join(", ")}`)
    }
    const order = [...runs.keys(), ...nodeNames.filter((name) => !runs.has(name))]
    const chosen = new Map<string, Expectation>()
    for (const name of order.filter((one) => nodeNames.includes(one) && one !== start && one !== failed)) {
      const ran = runs.get(name)
      const wanted = request.expect === undefined ? undefined : request.expect[name]
      if (request.expect !== undefined && wanted === undefined) continue
      if (ran === undefined) {
        if (wanted !== undefined || names.includes(name)) chosen.set(name, { ran: false })
      } else if (names.includes(name) && (wanted === undefined || wanted === "exact")) chosen.set(name, { ran: true })
      else if (wanted === "shape") chosen.set(name, { shape: shapeOf(ran.flat(2)), items: ran.flat(2).length })
      else chosen.set(name, typeof wanted === "object" ? { values: wanted } : { exact: toNodeOutput(ran) })
    }
    return chosen
  })

/** Those of some nodes that gave out files. */
export const givingFiles = ({ runs }: RunData, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) =>
    runs.some(
      ({ node, outputs }) =>
        node === name && outputs.flat().some((item) => Object.keys(objectOf(objectOf(item).binary)).length > 0)
    )
  )

const notesOf = (
  isMasked: boolean,
  ignored: ReadonlyMap<string, { readonly ignore: ReadonlyArray<string> }>,
  binary: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(isMasked
    ? [
        "Secrets were masked: [masked] stands for them, and matches anything. What the workflow derives from them may differ."
      ]
    : []),
  ...(ignored.size === 0
    ? []
    : [
        `Fields that differ in every run are ignored: ${[...ignored].map(([name, { ignore }]) => `${name} ${ignore.join(", ")}`).join("; ")}`
      ]),
  ...(binary.length === 0
    ? []
    : [
        `Files cannot be handed over to a test, and are left out of what ${binary.join(", ")} gave out: nodes that read them fail in it. Mock those in the test as well`
      ])
]

/** Masks secrets in a value, also where a secret that was found appears again under a harmless name. */
const withoutSecrets = (value: unknown): unknown => {
  const clean = maskSecrets(value)
  const secrets = [...new Set(secretsIn(value, clean))]
  if (secrets.length === 0) return clean
  return mapTexts(clean, replaceTexts(new Map(secrets.map((secret) => [secret, masked]))))
}

/** Shorter texts would occur in too many words. */
const shortest = 6

/** The texts that were masked; of `Bearer …` also the token alone. */
const secretsIn = (value: unknown, clean: unknown): ReadonlyArray<string> => {
  if (value === clean) return []
  if (typeof value === "string" && typeof clean === "string") {
    return (clean === masked ? [value] : secretsOf(value))
      .flatMap((text) => [text, ...(/^\w+\s+(\S+)$/.exec(text)?.slice(1) ?? [])])
      .filter((text) => text.length >= shortest)
  }
  if (Array.isArray(value) && Array.isArray(clean)) {
    return value.flatMap((item: unknown, place) => secretsIn(item, clean[place]))
  }
  if (!isJsonObject(value) || !isJsonObject(clean)) return []
  return Object.entries(value).flatMap(([name, item]) => secretsIn(item, clean[name]))
}
