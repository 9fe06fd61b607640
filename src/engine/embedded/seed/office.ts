import {
  archive,
  called,
  edited,
  http,
  idFor,
  languageModel,
  languageNode,
  mail,
  node,
  query,
  schedule,
  type SeedWorkflow,
  slack,
  test,
  webhook,
  workflow
} from "./forms.ts"

const invoices = workflow("Book invoice", {
  tags: ["production", "finance"],
  nodes: [
    webhook("Invoice received", "invoices"),
    http("Book it", "https://books.northmill.example/entries", { method: "POST" }),
    test("if", "Above 5,000?", "={{ $json.amount }}", "gte", 5000),
    slack("Tell finance", "#finance", "=Invoice {{ $json.number }} over {{ $json.amount }} EUR is booked"),
    node("Done", "noOp", 1)
  ],
  links: [
    ["Invoice received", "Book it"],
    ["Book it", "Above 5,000?"],
    ["Above 5,000?", "Tell finance"],
    ["Above 5,000?", "Done", 1]
  ],
  runs: {
    starts: { calls: 5 },
    seconds: 1.8,
    path: ["Invoice received", "Book it", "Above 5,000?", "Done"],
    items: { "Book it": (number) => [{ number: `I-${771 - number}`, amount: 120 + 35 * (number % 11) }] },
    ending: ({ number }) =>
      number === 3
        ? {
            failsAt: "Book it",
            message: "The service refused the connection - perhaps it is offline",
            httpCode: "ECONNREFUSED"
          }
        : undefined
  }
})

const invoiceArchive = workflow("Invoice archive", {
  tags: ["finance"],
  nodes: [
    schedule("Every three hours", "40 */3 * * *"),
    query("New invoices", "SELECT number, pdf FROM invoices WHERE archived IS NULL"),
    archive("Store", "=invoices/{{ $json.number }}.pdf")
  ],
  runs: {
    starts: { everyMinutes: 180, atMinute: 40 },
    seconds: 38,
    items: { "New invoices": (number) => [{ number: `I-${771 - number}` }, { number: `I-${770 - number}` }] },
    ending: ({ hoursAgo }) => (hoursAgo > 0.25 && hoursAgo <= 3.25 ? { runsAt: "Store" } : undefined)
  }
})

const dunning = workflow("Payment reminders", {
  tags: ["finance"],
  nodes: [
    schedule("Each working day", "30 7 * * 1-5"),
    query("Overdue invoices", "SELECT number, email, days FROM invoices WHERE days > 14 AND paid IS NULL"),
    mail("Remind", "=Invoice {{ $json.number }}", "=It has been open for {{ $json.days }} days.")
  ],
  runs: {
    starts: { atMinute: 450, onWeekdays: true },
    seconds: 4,
    items: { "Overdue invoices": () => [{ number: "I-702", email: "customer@example.com", days: 17 }] }
  }
})

const statements = workflow("Bank statement", {
  tags: ["production", "finance"],
  nodes: [
    schedule("Every morning", "0 6 * * *"),
    http("Fetch statement", "https://bank.northmill.example/statements/today"),
    query("Match invoices", "UPDATE invoices SET paid = now() WHERE number = $1"),
    slack("Tell finance", "#finance", "=Matched {{ $json.matched }} payments")
  ],
  runs: {
    starts: { atMinute: 360 },
    seconds: 9,
    items: { "Match invoices": (number) => [{ matched: 11 + (number % 5) }] }
  }
})

const tax = workflow("VAT report", {
  tags: ["finance"],
  nodes: [
    schedule("First of the month", "0 9 1 * *"),
    query("Sales of the month", "SELECT rate, sum(amount) FROM sales GROUP BY rate"),
    archive("Store", "=vat/{{ $now.toFormat('yyyy-MM') }}.csv")
  ]
})

const refunds = workflow("Refund approval", {
  tags: ["production", "finance"],
  nodes: [
    webhook("Refund asked", "refunds"),
    test("if", "Needs a person?", "={{ $json.body.amount }}", "gte", 100),
    slack("Ask finance", "#finance", "=Refund {{ $json.body.order }} over {{ $json.body.amount }} EUR?"),
    node("Wait for an answer", "wait", 1.1, { amount: 8, unit: "hours" }, { webhookId: idFor("refund answer") }),
    http("Pay back", "https://payments.northmill.example/refunds", { method: "POST" })
  ],
  links: [
    ["Refund asked", "Needs a person?"],
    ["Needs a person?", "Ask finance"],
    ["Needs a person?", "Pay back", 1],
    ["Ask finance", "Wait for an answer"],
    ["Wait for an answer", "Pay back"]
  ],
  runs: {
    starts: { calls: 3 },
    seconds: 1.2,
    path: ["Refund asked", "Needs a person?", "Pay back"],
    items: {
      "Refund asked": (number) => [
        { headers: {}, params: {}, query: {}, body: { order: 4200 - number, amount: number === 0 ? 240 : 35 } }
      ]
    },
    ending: ({ number }) =>
      number === 0
        ? {
            waitsAt: "Wait for an answer",
            hours: 8,
            path: ["Refund asked", "Needs a person?", "Ask finance", "Wait for an answer"]
          }
        : undefined
  }
})

const assistant = workflow("Support assistant", {
  id: "Fs8lDn0aUj7KxP5h",
  tags: ["support"],
  nodes: [
    languageNode(
      "Question asked",
      "chatTrigger",
      1.1,
      { public: true, options: {} },
      { webhookId: "2c2f4a39-55a8-4f7e-b9e6-3d5f5a1c7b88" }
    ),
    languageNode("Assistant", "agent", 1.7, {
      options: { systemMessage: "Answer questions about orders. Say so when you do not know." }
    }),
    languageModel("Language model"),
    languageNode("Memory", "memoryBufferWindow", 1.3, { contextWindowLength: 10 }),
    languageNode("Look up an order", "toolHttpRequest", 1.1, {
      toolDescription: "Finds an order by its number",
      url: "https://shop.example.com/orders/{number}"
    }),
    languageNode("Stock of a product", "toolWorkflow", 2.1, {
      description: "Tells how many of a product are in stock",
      workflowId: {
        __rl: true,
        mode: "list",
        value: idFor("Stock of a product"),
        cachedResultName: "Stock of a product"
      },
      workflowInputs: { mappingMode: "defineBelow", value: {} }
    })
  ],
  links: [
    ["Question asked", "Assistant"],
    ["Language model", "Assistant", 0, "ai_languageModel"],
    ["Memory", "Assistant", 0, "ai_memory"],
    ["Look up an order", "Assistant", 0, "ai_tool"],
    ["Stock of a product", "Assistant", 0, "ai_tool"]
  ],
  pinData: { "Question asked": [{ json: { sessionId: "test", chatInput: "Where is order 1042?" } }] },
  runs: {
    starts: { calls: 11 },
    seconds: 4,
    path: ["Question asked", "Assistant"],
    items: {
      "Question asked": (number) => [{ sessionId: `s-${number}`, chatInput: `Where is order ${4310 - number}?` }],
      Assistant: (number) => [{ output: `Order ${4310 - number} left our house and arrives tomorrow.` }]
    },
    ending: ({ number }) =>
      number === 5 ? { failsAt: "Assistant", message: "The model took longer than 60 seconds to answer" } : undefined
  }
})

const stock = workflow("Stock of a product", {
  tags: ["support", "operations"],
  nodes: [called("Product named"), query("Count", "SELECT sum(pieces) AS pieces FROM stock WHERE product = $1")]
})

const triage = workflow("Support inbox", {
  tags: ["production", "support"],
  nodes: [
    schedule("Every half hour", "*/30 * * * *"),
    http("Unread letters", "https://help.northmill.example/letters?unread=true"),
    languageNode("Sort by topic", "chainLlm", 1.5, {
      promptType: "define",
      text: "=Is this letter about delivery, payment or a product? {{ $json.text }}"
    }),
    languageModel("Language model"),
    slack("Tell support", "#support", "=A letter about {{ $json.text }}")
  ],
  links: [
    ["Every half hour", "Unread letters"],
    ["Unread letters", "Sort by topic"],
    ["Sort by topic", "Tell support"],
    ["Language model", "Sort by topic", 0, "ai_languageModel"]
  ],
  runs: {
    starts: { everyMinutes: 30 },
    seconds: 7,
    items: {
      "Unread letters": (number) => [{ from: "customer@example.com", text: `Letter ${812 - number}` }],
      "Sort by topic": (number) => [{ text: ["delivery", "payment", "a product"][number % 3] }]
    },
    ending: ({ number }) =>
      number === 21 || number === 22
        ? { failsAt: "Sort by topic", message: "The service is receiving too many requests from you", httpCode: "429" }
        : undefined
  }
})

const onboarding = workflow("Welcome a colleague", {
  tags: ["internal"],
  nodes: [
    node(
      "Form",
      "formTrigger",
      2.2,
      {
        formTitle: "A new colleague",
        formFields: {
          values: [
            { fieldLabel: "Name", requiredField: true },
            { fieldLabel: "E-mail", fieldType: "email" }
          ]
        },
        options: { path: "welcome" }
      },
      { webhookId: idFor("welcome") }
    ),
    edited("Account", { account: "={{ $json.Name.toLowerCase() }}" }),
    slack("Tell everybody", "#general", "=Welcome {{ $json.Name }}!")
  ]
})

/** The workflows of finance, support and the office. */
export const office: ReadonlyArray<SeedWorkflow> = [
  invoices,
  invoiceArchive,
  dunning,
  statements,
  tax,
  refunds,
  assistant,
  stock,
  triage,
  onboarding
]
