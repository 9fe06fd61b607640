import type { Tool } from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import * as Credentials from "./credentials.ts"
import * as Executions from "./executions.ts"
import * as Tags from "./tags.ts"
import { activateWorkflow } from "./workflows/activate.ts"
import { createWorkflow } from "./workflows/create.ts"
import { deactivateWorkflow } from "./workflows/deactivate.ts"
import { deleteWorkflow } from "./workflows/delete.ts"
import { executeWorkflow } from "./workflows/execute.ts"
import { getWorkflow } from "./workflows/get.ts"
import { listWorkflows } from "./workflows/list.ts"
import { updateWorkflow } from "./workflows/update.ts"

/** The toolset `engine`: the contract's 23 tools, in its order. */
export const engineTools: ReadonlyArray<Tool<Instances>> = [
  listWorkflows,
  getWorkflow,
  createWorkflow,
  updateWorkflow,
  deleteWorkflow,
  activateWorkflow,
  deactivateWorkflow,
  executeWorkflow,

  Executions.listExecutions,
  Executions.getExecution,
  Executions.deleteExecution,
  Executions.retryExecution,

  Credentials.listCredentials,
  Credentials.getCredential,
  Credentials.createCredential,
  Credentials.updateCredential,
  Credentials.deleteCredential,
  Credentials.getCredentialSchema,

  Tags.createTag,
  Tags.getTags,
  Tags.getTag,
  Tags.updateTag,
  Tags.deleteTag
]
