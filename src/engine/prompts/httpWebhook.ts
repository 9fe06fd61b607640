import { method, path, task, workflowName } from "./arguments.ts"
import { chain, node, remark, webhook } from "./sketch.ts"
import { make } from "./template.ts"

export const httpWebhook = make("http-webhook-workflow", {
  title: "Workflow behind a webhook",
  description: "A workflow that is called over HTTP and answers with JSON",
  arguments: { path, method: method("HTTP method of the webhook"), task, name: workflowName("Webhook workflow") },
  propose: ({ method, name, path, task }) => {
    const trigger = webhook(path, method, { responseMode: "responseNode", options: {} })
    const received = method === "GET" || method === "DELETE" ? "={{ $json.query }}" : "={{ $json.body }}"
    const answer = node(
      "set",
      "Build Answer",
      [1, 0],
      {
        assignments: {
          assignments: [
            { id: "ok", name: "ok", type: "boolean", value: true },
            { id: "received", name: "received", type: "object", value: received }
          ]
        }
      },
      remark(task)
    )
    const respond = node("respondToWebhook", "Respond to Webhook", [2, 0], { respondWith: "firstIncomingItem" })
    return {
      workflow: {
        name,
        nodes: [trigger, answer, respond],
        connections: chain(trigger, answer, respond),
        settings: {}
      },
      hints: [
        "'Build Answer' sends back what came in: change it with update_workflow to answer what the caller needs.",
        `Once active it answers ${method} requests at /webhook/${path} on the engine; execute_workflow calls it.`
      ]
    }
  }
})
