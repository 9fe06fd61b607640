import { credentialId, method, pathOr, task, url, workflowName } from "./arguments.ts"
import { chain, keyed, node, remark, webhook } from "./sketch.ts"
import { make } from "./template.ts"

export const serviceIntegration = make("external-service-integration", {
  title: "Workflow that calls an external service",
  description: "A workflow that hands what it receives to another service, retries, and reports failure",
  arguments: {
    url,
    method: method("HTTP method of the call"),
    credentialId,
    path: pathOr("integration"),
    task,
    name: workflowName("Service integration")
  },
  propose: ({ credentialId, method, name, path, task, url }) => {
    const key = keyed(credentialId)
    const trigger = webhook(path, "POST", { responseMode: "responseNode", options: {} })
    const body = { sendBody: true, specifyBody: "json", jsonBody: "={{ JSON.stringify($json.body) }}" }
    const call = node(
      "httpRequest",
      "Call Service",
      [1, 0],
      { method, url, ...key.parameters, ...(method === "GET" ? {} : body), options: { timeout: 10_000 } },
      {
        ...key.fields,
        retryOnFail: true,
        maxTries: 3,
        waitBetweenTries: 1000,
        onError: "continueErrorOutput",
        ...remark(task)
      }
    )
    const answer = { respondWith: "firstIncomingItem" }
    const success = node("respondToWebhook", "Answer", [2, 0], answer)
    const failure = node("respondToWebhook", "Answer Failure", [2, 1], { ...answer, options: { responseCode: 502 } })
    return {
      workflow: {
        name,
        nodes: [trigger, call, success, failure],
        connections: [...chain(trigger, call, success), { source: call.name, target: failure.name, sourceOutput: 1 }],
        settings: {}
      },
      hints: [
        "If the service wants a key, create_credential of type httpHeaderAuth first and give its id as credentialId.",
        `Once active it takes POST requests at /webhook/${path}; execute_workflow sends them, with data as their body.`
      ]
    }
  }
})
