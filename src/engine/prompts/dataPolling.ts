import { credentialId, idField, minutes, task, url, workflowName } from "./arguments.ts"
import { chain, keyed, node, remark } from "./sketch.ts"
import { make } from "./template.ts"

export const dataPolling = make("api-data-polling", {
  title: "Workflow that polls an API",
  description: "A workflow that reads an API every few minutes and goes on with the items that are new",
  arguments: { url, minutes, idField, credentialId, task, name: workflowName("API polling") },
  propose: ({ credentialId, idField, minutes, name, task, url }) => {
    const key = keyed(credentialId)
    const trigger = node("scheduleTrigger", "Schedule Trigger", [0, 0], {
      rule: { interval: [{ field: "minutes", minutesInterval: minutes }] }
    })
    const fetch = node(
      "httpRequest",
      "Fetch Items",
      [1, 0],
      { method: "GET", url, ...key.parameters, options: { timeout: 10_000 } },
      { ...key.fields, retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 }
    )
    const fresh = node("removeDuplicates", "Only New Items", [2, 0], {
      operation: "removeItemsSeenInPreviousExecutions",
      logic: "removeItemsWithAlreadySeenKeyValues",
      dedupeValue: `={{ $json.${idField} }}`,
      options: {}
    })
    const handle = node("noOp", "Handle New Items", [3, 0], {}, remark(task))
    return {
      workflow: {
        name,
        nodes: [trigger, fetch, fresh, handle],
        connections: chain(trigger, fetch, fresh, handle),
        settings: {}
      },
      hints: [
        `'Only New Items' lets an item through once, told apart by its field ${idField}.`,
        "'Handle New Items' does nothing yet: put the nodes that do the work in its place, with update_workflow.",
        "If the API wants a key, create_credential of type httpHeaderAuth first and give its id as credentialId."
      ]
    }
  }
})
