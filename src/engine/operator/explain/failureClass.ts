import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import type { Execution } from "../../workflow/models.ts"

/** The help for a class of failure. */
interface Help {
  /** Whether a change of the workflow can help at all. */
  readonly workflowHelps: boolean
  readonly helps: string
  /** Whether the same run may succeed later, without any change of the workflow. */
  readonly canRetry: boolean
}

/** Every class of failure that the record of a run can show, with what helps. */
const classes = {
  "credential refused": {
    workflowHelps: false,
    helps: "Renew the credential, or its rights at the service; then retry.",
    canRetry: true
  },
  "rate limit": {
    workflowHelps: true,
    helps: "Retry later, at a pace. Batching or waitBetweenTries in the node asks less often.",
    canRetry: true
  },
  "service down or slow": {
    workflowHelps: false,
    helps: "No change of the workflow helps: retry once the service answers.",
    canRetry: true
  },
  "address wrong": {
    workflowHelps: true,
    helps: "Correct the address in the node, or the values that it is made of.",
    canRetry: false
  },
  "data without a field": {
    workflowHelps: true,
    helps: "Let the node take items without the field, or mend what sends them.",
    canRetry: false
  },
  "expression or code wrong": {
    workflowHelps: true,
    helps: "Correct the expression or the code.",
    canRetry: false
  },
  "item limit or memory": {
    workflowHelps: true,
    helps: "Let it work on less at once: batches, fewer fields.",
    canRetry: false
  },
  "timed out": {
    workflowHelps: true,
    helps: "Raise executionTimeout, or let it do less in one run.",
    canRetry: true
  },
  "stopped by a person": {
    workflowHelps: false,
    helps: "Somebody stopped it, or a time limit of the whole engine did. Retry it if it is wanted.",
    canRetry: true
  },
  "engine restarted in the midst": {
    workflowHelps: false,
    helps: "The engine stopped during the run, perhaps for want of memory: retry.",
    canRetry: true
  },
  "missing sub-workflow or credential": {
    workflowHelps: true,
    helps: "Name a workflow or credential that exists and may be used, or bring it back.",
    canRetry: false
  },
  "node unknown here": {
    workflowHelps: false,
    helps: "Install the package of the node on this engine, in a version that has it.",
    canRetry: false
  }
} as const satisfies Readonly<Record<string, Help>>

type Known = keyof typeof classes

/** A class of failure; `unknown` where the record does not show one for certain. */
export type FailureClass = Known | "unknown"

const isKnown = (name: string): name is Known => Object.hasOwn(classes, name)

/** All classes, in the order of their rules. */
export const failureClasses: ReadonlyArray<FailureClass> = [...Object.keys(classes).filter(isKnown), "unknown"]

/** The class of a failure with what helps, as answers show it; nothing where it is unknown. */
export const classShown = (name: FailureClass, { workflowId }: Execution): JsonObject => {
  if (name === "unknown") return { class: { name } }
  const { canRetry: isRetried, helps, workflowHelps } = classes[name]
  const retry = isRetried
    ? { retry: `plan_retry ${JSON.stringify({ workflow: String(workflowId), class: name })}` }
    : {}
  return { class: { name, workflowHelps, helps, ...retry } }
}
