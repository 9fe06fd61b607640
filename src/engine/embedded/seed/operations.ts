import {
  archive,
  edited,
  http,
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

const alerts = workflow("Tell of failures", {
  tags: ["operations", "internal"],
  nodes: [
    node("Something failed", "errorTrigger", 1),
    slack("Alert", "#alerts", "={{ $json.workflow.name }} failed: {{ $json.execution.error.message }}")
  ]
})

const stockSync = workflow("Stock sync", {
  tags: ["production", "operations"],
  settings: { executionOrder: "v1", timezone: "UTC", errorWorkflow: alerts.id },
  nodes: [
    schedule("Every half hour", "*/30 * * * *"),
    http("Counts of the warehouse", "https://warehouse.northmill.example/counts"),
    query("Write counts", "UPDATE stock SET pieces = $1 WHERE product = $2")
  ],
  runs: {
    starts: { everyMinutes: 30 },
    seconds: 2.5,
    items: {
      "Counts of the warehouse": (number) =>
        ["Beans", "Grinder", "Filter"].map((product, place) => ({ product, pieces: 40 + ((number * 7 + place) % 30) }))
    },
    // The warehouse was closed for a while in the night.
    ending: ({ number }) =>
      number >= 16 && number <= 18
        ? {
            failsAt: "Counts of the warehouse",
            message: "Service unavailable - try again later or consider setting this node to retry automatically",
            httpCode: "503"
          }
        : undefined
  }
})

const snapshot = workflow("Stock count of the night", {
  tags: ["operations"],
  nodes: [
    schedule("Every night", "0 3 * * *"),
    query("Count", "SELECT product, pieces FROM stock"),
    archive("Store", "=stock/{{ $today.toISODate() }}.csv")
  ],
  // The engine was restarted when the last one was due.
  runs: {
    starts: { atMinute: 180 },
    seconds: 12,
    ending: ({ number }) => (number === 0 ? { skipped: true } : undefined)
  }
})

const parcels = workflow("Parcel tracking", {
  tags: ["production", "operations"],
  nodes: [
    schedule("Every hour", "20 * * * *"),
    query("Parcels on their way", "SELECT order_number, parcel FROM parcels WHERE arrived IS NULL"),
    http("Ask the carrier", "=https://carrier.example/parcels/{{ $json.parcel }}"),
    test("filter", "Late", "={{ $json.days }}", "gte", 4),
    slack("Tell support", "#support", "=Parcel {{ $json.parcel }} is late")
  ],
  runs: {
    starts: { everyMinutes: 60, atMinute: 20 },
    seconds: 8,
    path: ["Every hour", "Parcels on their way", "Ask the carrier", "Late"],
    items: {
      "Parcels on their way": (number) => [
        { order_number: 4300 - number, parcel: `P${number}1` },
        { order_number: 4299 - number, parcel: `P${number}2` }
      ],
      Late: () => []
    }
  }
})

const suppliers = workflow("Supplier orders", {
  tags: ["operations"],
  nodes: [
    schedule("Each working day", "30 5 * * 1-5"),
    query("Low stock", "SELECT product, supplier_email AS email FROM stock WHERE pieces < 10"),
    mail("Order more", "=Order of {{ $json.product }}", "Please send us the usual amount.")
  ],
  runs: {
    starts: { atMinute: 330, onWeekdays: true },
    seconds: 5,
    items: { "Low stock": () => [{ product: "Filter", email: "supplier@example.com" }] }
  }
})

const returns = workflow("Returned goods", {
  tags: ["operations", "support"],
  nodes: [
    webhook("Parcel came back", "returns"),
    query("Book in", "UPDATE stock SET pieces = pieces + 1 WHERE product = $1"),
    slack("Tell support", "#support", "=Order {{ $json.order }} came back")
  ],
  runs: { starts: { calls: 2 }, seconds: 0.8, items: { "Book in": (number) => [{ order: 4150 - number }] } }
})

const uptime = workflow("Is the shop open?", {
  tags: ["production", "operations"],
  nodes: [
    schedule("Every half hour", "*/30 * * * *"),
    http("Open the shop", "https://shop.northmill.example/health"),
    test("if", "Answers?", "={{ $json.status }}", "equals", "ok"),
    node("Fine", "noOp", 1),
    slack("Alert", "#alerts", "The shop does not answer")
  ],
  links: [
    ["Every half hour", "Open the shop"],
    ["Open the shop", "Answers?"],
    ["Answers?", "Fine"],
    ["Answers?", "Alert", 1]
  ],
  runs: {
    starts: { everyMinutes: 30 },
    seconds: 0.6,
    path: ["Every half hour", "Open the shop", "Answers?", "Fine"],
    items: { "Open the shop": () => [{ status: "ok" }] }
  }
})

const newsletter = workflow("Newsletter", {
  tags: ["marketing"],
  nodes: [
    schedule("Every day at ten", "0 10 * * *"),
    query("Readers", "SELECT email FROM readers WHERE left_at IS NULL"),
    mail("Send", "News from the mill", "What is roasted this week.", {
      credentials: { smtp: { id: "Oq5gTb3rMw9ZsF7k", name: "Newsletter mail" } }
    })
  ],
  runs: {
    starts: { atMinute: 600 },
    seconds: 14,
    items: { Readers: () => [{ email: "reader@example.com" }, { email: "another@example.com" }] },
    ending: () => ({
      failsAt: "Send",
      message: 'Credential with ID "Oq5gTb3rMw9ZsF7k" does not exist for type "smtp".'
    })
  }
})

const feed = workflow("Product feed", {
  tags: ["production", "marketing"],
  nodes: [
    schedule("Four times a day", "10 */6 * * *"),
    query("Products", "SELECT name, price FROM products WHERE sold"),
    archive("Publish", "feed/products.json")
  ],
  runs: {
    starts: { everyMinutes: 360, atMinute: 10 },
    seconds: 11,
    items: {
      Products: () => [
        { name: "Beans", price: 12 },
        { name: "Grinder", price: 189 }
      ]
    }
  }
})

const reviews = workflow("Ask for a review", {
  tags: ["marketing"],
  nodes: [
    schedule("Every day at eleven", "0 11 * * *"),
    query("Deliveries of last week", "SELECT email, product FROM orders WHERE delivered = current_date - 7"),
    mail("Ask", "=How is your {{ $json.product }}?", "Tell others how you like it.")
  ],
  runs: {
    starts: { atMinute: 660 },
    seconds: 6,
    items: { "Deliveries of last week": () => [{ email: "customer@example.com", product: "Grinder" }] }
  }
})

const posts = workflow("Social posts", {
  active: false,
  tags: ["marketing"],
  nodes: [
    webhook("Photo taken", "photos"),
    edited("Draft", { text: "The beans of the week" }),
    http("Post", "https://social.example/posts", { method: "POST" })
  ]
})

const carts = workflow("Abandoned carts", {
  tags: ["sales", "marketing"],
  nodes: [
    schedule("Every two hours", "0 */2 * * *"),
    query("Carts without an order", "SELECT email, total FROM carts WHERE ordered IS NULL"),
    test("filter", "Worth a reminder", "={{ $json.total }}", "gte", 20),
    mail("Remind", "You left something behind", "=Your cart of {{ $json.total }} EUR is still here.")
  ],
  runs: {
    starts: { everyMinutes: 120 },
    seconds: 3,
    items: {
      "Carts without an order": (number) =>
        Array.from({ length: 1 + (number % 4) }, (_, place) => ({
          email: "customer@example.com",
          total: 25 + 5 * place
        }))
    }
  }
})

/** The workflows of the warehouse, of marketing, and those that look after all others. */
export const operations: ReadonlyArray<SeedWorkflow> = [
  alerts,
  stockSync,
  snapshot,
  parcels,
  suppliers,
  returns,
  uptime,
  newsletter,
  feed,
  reviews,
  carts,
  posts
]
