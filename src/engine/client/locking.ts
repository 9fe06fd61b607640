import type { restCalls } from "./restCalls.ts"

type Client = ReturnType<typeof restCalls>

/** The same client, of which no change of a workflow is sent without its lock. */
export const locking = (client: Client): Client => {
  const { exclusively } = client
  return {
    ...client,
    updateWorkflow: (current, changes) => exclusively(current.id, client.updateWorkflow(current, changes)),
    deleteWorkflow: (id) => exclusively(id, client.deleteWorkflow(id)),
    activateWorkflow: (id) => exclusively(id, client.activateWorkflow(id)),
    deactivateWorkflow: (id) => exclusively(id, client.deactivateWorkflow(id)),
    archiveWorkflowIfSupported: (id, archived) => exclusively(id, client.archiveWorkflowIfSupported(id, archived)),
    setWorkflowTags: (id, tags) => exclusively(id, client.setWorkflowTags(id, tags))
  }
}
