import type { Free } from "../../../../engine/Workflow.ts"
import type { ExecutionRecord, Problem, Source, Step } from "../../store/ExecutionRecord.ts"
import { withDefaults } from "./defaults.ts"

/** How the two engines differ in telling what a run did. */
interface Style {
  readonly error: (problem: Problem, node: Free) => object
  readonly source: (source: Source) => object
  readonly step: (step: Step, source: ReadonlyArray<object>) => object
}

const stackOf = (message: string) => `NodeOperationError: ${message}\n    at embedded engine`

const first: Style = {
  error: ({ message, timestamp }, node) => ({
    level: "warning",
    tags: {},
    context: {},
    functionality: "regular",
    name: "NodeOperationError",
    timestamp,
    node,
    messages: [],
    message,
    stack: stackOf(message)
  }),
  source: ({ node, output, run }) => ({
    previousNode: node,
    ...(output > 0 ? { previousNodeOutput: output } : {}),
    ...(run > 0 ? { previousNodeRun: run } : {})
  }),
  step: ({ executionTime, startTime }, source) => ({ hints: [], startTime, executionTime, source })
}

const second: Style = {
  error: ({ message, timestamp }, node) => ({
    level: "warning",
    shouldReport: true,
    tags: {},
    timestamp,
    context: {},
    functionality: "regular",
    name: "NodeOperationError",
    node,
    messages: [],
    message,
    stack: stackOf(message)
  }),
  source: ({ node, output, run }) => ({ previousNode: node, previousNodeOutput: output, previousNodeRun: run }),
  step: ({ executionTime, index, startTime }, source) => ({
    startTime,
    executionIndex: index,
    source,
    hints: [],
    executionTime
  })
}

const render = ({ snapshot, steps }: ExecutionRecord, style: Style) => {
  const nodeOf = (name: string) => withDefaults(snapshot.nodes.find((node) => node.name === name) ?? { name })
  const errorOf = ({ failure, node }: Step) =>
    failure === null ? {} : { error: style.error(failure.problem, nodeOf(node)) }

  const runOf = (step: Step) => {
    const source = step.source === null ? [] : [style.source(step.source)]
    const outcome =
      step.failure === null
        ? { executionStatus: "success", data: { main: step.outputs } }
        : { executionStatus: "error", ...errorOf(step) }
    return { ...style.step(step, source), ...outcome }
  }
  const names = [...new Set(steps.map(({ node }) => node))]
  const runData = Object.fromEntries(
    names.map((name) => [name, steps.filter(({ node }) => node === name).map(runOf)] as const)
  )
  const last = steps.at(-1)
  const nodeExecutionStack =
    last === undefined || last.failure === null
      ? []
      : [
          {
            node: nodeOf(last.node),
            data: { main: [last.failure.input] },
            source: last.source === null ? null : { main: [style.source(last.source)] }
          }
        ]
  return {
    runData,
    lastNodeExecuted: last === undefined ? {} : { lastNodeExecuted: last.node },
    error: last === undefined ? {} : errorOf(last),
    nodeExecutionStack
  }
}

/** What a run did, as 1.x engines tell it. */
export const firstData = (execution: ExecutionRecord) => {
  const { error, lastNodeExecuted, nodeExecutionStack, runData } = render(execution, first)
  return {
    startData: {},
    resultData: { runData, ...lastNodeExecuted, ...error },
    executionData: { contextData: {}, nodeExecutionStack, waitingExecution: {} }
  }
}

/** The same as 2.x engines tell it. */
export const secondData = (execution: ExecutionRecord, isAfterRetry = false) => {
  const { error, lastNodeExecuted, nodeExecutionStack, runData } = render(execution, second)
  const { snapshot, startedAt, steps } = execution
  const trigger = snapshot.nodes.find(({ name }) => name === steps[0]?.node)
  const results = { runData, ...lastNodeExecuted }
  return {
    version: 1,
    startData: {},
    resultData: isAfterRetry ? { ...results, ...error } : { ...error, ...results },
    executionData: {
      contextData: {},
      nodeExecutionStack,
      metadata: {},
      waitingExecution: {},
      waitingExecutionSource: {},
      runtimeData: {
        version: 1,
        establishedAt: startedAt,
        source: "webhook",
        triggerNode: { name: trigger?.name, type: trigger?.type },
        redaction: { version: 2, production: false, manual: false }
      }
    },
    resumeToken: snapshot.versionId.replaceAll("-", "")
  }
}
