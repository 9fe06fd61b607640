import type { Capabilities } from "../../client/capabilities.ts"
import { compareVersions } from "../../workflow/releases.ts"

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

/** The versions with which deeds became possible, whatever the key, where engines once had no call for them. */
const arrivals = new Map([
  ["archive workflows", "2.15.0"],
  ["read former versions", "2.35.0"],
  ["retry executions", "1.115.0"],
  ["stop executions", "2.10.0"],
  ["list credentials", "2.10.0"],
  ["read credentials", "2.20.0"],
  ["update credentials", "2.20.0"],
  ["test credentials", "2.20.0"]
])

/** The deeds that are impossible there; nothing where neither the key's rights nor the version tell. */
export const missing = (version: string, capabilities: Capabilities | undefined): ReadonlyArray<string> | undefined => {
  if (capabilities !== undefined) {
    return deeds
      .filter(([, ...operations]) => !operations.every((operation) => capabilities.operations.has(operation)))
      .map(([deed]) => deed)
  }
  if (!/^\d/.test(version)) return undefined
  return [...arrivals].filter(([, since]) => compareVersions(version, since) < 0).map(([deed]) => deed)
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
