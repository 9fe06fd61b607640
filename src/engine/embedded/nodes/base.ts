import type { JsonObject } from "../../../internal/schema/JsonObject.ts"
import {
  assignments,
  boolean,
  choice,
  columns,
  conditions,
  jsonText,
  list,
  locator,
  number,
  operations,
  options,
  required,
  text,
  unless,
  when
} from "./forms.ts"
import { httpRequest } from "./http.ts"

/** A range of versions of a node type with the same form. */
export interface Described {
  readonly title: string
  readonly what: string
  /** Versions on engines of generation 1, and those added with generation 2. */
  readonly versions: ReadonlyArray<number>
  readonly later?: ReadonlyArray<number>
  readonly group?: string
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly credentials?: ReadonlyArray<JsonObject>
  readonly asTool?: boolean
  /** Other search terms. */
  readonly alias?: ReadonlyArray<string>
  readonly properties?: ReadonlyArray<JsonObject>
}

const trigger = { group: "trigger", inputs: [] }
const pair = [text("name"), text("value")]
const since = (version: number) => ({ "@version": [{ _cnd: { gte: version } }] })

const webhook: Described = {
  ...trigger,
  title: "Webhook",
  what: "Starts the workflow when a webhook is called",
  versions: [1, 1.1, 2],
  later: [2.1],
  // As many as methods, if there are several.
  outputs: "={{ outputs of the methods }}",
  credentials: [
    { name: "httpBasicAuth", required: true, ...when({ authentication: ["basicAuth"] }) },
    { name: "httpHeaderAuth", required: true, ...when({ authentication: ["headerAuth"] }) }
  ],
  properties: [
    boolean("multipleMethods"),
    choice("httpMethod", ["GET", "DELETE", "HEAD", "PATCH", "POST", "PUT"]),
    text("path", required),
    choice("authentication", ["none", "basicAuth", "headerAuth", "jwtAuth"]),
    choice("responseMode", ["onReceived", "lastNode", "responseNode", "streaming"]),
    number("responseCode", when({ "@version": [1, 1.1] })),
    choice("responseData", ["firstEntryJson", "allEntries", "firstEntryBinary", "noData"], {
      ...when({ responseMode: ["lastNode"] })
    }),
    options(boolean("rawBody"), boolean("noResponseBody"), text("allowedOrigins"), text("responsePropertyName"))
  ]
}

const set: Described = {
  title: "Edit Fields (Set)",
  what: "Modify, add, or remove item fields",
  versions: [3, 3.1, 3.2, 3.3, 3.4],
  properties: [
    choice("mode", ["manual", "raw"]),
    boolean("duplicateItem"),
    jsonText("jsonOutput", when({ mode: ["raw"] })),
    assignments("assignments", { displayOptions: { show: { mode: ["manual"] }, hide: { "@version": [3, 3.1, 3.2] } } }),
    boolean("includeOtherFields", unless({ "@version": [3, 3.1, 3.2] })),
    options(boolean("includeBinary"), boolean("ignoreConversionErrors"), boolean("dotNotation"))
  ]
}

const weekdays = [0, 1, 2, 3, 4, 5, 6].map((value) => ({ name: `Day ${value}`, value }))

const schedule: Described = {
  ...trigger,
  title: "Schedule Trigger",
  what: "Triggers the workflow on a given schedule",
  versions: [1, 1.1, 1.2],
  later: [1.3],
  properties: [
    list("rule", "interval", [
      choice("field", ["days", "seconds", "minutes", "hours", "weeks", "months", "cronExpression"]),
      number("secondsInterval", when({ field: ["seconds"] })),
      number("minutesInterval", when({ field: ["minutes"] })),
      number("hoursInterval", when({ field: ["hours"] })),
      number("daysInterval", when({ field: ["days"] })),
      number("weeksInterval", when({ field: ["weeks"] })),
      number("monthsInterval", when({ field: ["months"] })),
      {
        ...choice("triggerAtDay", []),
        type: "multiOptions",
        default: [0],
        options: weekdays,
        ...when({ field: ["weeks"] })
      },
      number("triggerAtDayOfMonth", when({ field: ["months"] })),
      number("triggerAtHour", when({ field: ["days", "weeks", "months"] })),
      number("triggerAtMinute", when({ field: ["hours", "days", "weeks", "months"] })),
      text("expression", when({ field: ["cronExpression"] }))
    ])
  ]
}

const code: Described = {
  title: "Code",
  what: "Run custom JavaScript or Python code",
  versions: [1, 2],
  properties: [
    choice("mode", ["runOnceForAllItems", "runOnceForEachItem"]),
    choice("language", ["javaScript", "python"], when({ "@version": [2] })),
    text("jsCode"),
    text("pythonCode", when({ language: ["python"] }))
  ]
}

const removeDuplicates: Described = {
  title: "Remove Duplicates",
  what: "Delete items with matching field values",
  versions: [2],
  properties: [
    operations({
      removeDuplicateInputItems: "Remove items repeated within current input",
      removeItemsSeenInPreviousExecutions: "Remove items processed in previous executions",
      clearDeduplicationHistory: "Clear deduplication history"
    }),
    choice(
      "logic",
      ["removeItemsWithAlreadySeenKeyValues", "removeItemsUpToStoredIncrementalKey", "removeItemsUpToStoredDate"],
      when({ operation: ["removeItemsSeenInPreviousExecutions"] })
    ),
    text("dedupeValue", { ...required, ...when({ logic: ["removeItemsWithAlreadySeenKeyValues"] }) }),
    options(text("scope"), number("historySize"))
  ]
}

const slack: Described = {
  title: "Slack",
  what: "Consume Slack API",
  versions: [2, 2.1, 2.2, 2.3],
  later: [2.4],
  asTool: true,
  credentials: [
    { name: "slackApi", required: true, ...when({ authentication: ["accessToken"] }) },
    { name: "slackOAuth2Api", required: true, ...when({ authentication: ["oAuth2"] }) }
  ],
  properties: [
    choice("authentication", ["accessToken", "oAuth2"]),
    choice("resource", ["message", "channel"]),
    operations({ post: "Send a message", update: "Update a message", delete: "Delete a message" }, "message"),
    operations({ create: "Create a channel", archive: "Archive a channel" }, "channel"),
    choice("select", ["channel", "user"], { ...required, ...when({ resource: ["message"], operation: ["post"] }) }),
    locator("channelId", ["list", "id", "name"], {
      ...required,
      ...when({ resource: ["message"], operation: ["post"], select: ["channel"] })
    }),
    choice("messageType", ["text", "block"], when({ resource: ["message"], operation: ["post"] })),
    locator("user", ["list", "id", "username"], {
      ...required,
      ...when({ resource: ["message"], operation: ["post"], select: ["user"] })
    }),
    text("text", { ...required, ...when({ resource: ["message"], operation: ["post"], messageType: ["text"] }) }),
    text("text", when({ resource: ["message"], operation: ["post"], messageType: ["block"] })),
    text("blocksUi", { ...required, ...when({ resource: ["message"], operation: ["post"], messageType: ["block"] }) }),
    {
      ...options(boolean("includeLinkToWorkflow"), boolean("mrkdwn"), boolean("unfurl_links"), text("thread_ts")),
      name: "otherOptions",
      ...when({ resource: ["message"], operation: ["post"] })
    },
    text("channelId", { ...required, ...when({ resource: ["channel"], operation: ["create"] }) })
  ]
}

/** The node types of the base package that this engine implements, in our own words. */
export const base: Readonly<Record<string, Described>> = {
  webhook,
  httpRequest,
  set,
  scheduleTrigger: schedule,
  code,
  removeDuplicates,
  slack,
  manualTrigger: { ...trigger, title: "Manual Trigger", what: "Runs the flow on clicking a button", versions: [1] },
  noOp: { title: "No Operation, do nothing", what: "No Operation", versions: [1] },
  if: {
    title: "If",
    what: "Route items to different branches (true/false)",
    versions: [2, 2.1, 2.2],
    later: [2.3],
    outputs: ["main", "main"],
    properties: [
      conditions("conditions"),
      boolean("looseTypeValidation", when(since(2.1))),
      options(boolean("ignoreCase"))
    ]
  },
  filter: {
    title: "Filter",
    what: "Remove items matching a condition",
    versions: [2, 2.1, 2.2],
    later: [2.3],
    properties: [
      conditions("conditions"),
      boolean("looseTypeValidation", when(since(2.1))),
      options(boolean("ignoreCase"))
    ]
  },
  respondToWebhook: {
    title: "Respond to Webhook",
    what: "Returns data for Webhook",
    versions: [1, 1.1],
    later: [1.2, 1.3, 1.4, 1.5],
    properties: [
      choice("respondWith", [
        "firstIncomingItem",
        "allIncomingItems",
        "json",
        "text",
        "noData",
        "redirect",
        "binary",
        "jwt"
      ]),
      text("redirectURL", { ...required, ...when({ respondWith: ["redirect"] }) }),
      text("responseBody", when({ respondWith: ["json", "text"] })),
      options(number("responseCode", { default: 200 }), list("responseHeaders", "entries", pair), text("responseKey"))
    ]
  },
  stopAndError: {
    title: "Stop and Error",
    what: "Throw an error in the workflow",
    versions: [1],
    outputs: [],
    properties: [
      choice("errorType", ["errorMessage", "errorObject"]),
      text("errorMessage", { ...required, ...when({ errorType: ["errorMessage"] }) }),
      jsonText("errorObject", { ...required, ...when({ errorType: ["errorObject"] }) })
    ]
  },
  postgres: {
    title: "Postgres",
    what: "Get, add and update data in Postgres",
    versions: [2, 2.1, 2.2, 2.3, 2.4, 2.5],
    later: [2.6],
    asTool: true,
    credentials: [{ name: "postgres", required: true }],
    properties: [
      operations({
        insert: "Insert rows in a table",
        executeQuery: "Execute a SQL query",
        select: "Select rows from a table",
        update: "Update rows in a table"
      }),
      text("query", { ...required, ...when({ operation: ["executeQuery"] }) }),
      locator("schema", ["list", "name"], { ...required, ...when({ operation: ["insert", "select", "update"] }) }),
      locator("table", ["list", "name"], { ...required, ...when({ operation: ["insert", "select", "update"] }) }),
      columns("add", "insert"),
      columns("update", "update"),
      options(text("queryReplacement"), choice("queryBatching", ["single", "independently", "transaction"]))
    ]
  }
}
