import { checkWorkflow } from "./checkWorkflow.ts"
import { describeNode } from "./describeNode.ts"
import { findNodes } from "./findNodes.ts"

/** The tools about node types, in the order in which they are listed. */
export const nodeTools = [findNodes, describeNode, checkWorkflow]
