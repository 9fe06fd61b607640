import { masking } from "../../mcp/masking.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import { compareWorkflows } from "./compare/compareWorkflows.ts"
import { editWorkflow } from "./edit/editWorkflow.ts"
import { explainExecution } from "./explain/explainExecution.ts"
import { aiUsage } from "./health/aiUsage.ts"
import { instanceHealth } from "./health/instanceHealth.ts"
import { backup } from "./history/backup.ts"
import { restoreWorkflow } from "./history/restoreWorkflow.ts"
import { workflowHistory } from "./history/workflowHistory.ts"
import { checkWorkflow } from "./nodes/checkWorkflow.ts"
import { describeNode } from "./nodes/describeNode.ts"
import { findNodes } from "./nodes/findNodes.ts"
import { runWorkflow } from "./run/runWorkflow.ts"
import { archiveWorkflow } from "./running/archiveWorkflow.ts"
import { stopExecution } from "./running/stopExecution.ts"
import { testCredential } from "./running/testCredential.ts"
import { searchWorkflows } from "./search/searchWorkflows.ts"
import { recordTestTool } from "./tests/recordTestTool.ts"
import { runTestsTool } from "./tests/runTestsTool.ts"
import { checkUpgrade } from "./upgrade/checkUpgrade.ts"
import { viewWorkflow } from "./view/viewWorkflow.ts"

/** Tools that read several instances in one call, in the order in which they are listed. */
export const acrossTools: ReadonlyArray<Tool<Instances>> = [
  searchWorkflows,
  compareWorkflows,
  instanceHealth,
  aiUsage,
  checkUpgrade,
  workflowHistory,
  backup
].map(masking)

/** Tools that work on one instance, in the order in which they are listed. */
export const operatorTools: ReadonlyArray<Tool<Instances>> = [
  editWorkflow,
  viewWorkflow,
  runWorkflow,
  recordTestTool,
  runTestsTool,
  explainExecution,
  findNodes,
  describeNode,
  checkWorkflow,
  stopExecution,
  archiveWorkflow,
  testCredential,
  restoreWorkflow
].map(masking)
