import type { Runner } from "../run/Runner.ts"
import type { Endpoint } from "../wire/Endpoint.ts"
import { firstCredentials, secondCredentials } from "./credentials.ts"
import { executionControl } from "./executions/control.ts"
import { firstListing, secondListing, singleExecution } from "./executions/endpoints.ts"
import { tags } from "./tags.ts"
import { listWorkflows, listWorkflowsFrom } from "./workflows/list.ts"
import { deleteWorkflow, getVersion, getWorkflow } from "./workflows/read.ts"
import { firstSwitches, secondSwitches } from "./workflows/switch.ts"
import { workflowTags } from "./workflows/tags.ts"
import { firstWrites, secondWrites } from "./workflows/write.ts"

/** What a 1.x engine offers below `/api/v1`. */
export const firstEndpoints: ReadonlyArray<Endpoint> = [
  listWorkflows,
  getWorkflow,
  deleteWorkflow,
  ...firstWrites,
  ...firstSwitches,
  ...workflowTags,
  firstListing,
  ...singleExecution,
  ...firstCredentials,
  ...tags
]

/** What a 2.x engine offers there. A fixed segment stands before a variable one. */
export const secondEndpoints: ReadonlyArray<Endpoint<Runner>> = [
  listWorkflowsFrom,
  getWorkflow,
  deleteWorkflow,
  ...secondWrites,
  ...secondSwitches,
  ...workflowTags,
  getVersion,
  secondListing,
  ...singleExecution,
  ...executionControl,
  ...secondCredentials,
  ...tags
]
