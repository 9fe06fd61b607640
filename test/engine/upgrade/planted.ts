/** Workflows in which changes of upgrades are planted, with what is to be found in each, and nothing else. */

type Json = Readonly<Record<string, unknown>>

/** A finding that is expected: the rule, its node (none: the workflow itself) and the effect. */
export interface Expected {
  readonly rule: string
  readonly node?: string
  readonly severity: "stops" | "changes results" | "cosmetic"
}

interface Node extends Json {
  readonly name: string
}

/** A part of a workflow that is planted, with what is to be found in it. */
interface Plant {
  readonly nodes: ReadonlyArray<Node>
  readonly connections?: Json
  readonly settings?: Json
  readonly active?: boolean
  readonly expected: ReadonlyArray<Expected>
}

const base = (kind: string) => `n8n-nodes-base.${kind}`
const ai = (kind: string) => `@n8n/n8n-nodes-langchain.${kind}`

const node = (type: string, parameters: Json = {}, more: Json = {}): Node => ({
  name: "Step",
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more
})

const one = (given: Node, ...rules: ReadonlyArray<readonly [rule: string, severity: Expected["severity"]]>): Plant => ({
  nodes: [given],
  expected: rules.map(([rule, severity]) => ({ rule, node: given.name, severity }))
})

const disabled = { disabled: true, notes: "off for now" }

/** Five forms and more of a node whose type alone is the reason. */
const typed = (
  rule: string,
  severity: Expected["severity"],
  types: ReadonlyArray<string>,
  parameters: Json = {}
): ReadonlyArray<Plant> => {
  const [type = "", ...others] = types
  const spelt = type.startsWith("@") ? type.replace("@n8n/", "") : type.replace("n8n-", "engine-")
  return [
    one(node(type, parameters), [rule, severity]),
    one(node(type, {}, { typeVersion: 1.1 }), [rule, severity]),
    one(node(type, parameters, disabled), [rule, "cosmetic"]),
    one(node(spelt, parameters), [rule, severity]),
    one(node(type, parameters, { onError: "continueRegularOutput", retryOnFail: true, notes: "see wiki" }), [
      rule,
      severity
    ]),
    {
      nodes: [
        node(base("noOp"), {}, { name: "Before" }),
        node(type, parameters),
        node(base("noOp"), {}, { name: "After" })
      ],
      connections: {
        Before: { main: [[{ node: "Step", type: "main", index: 0 }]] },
        Step: { main: [[{ node: "After", type: "main", index: 0 }]] }
      },
      expected: [{ rule, node: "Step", severity }]
    },
    ...others.map((other) => one(node(other, parameters), [rule, severity]))
  ]
}

const code = (jsCode: string, more: Json = {}) => node(base("code"), { jsCode }, { typeVersion: 2, ...more })
const set = (parameters: Json, more: Json = {}) => node(base("set"), parameters, { typeVersion: 3.4, ...more })

const inFiles = "~/.n8n-files/in.csv"

const call = (parameters: Json, more: Json = {}) =>
  node(
    base("executeWorkflow"),
    { workflowId: { __rl: true, mode: "list", value: "waits" }, ...parameters },
    { typeVersion: 1.2, ...more }
  )

const wire = (node: string) => ({ node, type: "main", index: 0 })

/** The forms of each change that can be seen in a workflow. */
const plants: Readonly<Record<string, ReadonlyArray<Plant>>> = {
  "U2-start": typed("U2-start", "stops", [base("start")]),
  "U2-retired": typed(
    "U2-retired",
    "stops",
    ["spontit", "crowdDev", "crowdDevTrigger", "kitemaker", "automizy"].map(base)
  ),
  "U2-python": [
    one(node(base("code"), { language: "python", pythonCode: "return _input.all()" }, { typeVersion: 2 }), [
      "U2-python",
      "stops"
    ]),
    one(node(base("code"), { language: "python" }), ["U2-python", "stops"]),
    one(node(base("code"), { language: "python", mode: "runOnceForEachItem", pythonCode: "return _item" }), [
      "U2-python",
      "stops"
    ]),
    one(node(ai("toolCode"), { language: "python", pythonCode: "return query" }), ["U2-python", "stops"]),
    one(node(base("code"), { language: "python", pythonCode: "return []" }, disabled), ["U2-python", "cosmetic"])
  ],
  "U2-env": [
    one(set({ assignments: { assignments: [{ name: "a", value: "={{ $env.HOST }}" }] } }), ["U2-env", "stops"]),
    one(set({ value: '=https://{{ $env["HOST"] }}/x' }), ["U2-env", "stops"]),
    one(set({ options: { deep: [{ deeper: ["={{ [1].map(() => $env.KEY) }}"] }] } }), ["U2-env", "stops"]),
    one(code("const key = process.env.KEY\nreturn [{ json: { key } }]"), ["U2-env", "stops"]),
    one(code("const f = (items) => items.map((item) => $env.A + item)\nreturn f(items)"), ["U2-env", "stops"]),
    one(code("const { env } = process\nreturn [{ json: { a: env.A } }]"), ["U2-env", "stops"]),
    one(code("if (1) { const $env = {} }\nreturn [{ json: { a: $env.A } }]"), ["U2-env", "stops"]),
    one(set({ value: "={{ process.env.HOME }}" }), ["U2-env", "stops"]),
    one(node(base("html"), { operation: "generateHtmlTemplate", html: "<p>{{ $env.HOST }}</p>" }), ["U2-env", "stops"]),
    one(set({ value: "={{ $env.HOST }}" }, disabled), ["U2-env", "cosmetic"]),
    one(code("return [{ json: { a: `${$env.A}` } }]"), ["U2-env", "stops"]),
    one(
      node(base("function"), { functionCode: "return [{ json: { a: $env.A } }]" }),
      ["U2-env", "stops"],
      ["U3-function", "stops"]
    )
  ],
  "U2-off": typed("U2-off", "stops", [base("executeCommand"), base("localFileTrigger")], { command: "date" }),
  "U2-files": [
    one(node(base("readWriteFile"), { fileSelector: "/data/in.csv" }), ["U2-files", "stops"]),
    one(node(base("readWriteFile"), { operation: "write", fileName: "/tmp/out.csv" }), ["U2-files", "stops"]),
    one(node(base("readWriteFile"), { fileSelector: "=/data/{{ $json.name }}" }), ["U2-files", "cosmetic"]),
    one(node(base("readWriteFile"), { fileSelector: "=/data/in.csv" }), ["U2-files", "stops"]),
    one(node(base("readWriteFile"), { fileSelector: "~/.n8n-files/../secret" }), ["U2-files", "stops"]),
    one(
      node(base("readBinaryFile"), { filePath: "/data/a.pdf" }),
      ["U2-files", "stops"],
      ["U3-readBinaryFile", "stops"]
    ),
    one(
      node(base("readBinaryFiles"), { fileSelector: "/data/*.pdf" }),
      ["U2-files", "stops"],
      ["U3-readBinaryFiles", "stops"]
    ),
    one(
      node(base("writeBinaryFile"), { fileName: "/data/a.pdf" }),
      ["U2-files", "stops"],
      ["U3-writeBinaryFile", "stops"]
    ),
    one(node(base("readWriteFile"), { fileSelector: "/data/in.csv" }, disabled), ["U2-files", "cosmetic"])
  ],
  "U2-wait": [
    one(call({}), ["U2-wait", "changes results"]),
    one(call({ options: {} }, { typeVersion: 1 }), ["U2-wait", "changes results"]),
    one(call({ options: { waitForSubWorkflow: true } }), ["U2-wait", "changes results"]),
    one(node(base("executeWorkflow"), { workflowId: "waits" }), ["U2-wait", "changes results"]),
    one(node(base("executeWorkflow"), { workflowId: "sends" }, { typeVersion: 1.1 }), ["U2-wait", "changes results"]),
    one(
      node(base("executeWorkflow"), {
        source: "parameter",
        workflowJson: JSON.stringify({ nodes: [node(base("form"), {}, { name: "Form" })], connections: {} })
      }),
      ["U2-wait", "changes results"]
    ),
    one(call({}, disabled), ["U2-wait", "cosmetic"])
  ],
  "U2-publish": [
    { ...one(node(base("executeWorkflow"), { workflowId: "draft" }), ["U2-publish", "stops"]), active: true },
    { ...one(node(ai("toolWorkflow"), { workflowId: "draft" }), ["U2-publish", "stops"]), active: true },
    {
      ...one(
        node(base("executeWorkflow"), { workflowId: { __rl: true, mode: "id", value: "draft" } }, { typeVersion: 1.2 }),
        ["U2-publish", "stops"]
      ),
      active: true
    },
    { ...one(node(ai("retrieverWorkflow"), { workflowId: "draft" }), ["U2-publish", "stops"]), active: true },
    {
      nodes: [node(base("noOp"))],
      settings: { errorWorkflow: "draft" },
      active: true,
      expected: [{ rule: "U2-publish", severity: "stops" }]
    }
  ],
  "U2-evalcode": [
    one(code("return [{ json: { a: $evaluateExpression('{{ 1 }}') } }]"), ["U2-evalcode", "stops"]),
    one(code("return items.map((item, i) => ({ json: { a: $evaluateExpression('{{ $json.a }}', i) } }))"), [
      "U2-evalcode",
      "stops"
    ]),
    one(code("const e = $evaluateExpression\nreturn [{ json: { a: e('{{ 1 }}') } }]"), ["U2-evalcode", "stops"]),
    one(code("return $evaluateExpression('{{ 1 }}')", { typeVersion: 1 }), ["U2-evalcode", "stops"]),
    one(code("return $evaluateExpression('{{ 1 }}')", disabled), ["U2-evalcode", "cosmetic"])
  ],
  "U3-function": typed("U3-function", "stops", [base("function")], { functionCode: "return items" }),
  "U3-functionItem": typed("U3-functionItem", "stops", [base("functionItem")], {
    functionCode: "item.a = 1\nreturn item"
  }),
  "U3-aiTransform": typed("U3-aiTransform", "cosmetic", [base("aiTransform")], { jsCode: "return $input.all()" }),
  "U3-lcCode": typed("U3-lcCode", "stops", [ai("code")], { code: { execute: { code: "return 1" } } }),
  "U3-paired": [
    one(set({ value: "={{ $getPairedItem('A', $input.item.pairedItem).json.a }}" }), ["U3-paired", "stops"]),
    one(code("return [$getPairedItem('A', item.pairedItem)]"), ["U3-paired", "stops"]),
    one(set({ list: [{ value: "=x {{ $getPairedItem('A').json.a }} y" }] }), ["U3-paired", "stops"]),
    one(node(base("postgres"), { query: "select {{ $getPairedItem('A').json.a }}" }), ["U3-paired", "stops"]),
    one(set({ value: "={{ $getPairedItem('A') }}" }, disabled), ["U3-paired", "cosmetic"])
  ],
  "U3-itemLists": [
    ...typed("U3-itemLists", "stops", [base("itemLists")], { operation: "limit", maxItems: 2 }),
    one(node(base("itemLists"), { resource: "itemList", operation: "sort" }, { typeVersion: 3.1 }), [
      "U3-itemLists",
      "stops"
    ]),
    one(node(base("itemLists"), { operation: "summarize" }, { typeVersion: 2.2 }), ["U3-itemLists", "stops"])
  ],
  "U3-cron": [
    ...typed("U3-cron", "stops", [base("cron")], {
      triggerTimes: { item: [{ mode: "everyX", value: 7, unit: "minutes" }] }
    }),
    one(node(base("cron"), { triggerTimes: { item: [{}] } }), ["U3-cron", "stops"])
  ],
  "U3-interval": typed("U3-interval", "stops", [base("interval")], { unit: "seconds", interval: 90 }),
  "U3-workflowTrigger": typed("U3-workflowTrigger", "stops", [base("workflowTrigger")], { events: ["update"] }),
  "U3-gmailTrigger": [
    one(node(base("gmailTrigger")), ["U3-gmailTrigger", "changes results"]),
    one(node(base("gmailTrigger"), {}, { typeVersion: 1.1 }), ["U3-gmailTrigger", "changes results"]),
    one(node(base("gmailTrigger"), { simple: false }, { typeVersion: 1.2 }), ["U3-gmailTrigger", "changes results"]),
    one(node(base("gmailTrigger"), {}, { typeVersion: 1.3 }), ["U3-gmailTrigger", "changes results"]),
    one(node(base("gmailTrigger"), {}, { typeVersion: 1.2, ...disabled }), ["U3-gmailTrigger", "cosmetic"])
  ],
  "U3-chatTrigger": [
    one(node(ai("chatTrigger"), { mode: "webhook", public: true }), ["U3-chatTrigger", "changes results"]),
    one(node(ai("chatTrigger"), { mode: "webhook" }, { typeVersion: 1.1 }), ["U3-chatTrigger", "changes results"]),
    one(node(ai("chatTrigger").replace("@n8n/", ""), { mode: "webhook" }), ["U3-chatTrigger", "changes results"]),
    one(node(ai("chatTrigger"), { mode: "webhook", options: { responseMode: "lastNode" } }), [
      "U3-chatTrigger",
      "changes results"
    ]),
    one(node(ai("chatTrigger"), { mode: "webhook" }, disabled), ["U3-chatTrigger", "cosmetic"])
  ],
  "U3-readBinaryFile": typed("U3-readBinaryFile", "stops", [base("readBinaryFile")], { filePath: inFiles }),
  "U3-readBinaryFiles": typed("U3-readBinaryFiles", "stops", [base("readBinaryFiles")], { fileSelector: inFiles }),
  "U3-writeBinaryFile": typed("U3-writeBinaryFile", "stops", [base("writeBinaryFile")], { fileName: inFiles }),
  "U3-htmlExtract": typed("U3-htmlExtract", "stops", [base("htmlExtract")]),
  "U3-iCal": typed("U3-iCal", "stops", [base("iCal")]),
  "U3-moveBinaryData": typed("U3-moveBinaryData", "stops", [base("moveBinaryData")], { mode: "jsonToBinary" }),
  "U3-readPDF": typed("U3-readPDF", "stops", [base("readPDF")]),
  "U3-each": [
    one(node(base("executeWorkflow"), { workflowId: "plain", mode: "each" }), ["U3-each", "stops"]),
    one(call({ workflowId: "plain", mode: "each" }), ["U3-each", "stops"]),
    one(call({ workflowId: "={{ $json.id }}", mode: "each" }), ["U3-each", "stops"]),
    one(call({ workflowId: "plain", mode: "each", options: { waitForSubWorkflow: false } }), ["U3-each", "stops"]),
    one(call({ workflowId: "plain", mode: "each" }, disabled), ["U3-each", "cosmetic"])
  ],
  "U3-source": [
    one(node(base("executeWorkflow"), { source: "localFile", workflowPath: "/data/a.json" }), ["U3-source", "stops"]),
    one(node(base("executeWorkflow"), { source: "url", workflowUrl: "https://example.com/a.json" }), [
      "U3-source",
      "stops"
    ]),
    one(node(base("executeWorkflow"), { source: "url", workflowUrl: "={{ $json.url }}" }, { typeVersion: 1.1 }), [
      "U3-source",
      "stops"
    ]),
    one(node(base("executeWorkflow"), { source: "localFile" }, { onError: "continueRegularOutput" }), [
      "U3-source",
      "stops"
    ]),
    one(node(base("executeWorkflow"), { source: "url" }, disabled), ["U3-source", "cosmetic"])
  ],
  "U3-always": [
    ...[
      node(base("if"), {}, { typeVersion: 2 }),
      node(base("switch"), {}, { typeVersion: 3 }),
      node(base("compareDatasets")),
      node(base("splitInBatches"), {}, { typeVersion: 3 }),
      node(base("httpRequest"), {}, { onError: "continueErrorOutput" }),
      node(ai("textClassifier"))
    ].map((given): Plant => ({
      nodes: [{ ...given, alwaysOutputData: true }, node(base("noOp"), {}, { name: "Next" })],
      connections: { Step: { main: [[wire("Next")], []] } },
      expected: [{ rule: "U3-always", node: "Step", severity: "changes results" }]
    })),
    {
      nodes: [node(base("if"), {}, { alwaysOutputData: true, ...disabled }), node(base("noOp"), {}, { name: "Next" })],
      connections: { Step: { main: [[wire("Next")]] } },
      expected: [{ rule: "U3-always", node: "Step", severity: "cosmetic" }]
    }
  ],
  "U3-caller": [
    {},
    { timezone: "Europe/Berlin" },
    { executionOrder: "v1" },
    { callerIds: "a,b" },
    { saveManualExecutions: true }
  ].map((settings): Plant => ({
    nodes: [node(base("executeWorkflowTrigger"))],
    settings: { ...settings, callerPolicy: "any" },
    expected: [{ rule: "U3-caller", severity: "stops" }]
  })),
  "U3-agentMode": [
    one(node(ai("agent"), {}, { typeVersion: 1 }), ["U3-agentMode", "stops"]),
    one(node(ai("agent"), {}, { typeVersion: 1.5 }), ["U3-agentMode", "stops"]),
    ...["conversationalAgent", "openAiFunctionsAgent", "planAndExecuteAgent", "reActAgent", "sqlAgent"].map((agent) =>
      one(node(ai("agent"), { agent }, { typeVersion: 1.7 }), ["U3-agentMode", "stops"])
    ),
    one(node(ai("agent"), { agent: "sqlAgent" }, { typeVersion: 1.6, ...disabled }), ["U3-agentMode", "cosmetic"])
  ],
  "U3-agentV1": [
    one(node(ai("agent"), { agent: "toolsAgent" }), ["U3-agentV1", "changes results"]),
    one(node(ai("agent"), {}, { typeVersion: 1.6 }), ["U3-agentV1", "changes results"]),
    one(node(ai("agent"), {}, { typeVersion: 1.9 }), ["U3-agentV1", "changes results"]),
    one(node(ai("agent").replace("@n8n/", ""), { agent: "toolsAgent" }, { typeVersion: 1.3 }), [
      "U3-agentV1",
      "changes results"
    ]),
    one(node(ai("agent"), {}, { typeVersion: 1.7, ...disabled }), ["U3-agentV1", "cosmetic"])
  ],
  "U3-lcMoved": typed(
    "U3-lcMoved",
    "stops",
    [
      "lmOpenAi",
      "documentBinaryInputLoader",
      "documentJsonInputLoader",
      "memoryChatRetriever",
      "vectorStoreInMemoryInsert",
      "vectorStoreInMemoryLoad",
      "vectorStorePineconeInsert",
      "vectorStorePineconeLoad",
      "vectorStoreSupabaseInsert",
      "vectorStoreSupabaseLoad",
      "openAiAssistant",
      "toolHttpRequest",
      "manualChatTrigger",
      "toolSerpApi"
    ].map(ai)
  ),
  "U3-gone": typed("U3-gone", "stops", [
    ...[
      "memoryZep",
      "documentGithubLoader",
      "memoryMotorhead",
      "vectorStoreZep",
      "vectorStoreZepInsert",
      "vectorStoreZepLoad"
    ].map(ai),
    base("orbit")
  ]),
  "U3-compress": [
    one(node(base("compression")), ["U3-compress", "cosmetic"]),
    one(node(base("compression"), {}, { typeVersion: 1.1 }), ["U3-compress", "cosmetic"]),
    one(node(base("compression"), { operation: "decompress" }), ["U3-compress", "cosmetic"]),
    one(node(base("compression"), { operation: "decompress", outputPrefix: "f_" }), ["U3-compress", "cosmetic"]),
    one(node(base("compression"), {}, disabled), ["U3-compress", "cosmetic"])
  ]
}

/** Parts that look like something that an upgrade changes, and go on as before. */
const decoys: ReadonlyArray<Plant> = [
  node(base("manualTrigger")),
  node(base("if"), {}, { typeVersion: 1 }),
  node(base("switch"), {}, { typeVersion: 1 }),
  node(base("merge"), {}, { typeVersion: 2 }),
  node(base("set"), {}, { typeVersion: 1 }),
  node(base("httpRequest"), {}, { typeVersion: 2 }),
  node(base("spreadsheetFile")),
  node(base("openAi")),
  node(base("line")),
  node(base("simulate")),
  node("n8n-nodes-shop.function", { functionCode: "return items" }),
  node("n8n-nodes-shop.cron"),
  set({ value: "function itemLists cron $env" }),
  set({ value: "=$env.HOST {{ '$env.HOST' }}" }),
  set({ value: "={{ $json.process.env + $json.$env }}" }),
  set({ value: "={{ (($env) => $env.a)($json) }}" }),
  set({ value: "={{ $env.HOST" }),
  code("// $env.A, process.env.B\nreturn [{ json: { a: '$env' } }] /* $getPairedItem */"),
  code("const process = { env: {} }\nreturn [{ json: process.env }]"),
  code("const $env = items[0].json\nreturn [{ json: { a: $env.A } }]"),
  code("function f($evaluateExpression) { return $evaluateExpression }\nreturn f(1)"),
  code("return [{ json: { ran: typeof process === 'undefined' } }]"),
  code("try { x() } catch (process) { return process.env }\nreturn items"),
  code("const { $getPairedItem } = helpers\nreturn [$getPairedItem(1)]"),
  node(base("code"), { language: "pythonNative", pythonCode: "return _items" }, { typeVersion: 2 }),
  node(base("code"), { language: "javaScript", jsCode: "return items" }),
  node(ai("toolCode"), { jsCode: "return query" }),
  node(base("readWriteFile"), { fileSelector: inFiles }),
  node(base("readWriteFile"), { operation: "write", fileName: "/home/node/.n8n-files/a.csv" }),
  node(base("ssh"), { command: "date" }),
  node(base("executeWorkflow"), { workflowId: "plain" }),
  call({ options: { waitForSubWorkflow: false } }),
  node(base("executeWorkflow"), { workflowId: "idle" }),
  node(base("executeWorkflow"), { workflowId: "draft" }),
  node(base("scheduleTrigger"), { rule: { interval: [{ field: "minutes" }] } }, { typeVersion: 1.2 }),
  node(base("gmailTrigger"), {}, { typeVersion: 1.4 }),
  node(ai("chatTrigger"), { mode: "hostedChat", public: true }),
  node(base("compression"), { operation: "compress" }),
  node(ai("agent"), { agent: "sqlAgent" }, { typeVersion: 2 }),
  node(ai("agent"), {}, { typeVersion: 2.2 }),
  node(ai("lmChatOpenAi")),
  node(ai("vectorStorePinecone"), { mode: "insert" }),
  node(ai("memoryBufferWindow")),
  node(base("if"), {}, { alwaysOutputData: true }),
  node(base("set"), {}, { alwaysOutputData: true }),
  node(base("stickyNote"), { content: "## Function, Item Lists and {{ $env.A }}" })
].map((given) => one(given))

/** A part whose nodes have names of their own. */
const named = ({ connections = {}, expected, nodes, ...rest }: Plant, mark: string): Plant => {
  const rename = (name: string) => `${name} ${mark}`
  const text = JSON.stringify(connections)
  return {
    ...rest,
    nodes: nodes.map((given) => ({ ...given, id: rename(given.name), name: rename(given.name) })),
    connections: JSON.parse(
      nodes.reduce((all, { name }) => all.replaceAll(JSON.stringify(name), JSON.stringify(rename(name))), text)
    ),
    expected: expected.map((finding) =>
      finding.node === undefined ? finding : { ...finding, node: rename(finding.node) }
    )
  }
}

const workflowOf = (id: string, parts: ReadonlyArray<Plant>) => {
  const all = parts.map((part, place) => named(part, String.fromCharCode(65 + place)))
  return {
    expected: all.flatMap(({ expected }) => expected),
    workflow: {
      id,
      name: `Planted ${id}`,
      active: all.some(({ active }) => active === true),
      nodes: all.flatMap(({ nodes }) => nodes),
      connections: Object.fromEntries(all.flatMap(({ connections = {} }) => Object.entries(connections))),
      settings: Object.fromEntries(all.flatMap(({ settings = {} }) => Object.entries(settings))),
      tags: []
    }
  }
}

/** Workflows that others call, in which nothing is to be found themselves. */
const called = [
  { id: "waits", active: true, nodes: [node(base("wait"), {}, { name: "Wait" })] },
  { id: "sends", active: true, nodes: [node(base("slack"), { operation: "sendAndWait" }, { name: "Ask" })] },
  { id: "idle", active: true, nodes: [node(base("wait"), {}, { name: "Wait", disabled: true })] },
  { id: "plain", active: true, nodes: [node(base("noOp"), {}, { name: "Nothing" })] },
  { id: "draft", active: false, nodes: [node(base("noOp"), {}, { name: "Nothing" })] }
].map((given) => ({
  expected: [],
  workflow: { ...given, name: `Called ${given.id}`, connections: {}, settings: {}, tags: [] }
}))

/** The forms of each rule, by its id. */
export const formsOf: ReadonlyMap<string, number> = new Map(
  Object.entries(plants).map(([id, forms]) => [id, forms.length])
)

const forms = Object.values(plants).flat()

/** Each form alone, each beside another one and something harmless, and what is harmless alone. */
export const planted = [
  ...called,
  ...forms.map((form, place) => workflowOf(`a${place}`, [form])),
  ...forms.flatMap((form, place) => {
    const other = forms[(place * 7 + 13) % forms.length]
    const harmless = decoys[place % decoys.length]
    const parts = [form, other, harmless].flatMap((part) => (part === undefined ? [] : [part]))
    // A part that is active makes the whole workflow so, which concerns the calls of the others.
    const isMixed = parts.some(({ active }) => active === true)
    return [workflowOf(`b${place}`, isMixed ? [form] : parts)]
  }),
  ...decoys.map((decoy, place) => workflowOf(`c${place}`, [decoy]))
]
