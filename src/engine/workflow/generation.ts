import type { Workflow } from "./models.ts"

/** Engines of 2.x publish versions of a workflow, and say with each workflow which one; those of 1.x know none. */
export type Generation = "1.x" | "2.x"

/** The generation of the engine that told this workflow. */
export const generationOf = ({ activeVersionId }: Pick<Workflow, "activeVersionId">): Generation =>
  activeVersionId === undefined ? "1.x" : "2.x"
