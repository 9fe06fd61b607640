import { masking } from "../../mcp/masking.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { compareTools } from "./compare/compareWorkflows.ts"
import { editTools } from "./edit/editWorkflow.ts"
import { explainTools } from "./explain/explainExecution.ts"
import { healthTools } from "./health/instanceHealth.ts"
import { backupTools } from "./history/backup.ts"
import { historyTools } from "./history/workflowHistory.ts"
import { nodeTools } from "./nodes/tools.ts"
import { runTools } from "./run/runWorkflow.ts"
import { archiveTools } from "./running/archiveWorkflow.ts"
import { stopTools } from "./running/stopExecution.ts"
import { testTools } from "./running/testCredential.ts"
import { searchTools } from "./search/searchWorkflows.ts"
import { recordedTools } from "./tests/runTestsTool.ts"
import { viewTools } from "./view/viewWorkflow.ts"

/** Tools that read several instances in one call. */
export const acrossTools: ReadonlyArray<Tool<Instances>> = [
  ...searchTools,
  ...compareTools,
  ...healthTools,
  ...backupTools
].map(masking)

/** Tools that work on one instance. A tool joins by its family's own list. */
export const operatorTools: ReadonlyArray<Tool<Instances>> = [
  ...editTools,
  ...viewTools,
  ...runTools,
  ...recordedTools,
  ...explainTools,
  ...nodeTools,
  ...stopTools,
  ...archiveTools,
  ...testTools,
  ...historyTools
].map(masking)
