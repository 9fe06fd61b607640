import type { JsonObject } from "../../internal/schema/JsonObject.ts"
import type { Code } from "./code.ts"

/** The changes that rules tell of: to version 2, then to version 3. */
export const ruleIds = [
  "U2-start",
  "U2-retired",
  "U2-python",
  "U2-env",
  "U2-off",
  "U2-files",
  "U2-wait",
  "U2-publish",
  "U2-evalcode",
  "U3-function",
  "U3-functionItem",
  "U3-aiTransform",
  "U3-lcCode",
  "U3-paired",
  "U3-itemLists",
  "U3-cron",
  "U3-interval",
  "U3-workflowTrigger",
  "U3-gmailTrigger",
  "U3-chatTrigger",
  "U3-readBinaryFile",
  "U3-readBinaryFiles",
  "U3-writeBinaryFile",
  "U3-htmlExtract",
  "U3-iCal",
  "U3-moveBinaryData",
  "U3-readPDF",
  "U3-each",
  "U3-source",
  "U3-always",
  "U3-caller",
  "U3-agentMode",
  "U3-agentV1",
  "U3-lcMoved",
  "U3-gone",
  "U3-compress",
  "U3-minute"
] as const
export type RuleId = (typeof ruleIds)[number]

/** The effect of a change on a workflow: it fails or cannot be published, gives other results without an error, or neither. */
export type Severity = "stops" | "changes results" | "cosmetic"

/** Whether a machine can make the change, and how far its result can be proved equal. */
export type Rewriting = "proved possible" | "after review" | "none"

/** A workflow as rules read it; connections are in the engine's form. */
export interface Subject {
  readonly id?: unknown
  readonly active?: unknown
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections?: unknown
  readonly settings?: unknown
}

/** The parts of a workflow of the same instance that concern those that name it. */
export interface Outline {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  /** The workflows that its nodes run. */
  readonly calls: ReadonlyArray<string>
  readonly errorWorkflow: string | undefined
  /** Its nodes that wait for somebody or something. */
  readonly waiting: ReadonlyArray<string>
}

/** Knowledge beside the workflow itself. */
export interface Facts {
  /** The references in expressions and code of a node. */
  readonly code: Code
  /** All workflows of the instance by id; empty where they were not read. */
  readonly outlines: ReadonlyMap<string, Outline>
  /** Seconds that nodes took in recorded runs, by name; empty where no runs were read. */
  readonly seconds: ReadonlyMap<string, number>
}

/** A place in a workflow that an upgrade changes. */
export interface Finding {
  readonly rule: RuleId
  readonly node?: string
  /** Path in the node, or in the workflow: `parameters.jsCode`, `settings.callerPolicy`. */
  readonly field?: string
  /** Line of the code in the field. */
  readonly line?: number
  /** The effect of the upgrade, in words. */
  readonly message: string
  /** Left out where it is that of its rule: a disabled node stops nothing. */
  readonly severity?: Severity
}

/** A workflow of which a rule finds something, or nothing, with others of its instance. */
export interface Sample extends Subject {
  readonly outlines?: ReadonlyArray<Outline>
  readonly seconds?: Readonly<Record<string, number>>
}

/** One change that an upgrade makes, and the workflows that it concerns. */
export interface Rule {
  readonly id: RuleId
  /** The version that makes the change. */
  readonly since: string
  /** The version from which on workflows have lived through it, so that there is nothing to tell. */
  readonly until?: string
  /** The version from which on nodes of the kind run, but can be neither created, copied nor changed. */
  readonly frozen?: string
  readonly severity: Severity
  readonly title: string
  /** The remedy, in words. */
  readonly advice: string
  readonly rewrite: Rewriting
  /** Whether it needs `outlines`. */
  readonly isAcross?: boolean
  readonly find: (workflow: Subject, facts: Facts) => ReadonlyArray<Finding>
  /** A workflow that it concerns, and one like it that goes on as before. */
  readonly sample: Sample
  readonly counterSample: Sample
}
