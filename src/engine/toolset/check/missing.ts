import type { Capabilities } from "../../client/capabilities.ts"

/** The deeds of the tools on an engine, with the calls of its REST API that each takes. */
const deeds: ReadonlyArray<readonly [deed: string, ...operations: ReadonlyArray<string>]> = [
  ["list workflows", "getWorkflows"],
  ["read workflows", "getWorkflow"],
  ["create workflows", "createWorkflow"],
  ["update workflows", "updateWorkflow"],
  ["delete workflows", "deleteWorkflow"],
  ["activate workflows", "activateWorkflow"],
  ["deactivate workflows", "deactivateWorkflow"],
  ["archive workflows", "archiveWorkflow", "unarchiveWorkflow"],
  ["read former versions", "getWorkflowHistory", "getWorkflowVersion"],
  ["tag workflows", "updateWorkflowTags"],
  ["list executions", "getExecutions"],
  ["read executions", "getExecution"],
  ["delete executions", "deleteExecution"],
  ["retry executions", "retryExecution"],
  ["stop executions", "stopExecution"],
  ["list credentials", "getCredentials"],
  ["read credentials", "getCredential"],
  ["create credentials", "createCredential"],
  ["update credentials", "updateCredential"],
  ["delete credentials", "deleteCredential"],
  ["test credentials", "testCredential"],
  ["list tags", "getTags"],
  ["create tags", "createTag"],
  ["rename tags", "updateTag"],
  ["delete tags", "deleteTag"]
]

/** The deeds for which engines of generation 1 have no call, whatever the key. */
const missingInFirst = new Set([
  "archive workflows",
  "read former versions",
  "retry executions",
  "stop executions",
  "list credentials",
  "read credentials",
  "update credentials",
  "test credentials"
])

/** The deeds that are impossible there; nothing where neither the key's rights nor the version tell. */
export const missing = (version: string, capabilities: Capabilities | undefined): ReadonlyArray<string> | undefined => {
  if (capabilities !== undefined) {
    return deeds
      .filter(([, ...operations]) => !operations.every((operation) => capabilities.operations.has(operation)))
      .map(([deed]) => deed)
  }
  return version.startsWith("1.") ? [...missingInFirst] : undefined
}

/** The same in few words: `read, update, test credentials; delete tags`. */
export const inFewWords = (lacking: ReadonlyArray<string>): string => {
  const verbs = new Map<string, ReadonlyArray<string>>()
  for (const deed of lacking) {
    const [verb = "", ...thing] = deed.split(" ")
    const name = thing.join(" ")
    verbs.set(name, [...(verbs.get(name) ?? []), verb])
  }
  return [...verbs].map(([thing, verbsOfThing]) => `${verbsOfThing.join(", ")} ${thing}`).join("; ")
}
