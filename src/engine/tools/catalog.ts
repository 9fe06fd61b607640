import type { Tool } from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { credentialTools } from "./credentials.ts"
import { executionTools } from "./executions.ts"
import { tagTools } from "./tags.ts"
import { activationTools } from "./workflows/activation.ts"
import { deleteTools } from "./workflows/delete.ts"
import { executeTools } from "./workflows/execute.ts"
import { readTools } from "./workflows/reads.ts"
import { writeTools } from "./workflows/writes.ts"

/** The tools of the toolset `engine`, in the order of the contract. A tool joins by its family's own list. */
export const engineTools: ReadonlyArray<Tool<Instances>> = [
  ...readTools,
  ...writeTools,
  ...deleteTools,
  ...activationTools,
  ...executeTools,
  ...executionTools,
  ...credentialTools,
  ...tagTools
]
