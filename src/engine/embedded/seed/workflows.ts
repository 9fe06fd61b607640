import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import { nodeType } from "../../workflow/naming.ts"

/** A workflow that a seeded engine starts with. */
interface SeedWorkflow {
  readonly id: string
  readonly name: string
  readonly active: boolean
  readonly tags: ReadonlyArray<string>
  readonly nodes: ReadonlyArray<JsonObject>
  readonly connections: JsonObject
  readonly settings: JsonObject
  readonly pinData?: JsonObject
}

const languageType = (kind: string) => `@n8n/n8n-nodes-langchain.${kind}`

const node = (
  name: string,
  type: string,
  typeVersion: number,
  position: [number, number],
  parameters: JsonObject,
  more = {}
): JsonObject => ({
  name,
  type,
  typeVersion,
  position,
  parameters,
  ...more
})

const to = (name: string, type = "main") => ({ node: name, type, index: 0 })

/** An assignment of an Edit Fields node. */
const text = (id: string, name: string, value: string) => ({ id, name, type: "string", value })

const fields = (...assignments: ReadonlyArray<object>): JsonObject => ({
  assignments: { assignments },
  includeOtherFields: true,
  options: {}
})

const settings = { executionOrder: "v1" }

const orders: SeedWorkflow = {
  id: "Kp3vQm8sXz1RtY7a",
  name: "Order intake",
  active: true,
  tags: ["production", "sales"],
  settings: { ...settings, timezone: "Europe/Berlin" },
  nodes: [
    node(
      "Order received",
      nodeType("webhook"),
      2,
      [0, 0],
      { path: "orders", httpMethod: "POST", responseMode: "responseNode", options: {} },
      { webhookId: "7d0c5f0e-4b3a-4f57-9d61-2f1b8c3a9e10" }
    ),
    node("Large order?", nodeType("if"), 2.2, [220, 0], {
      conditions: {
        combinator: "and",
        conditions: [
          {
            id: "large",
            leftValue: "={{ $json.body.amount }}",
            rightValue: 1000,
            operator: { type: "number", operation: "gte" }
          }
        ]
      },
      options: {}
    }),
    node("Ask for approval", nodeType("set"), 3.4, [440, -120], fields(text("a", "status", "needs approval"))),
    node("Accept", nodeType("set"), 3.4, [440, 120], fields(text("b", "status", "accepted"))),
    node("Answer", nodeType("respondToWebhook"), 1.1, [660, 0], {
      respondWith: "json",
      responseBody: "={{ { order: $('Order received').item.json.body.id, status: $json.status } }}",
      options: {}
    })
  ],
  connections: {
    "Order received": { main: [[to("Large order?")]] },
    "Large order?": { main: [[to("Ask for approval")], [to("Accept")]] },
    "Ask for approval": { main: [[to("Answer")]] },
    Accept: { main: [[to("Answer")]] }
  }
}

const payments: SeedWorkflow = {
  id: "Zb7nWc2yHd5LqE9u",
  name: "Payment check",
  active: true,
  tags: ["production"],
  settings,
  nodes: [
    node(
      "Payment reported",
      nodeType("webhook"),
      2,
      [0, 0],
      { path: "payments", httpMethod: "POST", responseMode: "lastNode", options: {} },
      { webhookId: "c1f6f5b2-8f57-4a11-8a06-90a1f1a3b7d4" }
    ),
    node("Give up", nodeType("stopAndError"), 1, [220, 0], {
      errorMessage: "=No invoice has the number {{ $json.body.invoice }}"
    })
  ],
  connections: { "Payment reported": { main: [[to("Give up")]] } }
}

const report: SeedWorkflow = {
  id: "Tg4xJr6oBv0MwS3k",
  name: "Daily sales report",
  active: true,
  tags: ["sales"],
  settings: { ...settings, errorWorkflow: payments.id, saveExecutionProgress: true },
  nodes: [
    node("Every morning", nodeType("scheduleTrigger"), 1.2, [0, 0], {
      rule: { interval: [{ field: "cronExpression", expression: "0 8 * * 1-5" }] }
    }),
    node(
      "Sales of yesterday",
      nodeType("postgres"),
      2.5,
      [220, 0],
      { operation: "executeQuery", query: "SELECT region, sum(amount) FROM sales GROUP BY region", options: {} },
      { credentials: { postgres: { id: "Hn5uPa1eGk8DfC2j", name: "Shop database" } }, retryOnFail: true, maxTries: 3 }
    ),
    node(
      "Tell the team",
      nodeType("slack"),
      2.2,
      [440, 0],
      { select: "channel", channelId: { __rl: true, mode: "name", value: "#sales" }, text: "={{ $json.region }}" },
      {
        credentials: { slackApi: { id: "Yx9iVt3bOz6RmW4q", name: "Team Slack" } },
        notes: "One message per region",
        notesInFlow: true
      }
    )
  ],
  connections: {
    "Every morning": { main: [[to("Sales of yesterday")]] },
    "Sales of yesterday": { main: [[to("Tell the team")]] }
  }
}

const assistant: SeedWorkflow = {
  id: "Fs8lDn0aUj7KxP5h",
  name: "Support assistant",
  active: false,
  tags: ["support"],
  settings,
  nodes: [
    node(
      "Question asked",
      languageType("chatTrigger"),
      1.1,
      [0, 0],
      { public: true, options: {} },
      { webhookId: "2c2f4a39-55a8-4f7e-b9e6-3d5f5a1c7b88" }
    ),
    node("Assistant", languageType("agent"), 1.7, [240, 0], {
      options: { systemMessage: "Answer questions about orders. Say so when you do not know." }
    }),
    node(
      "Language model",
      languageType("lmChatOpenAi"),
      1.2,
      [180, 220],
      { model: { __rl: true, mode: "list", value: "gpt-4o-mini" }, options: {} },
      { credentials: { openAiApi: { id: "Ek2mSw7fQb4TyN0z", name: "Language model" } } }
    ),
    node("Memory", languageType("memoryBufferWindow"), 1.3, [320, 220], { contextWindowLength: 10 }),
    node("Look up an order", languageType("toolHttpRequest"), 1.1, [460, 220], {
      toolDescription: "Finds an order by its number",
      url: "https://shop.example.com/orders/{number}"
    })
  ],
  connections: {
    "Question asked": { main: [[to("Assistant")]] },
    "Language model": { ai_languageModel: [[to("Assistant", "ai_languageModel")]] },
    Memory: { ai_memory: [[to("Assistant", "ai_memory")]] },
    "Look up an order": { ai_tool: [[to("Assistant", "ai_tool")]] }
  },
  pinData: { "Question asked": [{ json: { sessionId: "test", chatInput: "Where is order 1042?" } }] }
}

const clean: SeedWorkflow = {
  id: "Wr1cLz9pMi6AoB8v",
  name: "Clean up contacts",
  active: false,
  tags: [],
  settings,
  nodes: [
    node("Start", nodeType("manualTrigger"), 1, [0, 0], {}),
    node("Fetch contacts", nodeType("httpRequest"), 4.2, [220, 0], {
      url: "https://crm.example.com/contacts",
      options: {}
    }),
    node("Trim names", nodeType("set"), 3.4, [440, 0], fields(text("n", "name", "={{ $json.name.trim() }}"))),
    node("Done", nodeType("noOp"), 1, [660, 0], {})
  ],
  connections: {
    Start: { main: [[to("Fetch contacts")]] },
    "Fetch contacts": { main: [[to("Trim names")]] },
    "Trim names": { main: [[to("Done")]] }
  }
}

export const seeds: ReadonlyArray<SeedWorkflow> = [orders, payments, report, assistant, clean]

/** Calls that a seeded engine has already answered: one successfully, one with an error. */
export const calls = [
  { workflow: orders, body: { id: 1042, amount: 250 } },
  { workflow: payments, body: { invoice: "R-2209" } }
] as const

export const tagNames = ["production", "sales", "support"] as const

export const credentials = [
  { id: "Hn5uPa1eGk8DfC2j", name: "Shop database", type: "postgres" },
  { id: "Yx9iVt3bOz6RmW4q", name: "Team Slack", type: "slackApi" },
  { id: "Ek2mSw7fQb4TyN0z", name: "Language model", type: "openAiApi" }
] as const
