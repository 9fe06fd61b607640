import type { Prompt } from "../../../mcp/Prompt.ts"
import {
  cron,
  task,
  timezone,
  workflowName,
  method,
  path,
  fields,
  pathOr,
  credentialId,
  url,
  idField,
  minutes
} from "./arguments.ts"
import { chain, node, note, make, webhook, headerAuth } from "./template.ts"

const scheduleTriggered = make("schedule-triggered-workflow", {
  title: "Workflow on a schedule",
  description: "A workflow that runs at fixed times, from a cron expression",
  arguments: () => ({ cron: cron(), timezone: timezone(), task: task(), name: workflowName("Scheduled workflow") }),
  propose: ({ cron, name, task, timezone }) => {
    const trigger = node("scheduleTrigger", "Schedule Trigger", [0, 0], {
      rule: { interval: [{ field: "cronExpression", expression: cron }] }
    })
    const work = node(
      "set",
      "Prepare Data",
      [1, 0],
      { assignments: { assignments: [{ id: "startedAt", name: "startedAt", type: "string", value: "={{ $now }}" }] } },
      note(task)
    )
    return {
      workflow: {
        name,
        nodes: [trigger, work],
        connections: chain(trigger, work),
        settings: timezone === undefined ? {} : { timezone }
      },
      hints: [
        "'Prepare Data' only notes the time of the run: add the nodes that do the work behind it, with update_workflow.",
        "A schedule cannot be started from outside: look at list_executions after the first run."
      ]
    }
  }
})

const httpWebhook = make("http-webhook-workflow", {
  title: "Workflow behind a webhook",
  description: "A workflow that is called over HTTP and answers with JSON",
  arguments: () => ({
    path: path(),
    method: method("HTTP method of the webhook"),
    task: task(),
    name: workflowName("Webhook workflow")
  }),
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
      note(task)
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

const dataTransformation = make("data-transformation-workflow", {
  title: "Workflow that transforms data",
  description: "A workflow that takes JSON records and returns them with other fields",
  arguments: () => ({
    fields: fields(),
    path: pathOr("transform"),
    task: task(),
    name: workflowName("Data transformation")
  }),
  propose: ({ fields, name, path, task }) => {
    const trigger = webhook(path, "POST", { responseMode: "lastNode", responseData: "allEntries", options: {} })
    const transform = node("code", "Transform Records", [1, 0], { jsCode: program(fields) }, note(task))
    return {
      workflow: { name, nodes: [trigger, transform], connections: chain(trigger, transform), settings: {} },
      hints: [
        "'Transform Records' maps each record of the request body, one object or a list, field by field.",
        `Once active it takes POST requests at /webhook/${path}; execute_workflow sends them, with the records as data.`
      ]
    }
  }
})

/** The code of the node: the pairs are data in it, as JSON. */
const program = (fields: string) => {
  const pairs = fields.split(",").map((pair) => pair.split("=").map((field) => field.trim()))
  return [
    `const fields = ${JSON.stringify(pairs)}`,
    "const read = (record, path) => path.split('.').reduce((value, key) => value?.[key], record)",
    "const records = $input.all().flatMap((item) => item.json.body ?? [])",
    "return records.map((record) => ({",
    "  json: Object.fromEntries(fields.map(([to, from]) => [to, read(record, from)]))",
    "}))"
  ].join("\n")
}

const serviceIntegration = make("external-service-integration", {
  title: "Workflow that calls an external service",
  description: "A workflow that hands what it receives to another service, retries, and reports failure",
  arguments: () => ({
    url: url(),
    method: method("HTTP method of the call"),
    credentialId: credentialId(),
    path: pathOr("integration"),
    task: task(),
    name: workflowName("Service integration")
  }),
  propose: ({ credentialId, method, name, path, task, url }) => {
    const key = headerAuth(credentialId)
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
        ...note(task)
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

const dataPolling = make("api-data-polling", {
  title: "Workflow that polls an API",
  description: "A workflow that reads an API every few minutes and goes on with the items that are new",
  arguments: () => ({
    url: url(),
    minutes: minutes(),
    idField: idField(),
    credentialId: credentialId(),
    task: task(),
    name: workflowName("API polling")
  }),
  propose: ({ credentialId, idField, minutes, name, task, url }) => {
    const key = headerAuth(credentialId)
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
    const handle = node("noOp", "Handle New Items", [3, 0], {}, note(task))
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

/** The prompts of this server, in the order in which they are listed. */
export const prompts: ReadonlyArray<Prompt> = [
  scheduleTriggered,
  httpWebhook,
  dataTransformation,
  serviceIntegration,
  dataPolling
]
