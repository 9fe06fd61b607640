import type { Tool } from "../../mcp/Tool.ts"
import type { Instances } from "../client/Instances.ts"
import {
  createCredential,
  deleteCredential,
  getCredential,
  getCredentialSchema,
  listCredentials,
  updateCredential
} from "./credentials.ts"
import { deleteExecution, getExecution, listExecutions, retryExecution } from "./executions.ts"
import { createTag, deleteTag, getTag, getTags, updateTag } from "./tags.ts"
import { activateWorkflow, deactivateWorkflow } from "./workflows/activation.ts"
import { deleteWorkflow } from "./workflows/delete.ts"
import { executeWorkflow } from "./workflows/execute.ts"
import { getWorkflow, listWorkflows } from "./workflows/reads.ts"
import { createWorkflow, updateWorkflow } from "./workflows/writes.ts"

/** The tools of the toolset `engine`, in the order of the contract. */
export const engineTools: ReadonlyArray<Tool<Instances>> = [
  listWorkflows,
  getWorkflow,
  createWorkflow,
  updateWorkflow,
  deleteWorkflow,
  activateWorkflow,
  deactivateWorkflow,
  executeWorkflow,
  listExecutions,
  getExecution,
  deleteExecution,
  retryExecution,
  listCredentials,
  getCredential,
  createCredential,
  updateCredential,
  deleteCredential,
  getCredentialSchema,
  createTag,
  getTags,
  getTag,
  updateTag,
  deleteTag
]
