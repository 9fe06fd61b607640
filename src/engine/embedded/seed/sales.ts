import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import {
  called,
  calling,
  chance,
  code,
  crm,
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

/** The item that a webhook makes of a call. */
const callWith = (body: JsonObject): ReadonlyArray<JsonObject> => [{ headers: {}, params: {}, query: {}, body }]

const people = ["Ada Holm", "Ben Okafor", "Carla Ruiz", "Dmitri Orlov", "Emma Lind", "Farid Haddad", "Grace Lee"]
const cities = ["Bergen", "Lagos", "Sevilla", "Riga", "Malmö", "Tunis", "Busan"]

const person = (number: number) => people[number % people.length] ?? ""

const orderNumber = (number: number) => 4310 - number

/** The orders that a marketplace hands over at night; in one of the last night's an address is missing. */
const importedOrders = (night: number) =>
  Array.from({ length: 50 }, (_, place) => {
    const number = 9100 - night * 50 + place
    const isPickedUp = night === 0 && place === 36
    const address = { city: cities[number % cities.length] }
    return {
      order: `M-${number}`,
      amount: 12 + Math.round(900 * chance("order", number)) / 10,
      customer: { name: person(number), ...(isPickedUp ? { pickupPoint: "Locker 12" } : { address }) }
    }
  })

const orderOf = (number: number) => ({
  id: orderNumber(number),
  amount: chance("amount", number) > 0.8 ? 1480 : 40 + Math.round(400 * chance("amount", number)),
  email: "customer@example.com"
})

const orders = workflow("Order intake", {
  id: "Kp3vQm8sXz1RtY7a",
  tags: ["production", "sales"],
  nodes: [
    webhook("Order received", "orders", "responseNode"),
    test("if", "Large order?", "={{ $json.body.amount }}", "gte", 1000),
    edited("Ask for approval", { status: "needs approval" }),
    edited("Accept", { status: "accepted" }),
    node("Answer", "respondToWebhook", 1.1, {
      respondWith: "json",
      responseBody: "={{ { order: $('Order received').item.json.body.id, status: $json.status } }}",
      options: {}
    })
  ],
  links: [
    ["Order received", "Large order?"],
    ["Large order?", "Ask for approval"],
    ["Large order?", "Accept", 1],
    ["Ask for approval", "Answer"],
    ["Accept", "Answer"]
  ],
  runs: {
    starts: { calls: 14 },
    seconds: 0.4,
    path: ["Order received", "Large order?", "Accept", "Answer"],
    items: { "Order received": (number) => callWith(orderOf(number)) },
    ending: ({ number }) =>
      orderOf(number).amount < 1000
        ? undefined
        : { path: ["Order received", "Large order?", "Ask for approval", "Answer"] }
  }
})

const payments = workflow("Payment check", {
  id: "Zb7nWc2yHd5LqE9u",
  tags: ["production", "finance"],
  nodes: [
    webhook("Payment reported", "payments", "lastNode"),
    test("if", "Invoice known?", "={{ $json.body.invoice }}", "startsWith", "R-1"),
    edited("Paid", { status: "paid" }),
    node("Give up", "stopAndError", 1, { errorMessage: "=No invoice has the number {{ $json.body.invoice }}" })
  ],
  links: [
    ["Payment reported", "Invoice known?"],
    ["Invoice known?", "Paid"],
    ["Invoice known?", "Give up", 1]
  ],
  runs: {
    starts: { calls: 9 },
    seconds: 0.7,
    path: ["Payment reported", "Invoice known?", "Paid"],
    items: {
      "Payment reported": (number) =>
        callWith({ invoice: number === 1 ? "R-2209" : `R-${1870 - number}`, amount: 30 + 7 * number })
    },
    ending: ({ number }) =>
      number === 1
        ? {
            path: ["Payment reported", "Invoice known?", "Give up"],
            failsAt: "Give up",
            message: "No invoice has the number R-2209"
          }
        : undefined
  }
})

const report = workflow("Daily sales report", {
  id: "Tg4xJr6oBv0MwS3k",
  tags: ["sales"],
  settings: { executionOrder: "v1", timezone: "UTC", saveExecutionProgress: true },
  nodes: [
    schedule("Every morning", "0 8 * * 1-5"),
    {
      ...query("Sales of yesterday", "SELECT region, sum(amount) FROM sales GROUP BY region"),
      retryOnFail: true,
      maxTries: 3
    },
    { ...slack("Tell the team", "#sales", "={{ $json.region }}"), notes: "One message per region", notesInFlow: true }
  ],
  runs: {
    starts: { atMinute: 8 * 60, onWeekdays: true },
    seconds: 6,
    items: {
      "Sales of yesterday": (number) =>
        ["North", "South", "Online"].map((region) => ({ region, sum: Math.round(4000 * chance(region, number)) }))
    }
  }
})

const importCode = (city: string) =>
  code("Ship to", `return { order: $json.order, name: $json.customer.name, city: ${city} };`)

/** The nightly import; staging has the version that copes with an order without an address. */
const imported = (city: string) =>
  workflow("Order import", {
    tags: ["production", "sales"],
    nodes: [
      schedule("Every night", "0 2 * * *"),
      http("Fetch orders", "https://marketplace.northmill.example/orders?since=yesterday"),
      importCode(city),
      query("Save orders", "INSERT INTO orders (number, name, city) VALUES ($1, $2, $3)"),
      slack("Tell logistics", "#logistics", "=Imported {{ $json.order }}")
    ],
    runs: {
      starts: { atMinute: 120 },
      seconds: 21,
      items: {
        "Fetch orders": importedOrders,
        "Ship to": (night) =>
          importedOrders(night).map(({ customer: { name, ...place }, order }) => ({
            order,
            name,
            city: "address" in place ? place.address.city : "pick-up"
          }))
      },
      ending: ({ number }) =>
        number === 0 && !city.includes("?.")
          ? {
              failsAt: "Ship to",
              message: "Cannot read properties of undefined (reading 'city')",
              kind: "TypeError",
              item: 36
            }
          : undefined
    }
  })

const priceNodes = (cost: string) => [
  webhook("Price asked", "price", "lastNode"),
  code("Price with tax", `return { product: $json.body.product, price: ${cost} * 1.25 };`),
  edited("Rounded", { currency: "EUR" })
]

/** Somebody has renamed a field in the editor that callers still send under its old name. */
const prices = workflow("Price calculator", {
  tags: ["production", "sales"],
  nodes: priceNodes("$json.body.costs.net"),
  former: { nodes: priceNodes("$json.body.cost"), hoursAgo: 20 },
  runs: {
    starts: { calls: 7 },
    seconds: 0.3,
    items: {
      "Price asked": (number) => callWith({ product: `Grinder ${1 + (number % 4)}`, cost: 40 + (number % 9) }),
      "Price with tax": (number) => [{ product: `Grinder ${1 + (number % 4)}`, price: (40 + (number % 9)) * 1.25 }]
    },
    ending: ({ hoursAgo }) =>
      hoursAgo < 20
        ? {
            failsAt: "Price with tax",
            message: "Cannot read properties of undefined (reading 'net')",
            kind: "TypeError",
            item: 0
          }
        : undefined
  }
})

const confirmation = workflow("Order confirmation", {
  tags: ["sales"],
  nodes: [
    called("Order accepted"),
    edited("Words", { greeting: "=Dear {{ $json.name }}" }),
    mail("Send confirmation", "=Your order {{ $json.id }}", "={{ $json.greeting }}, thank you for your order.")
  ]
})

const contacts = workflow("CRM sync", {
  tags: ["production", "sales"],
  nodes: [
    schedule("Every hour", "0 * * * *"),
    query("Changed customers", "SELECT name, email FROM customers WHERE changed > now() - interval '1 hour'"),
    crm("Update contact")
  ],
  runs: {
    starts: { everyMinutes: 60 },
    seconds: 5,
    items: {
      "Changed customers": (number) => [
        { name: person(number), email: "customer@example.com" },
        { name: person(number + 3), email: "customer@example.com" }
      ]
    },
    // The last one took its time.
    ending: ({ number }) => (number === 0 ? { slower: 22 } : undefined)
  }
})

const clean = workflow("Clean up contacts", {
  id: "Wr1cLz9pMi6AoB8v",
  active: false,
  tags: [],
  nodes: [
    node("Start", "manualTrigger", 1),
    http("Fetch contacts", "https://crm.example.com/contacts"),
    edited("Trim names", { name: "={{ $json.name.trim() }}" }),
    node("Done", "noOp", 1)
  ]
})

/** New on staging, and to be brought to production. */
export const loyalty = workflow("Loyalty points", {
  tags: ["sales", "marketing"],
  nodes: [
    webhook("Order paid", "loyalty", "lastNode"),
    test("if", "Enough for points?", "={{ $json.body.amount }}", "gte", 25),
    query("Add points", "UPDATE customers SET points = points + $1 WHERE email = $2"),
    calling("Tell the customer", "Order confirmation"),
    node("No points", "noOp", 1)
  ],
  links: [
    ["Order paid", "Enough for points?"],
    ["Enough for points?", "Add points"],
    ["Enough for points?", "No points", 1],
    ["Add points", "Tell the customer"]
  ],
  runs: {
    starts: { calls: 2 },
    seconds: 0.9,
    path: ["Order paid", "Enough for points?", "Add points", "Tell the customer"],
    items: { "Order paid": (number) => callWith({ ...orderOf(number), amount: 60 }) }
  }
})

/** The workflows of the sales team, as they are on production. */
export const sales: ReadonlyArray<SeedWorkflow> = [
  orders,
  payments,
  report,
  imported("$json.customer.address.city"),
  prices,
  confirmation,
  contacts,
  clean
]

/** The workflows that staging has instead. */
export const mendedImport = imported('$json.customer.address?.city ?? "pick-up"')
export const formerPrices = workflow("Price calculator", { tags: ["sales"], nodes: priceNodes("$json.body.cost") })
