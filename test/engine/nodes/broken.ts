import {
  agent,
  ai,
  behind,
  call,
  draft,
  type Draft,
  key,
  model,
  node,
  post,
  says,
  start,
  thing,
  when
} from "./drafts.ts"

/** A workflow with something wrong, and everything that must be found in it, in words. */
export interface Broken {
  readonly title: string
  readonly draft: Draft
  readonly said: ReadonlyArray<RegExp>
}

const broken = (title: string, draft: Draft, ...said: ReadonlyArray<RegExp>): Broken => ({ title, draft, said })

const hook = (parameters = {}, name = "Hook") =>
  node("webhook", name, { path: "orders", httpMethod: "POST", options: {}, ...parameters }, { webhookId: "w1" })
const respond = (parameters = {}) =>
  node("respondToWebhook", "Respond", { respondWith: "text", responseBody: "ok", options: {}, ...parameters })
const code = (jsCode: string, more = {}) => node("code", "Code", { jsCode, ...more })
const every = (...interval: ReadonlyArray<unknown>) => node("scheduleTrigger", "Every", { rule: { interval } })
const sheet = (parameters: object) =>
  node(
    "googleSheets",
    "Sheet",
    { operation: "append", documentId: thing("d1"), sheetName: thing("gid=0", "list"), ...parameters },
    key("googleSheetsOAuth2Api")
  )
const mail = (parameters: object, more = key("smtp")) =>
  node(
    "emailSend",
    "Mail",
    { fromEmail: "a@b.c", toEmail: "d@e.f", subject: "x", emailFormat: "text", text: "y", options: {}, ...parameters },
    more
  )

/** Mistakes of every kind, as people and models make them. */
export const brokenDrafts: ReadonlyArray<Broken> = [
  // Types and versions
  broken(
    "an unknown type",
    behind(node("slak", "Post")),
    /^node Post, type: .*no node type n8n-nodes-base\.slak\. Did you mean n8n-nodes-base\.slack/
  ),
  broken(
    "a type of another package",
    behind(node("n8n-nodes-base.agent", "Agent")),
    /^node Agent, type: .*Did you mean @n8n\/n8n-nodes-langchain\.agent/
  ),
  broken(
    "a package without its scope",
    behind(node("n8n-nodes-langchain.agent", "Agent")),
    /^node Agent, type: .*Did you mean @n8n\/n8n-nodes-langchain\.agent/
  ),
  broken(
    "a type in another case",
    behind(node("n8n-nodes-base.mongodb", "Store")),
    /^node Store, type: .*Did you mean n8n-nodes-base\.mongoDb/
  ),
  broken(
    "a version that is not there",
    behind(call({}, { typeVersion: 9 })),
    /^node Call, typeVersion: .*has no version 9.*Take 4/
  ),
  // Parameters
  broken("a missing URL", behind(call({ url: "" })), /^node Call, parameters\.url: is required and empty/),
  broken(
    "a method that there is not",
    behind(call({ method: "FETCH" })),
    /^node Call, parameters\.method: "FETCH" is none of its options.*One of/
  ),
  broken(
    "a misspelt parameter",
    behind(call({ sendBodyy: true })),
    /^node Call, parameters\.sendBodyy: there is no parameter.*Did you mean sendBody/
  ),
  broken(
    "a body that is not sent",
    behind(call({ method: "POST", specifyBody: "json", jsonBody: '{"a":1}' })),
    /parameters\.specifyBody: has no effect.*sendBody=true/,
    /parameters\.jsonBody: has no effect.*sendBody=true/
  ),
  broken(
    "an option that there is not",
    behind(call({ options: { timeOut: 5000 } })),
    /^node Call, parameters\.options\.timeOut: .*Did you mean timeout/
  ),
  broken(
    "headers in the form of another tool",
    behind(call({ sendHeaders: true, headerParameters: { "X-A": "1" } })),
    /^node Call, parameters\.headerParameters\.X-A: headerParameters has no part X-A\. Known: parameters/
  ),
  broken(
    "one header where a list must be",
    behind(call({ sendHeaders: true, headerParameters: { parameters: { name: "A", value: "1" } } })),
    /^node Call, parameters\.headerParameters\.parameters: is .*must be a list/
  ),
  broken(
    "headers as texts",
    behind(call({ sendHeaders: true, headerParameters: { parameters: ["A: 1"] } })),
    /^node Call, parameters\.headerParameters\.parameters: is .*list of objects/
  ),
  broken(
    "a header under other names",
    behind(call({ sendHeaders: true, headerParameters: { parameters: [{ key: "A", value: "1" }] } })),
    /parameters\[0\]\.key: there is no parameter key/
  ),
  broken(
    "a body that is no JSON",
    behind(call({ method: "POST", sendBody: true, specifyBody: "json", jsonBody: '{"a": 1,, }' })),
    /^node Call, parameters\.jsonBody: cannot be read as JSON/
  ),
  broken(
    "yes for true",
    behind(call({ sendQuery: "yes" })),
    /^node Call, parameters\.sendQuery: is "yes"\. It must be true or false/
  ),
  broken(
    "text for a number",
    behind(call({ options: { timeout: "soon" } })),
    /^node Call, parameters\.options\.timeout: is "soon"\. It must be a number/
  ),
  broken(
    "an object for text",
    behind(call({ url: { href: "https://example.com" } })),
    /^node Call, parameters\.url: is .*must be text/
  ),
  broken(
    "an operation of another resource",
    behind(post({ resource: "channel", operation: "post" })),
    /^node Post, parameters\.operation: "post" is none of its options/
  ),
  broken(
    "a resource that there is not",
    behind(post({ resource: "msg" })),
    /^node Post, parameters\.resource: "msg" is none of its options/
  ),
  broken(
    "a channel in plain words of an object",
    behind(post({ channelId: { mode: "id", value: "C1" } })),
    /^node Post, parameters\.channelId: is .*__rl: true/
  ),
  broken(
    "a way to name a channel that there is not",
    behind(post({ channelId: thing("x", "nam") })),
    /^node Post, parameters\.channelId: mode is "nam"\. One of list, id, name/
  ),
  broken(
    "a channel that is not named",
    behind(post({ channelId: thing("") })),
    /^node Post, parameters\.channelId: is required and empty/
  ),
  broken("a message without text", behind(post({ text: "" })), /^node Post, parameters\.text: is required and empty/),
  broken(
    "parameters of another version",
    behind(node("set", "Set", { values: { string: [{ name: "a", value: "b" }] }, options: {} })),
    /^node Set, parameters\.values: (there is no parameter|has no effect)/
  ),
  broken(
    "events as one text",
    draft([
      node(
        "telegramTrigger",
        "Listen",
        { updates: "message", additionalFields: {} },
        { webhookId: "t1", ...key("telegramApi") }
      )
    ]),
    /^node Listen, parameters\.updates: is "message"\. It must be a list/
  ),
  broken(
    "columns as a list",
    behind(sheet({ columns: [{ name: "a" }] })),
    /^node Sheet, parameters\.columns: is .*mappingMode/
  ),
  broken(
    "columns in a mode that there is not",
    behind(sheet({ columns: { mappingMode: "manual", value: { a: 1 } } })),
    /^node Sheet, parameters\.columns: mappingMode is "manual".*defineBelow/
  ),
  broken(
    "an update that finds no row",
    behind(
      sheet({
        operation: "update",
        columns: { mappingMode: "defineBelow", value: { a: "1" }, matchingColumns: [], schema: [] }
      })
    ),
    /^node Sheet, parameters\.columns\.matchingColumns: names no column/
  ),
  broken(
    "a query that is missing",
    behind(node("postgres", "Ask", { operation: "executeQuery", query: "", options: {} }, key("postgres"))),
    /^node Ask, parameters\.query: is required and empty/
  ),
  broken("a mail to nobody", behind(mail({ toEmail: "" })), /^node Mail, parameters\.toEmail: is required and empty/),
  // Conditions and assignments
  broken(
    "assignments as a list",
    behind(node("set", "Set", { assignments: [{ name: "a", value: "b" }], options: {} })),
    /^node Set, parameters\.assignments: is .*assignments: \[\{id, name, type, value/
  ),
  broken(
    "an assignment without a name",
    behind(node("set", "Set", { assignments: { assignments: [{ key: "a", value: "b" }] } })),
    /^node Set, parameters\.assignments\.assignments\[0\]: has no name/
  ),
  broken(
    "a number that is none",
    behind(says("many", "Say", { type: "number" })),
    /^node Say, .*assignments\[0\]\.value: is "many"\. It must be a number/
  ),
  broken(
    "a type that there is not",
    behind(says("x", "Say", { type: "text" })),
    /^node Say, .*\.type: is "text"\. One of string/
  ),
  broken(
    "JSON that is none",
    behind(node("set", "Set", { mode: "raw", jsonOutput: '{ "a": }', options: {} })),
    /^node Set, parameters\.jsonOutput: cannot be read as JSON/
  ),
  broken(
    "conditions of an older version",
    behind(
      node("if", "Check", { conditions: { string: [{ value1: "={{ $json.a }}", operation: "equal", value2: "x" }] } })
    ),
    /^node Check, parameters\.conditions: is .*operator: \{type, operation\}/
  ),
  broken(
    "an operation of conditions that there is not",
    behind(node("if", "Check", when({ operator: { type: "string", operation: "equal" } }))),
    /^node Check, parameters\.conditions\.conditions\[0\]\.operator\.operation: is "equal"\. Did you mean equals/
  ),
  broken(
    "an operation of another type",
    behind(node("filter", "Keep", when({ operator: { type: "number", operation: "larger" } }))),
    /^node Keep, .*operator\.operation: is "larger"\. .*gt/
  ),
  broken(
    "an operator as text",
    behind(node("if", "Check", when({ operator: "equals" }))),
    /^node Check, .*conditions\[0\]\.operator: is "equals"\. It must be \{leftValue, rightValue, operator/
  ),
  broken(
    "a type of conditions that there is not",
    behind(node("if", "Check", when({ operator: { type: "text", operation: "equals" } }))),
    /^node Check, .*operator\.type: is "text"\. One of string/
  ),
  broken(
    "a combinator that there is not",
    behind(node("if", "Check", when({}, { combinator: "all" }))),
    /^node Check, parameters\.conditions\.combinator: is "all"\. One of and, or/
  ),
  broken(
    "a condition without what it compares",
    behind(
      node("if", "Check", {
        conditions: {
          conditions: [{ id: "c", operator: { type: "string", operation: "equals" }, rightValue: "x" }],
          options: {},
          combinator: "and"
        }
      })
    ),
    /^node Check, .*conditions\[0\]: has no leftValue/
  ),
  broken(
    "a wrong operator inside of a switch",
    behind(
      node("switch", "Route", {
        rules: {
          values: [when({ operator: { type: "string", operation: "is" } })].map(({ conditions }) => ({ conditions }))
        },
        options: {}
      })
    ),
    /^node Route, parameters\.rules\.values\[0\]\.conditions\.conditions\[0\]\.operator\.operation: is "is"/
  ),
  broken(
    "more beside a version that is not there",
    behind(call({ sendQery: true }, { typeVersion: 99 })),
    /^node Call, typeVersion: .*has no version 99/,
    /^node Call, parameters\.sendQery: .*Did you mean sendQuery/
  ),
  // Expressions and code
  broken(
    "an expression that cannot be read",
    behind(says("={{ $json.a + }}")),
    /^node Say, .*value: the expression cannot be read/
  ),
  broken("an expression that is never closed", behind(says("={{ $json.a ")), /^node Say, .*never closed/),
  broken(
    "statements for an expression",
    behind(says("={{ const a = $json.a; a + 1 }}")),
    /^node Say, .*the expression cannot be read: statements/
  ),
  broken(
    "an expression without its sign",
    behind(says("{{ $json.a }}")),
    /^node Say, .*is text as it stands, not an expression.*Put "=" in front/
  ),
  broken("an expression without braces", behind(says("=$json.a")), /^node Say, .*is text as it stands.*Put \{\{ \}\}/),
  broken(
    "a missing node",
    behind(says('={{ $("Strat").first().json.a }}')),
    /^node Say, .*refers to node Strat, which is not there\. Did you mean Start/
  ),
  broken(
    "a missing node in brackets",
    behind(says('={{ $node["Nobody"].json.a }}')),
    /^node Say, .*refers to node Nobody, which is not there/
  ),
  broken(
    "a missing node behind a dot",
    behind(says("={{ $node.Nobody.json.a }}")),
    /^node Say, .*refers to node Nobody, which is not there/
  ),
  broken(
    "items of a missing node",
    behind(says('={{ $items("Nobody")[0].json.a }}')),
    /^node Say, .*refers to node Nobody, which is not there/
  ),
  broken(
    "a node that runs later",
    behind(says('={{ $("Later").first().json.a }}'), node("noOp", "Later")),
    /^node Say, .*refers to node Later, which cannot have run before/
  ),
  broken(
    "itself",
    behind(says('={{ $("Say").first().json.a }}')),
    /^node Say, .*refers to node Say, which cannot have run before/
  ),
  broken(
    "a node of another trigger",
    draft(
      [start, every({}), says('={{ $("Other").first().json.a }}'), node("noOp", "Other")],
      "Start > Say",
      "Every > Other"
    ),
    /^node Say, .*refers to node Other, which cannot have run before/
  ),
  broken(
    "a disabled node",
    behind(call({}, { disabled: true }), says('={{ $("Call").first().json.a }}')),
    /^node Say, .*refers to node Call, which is disabled/
  ),
  broken(
    "a misspelt variable",
    behind(says("={{ $jsno.a }}")),
    /^node Say, .*\$jsno is nothing that engines know\. Did you mean \$json/
  ),
  broken(
    "code that cannot be read",
    behind(code("const a = ;\nreturn [];")),
    /^node Code, parameters\.jsCode: the code cannot be read/
  ),
  broken(
    "code that returns nothing",
    behind(code("const a = $input.all().map((item) => { return item });")),
    /^node Code, parameters\.jsCode: the code returns nothing/
  ),
  broken(
    "code that names a missing node",
    behind(code("return $('Nobody').all()")),
    /^node Code, parameters\.jsCode: refers to node Nobody/
  ),
  broken(
    "code with braces of expressions",
    behind(code("const a = {{ $json.a }};\nreturn [{ json: { a } }];")),
    /^node Code, parameters\.jsCode: the code cannot be read/
  ),
  broken(
    "code in a language that there is not",
    behind(code("return []", { language: "typescript" })),
    /^node Code, parameters\.language: "typescript" is none of its options/
  ),
  // Credentials
  broken(
    "a missing credential",
    behind(post({}, {})),
    /^node Post, credentials\.slackApi: the node has no credential\. It needs one of type slackApi/
  ),
  broken(
    "a credential of the wrong type",
    behind(post({}, key("slackOAuth2Api"))),
    /^node Post, credentials\.slackApi: .*slackOAuth2Api.*needs one of type slackApi/
  ),
  broken(
    "a credential of another service",
    behind(mail({}, key("gmailOAuth2"))),
    /^node Mail, credentials\.smtp: .*gmailOAuth2.*It needs one of type smtp/
  ),
  broken(
    "a credential that a request asks for",
    behind(call({ authentication: "genericCredentialType", genericAuthType: "httpHeaderAuth" })),
    /^node Call, credentials\.httpHeaderAuth: the node has no credential/
  ),
  broken(
    "a credential without its id",
    behind(post({}, { credentials: { slackApi: { name: "Key" } } })),
    /^node Post, credentials\.slackApi: names no credential/
  ),
  broken(
    "a credential as text",
    behind(post({}, { credentials: { slackApi: "Key" } })),
    /^node Post, credentials\.slackApi: is no reference/
  ),
  broken(
    "a key among the parameters",
    behind(call({ authentication: "genericCredentialType", genericAuthType: "apiKey" })),
    /^node Call, .*"apiKey" is none of its options|^node Call, credentials\.apiKey/
  ),
  // Connections
  broken(
    "a node that nothing leads to",
    draft([start, says("x"), call()], "Start > Say"),
    /^node Call, connections\.main: no trigger leads to it/
  ),
  broken("no trigger", draft([says("x"), call()], "Say > Call"), /no trigger starts this workflow/),
  broken(
    "a connection to a missing node",
    draft([start, says("x")], "Start > Sai"),
    /^node Start, connections\.main\[0\]: leads to Sai, which is not a node\. Did you mean Say/,
    /^node Say, connections\.main: no trigger leads to it/
  ),
  broken(
    "a connection from a missing node",
    draft([start, says("x")], "Strat > Say"),
    /^connections\.Strat: connections begin at Strat, which is not a node\. Did you mean Start/,
    /^node Say, connections\.main: no trigger|^$/
  ),
  broken(
    "connections by ids",
    {
      nodes: [
        { ...start, id: "n1" },
        { ...says("x"), id: "n2" }
      ],
      connections: { n1: { main: [[{ node: "n2", type: "main", index: 0 }]] } }
    },
    /^connections\.n1: .*That is an id: use the name, Start/,
    /no trigger leads to it|leads to n2/
  ),
  broken(
    "two nodes of one name",
    {
      nodes: [start, says("x"), says("y")],
      connections: { Start: { main: [[{ node: "Say", type: "main", index: 0 }]] } }
    },
    /^node Say, name: 2 nodes have this name/
  ),
  broken(
    "two nodes of one id",
    draft(
      [
        { ...start, id: "n" },
        { ...says("x"), id: "n" }
      ],
      "Start > Say"
    ),
    /^node Say, id: has the id n, as node Start has/
  ),
  broken(
    "a third output of If",
    draft([start, node("if", "Check", when({})), says("x")], "Start > Check", "Check:2 > Say"),
    /^node Check, connections\.main\[2\]: output 2 is connected, and it has outputs 0 to 1/
  ),
  broken(
    "an output beyond the rules of Switch",
    draft(
      [
        start,
        node("switch", "Route", { rules: { values: [{ conditions: when({}).conditions }] }, options: {} }),
        says("x")
      ],
      "Start > Route",
      "Route:1 > Say"
    ),
    /^node Route, connections\.main\[1\]: output 1 .*Each rule has one output|^node Route, connections\.main\[1\]: output 1/
  ),
  broken(
    "an output for errors that is not switched on",
    draft([start, call(), says("x")], "Start > Call", "Call:1 > Say"),
    /^node Call, connections\.main\[1\]: .*continueErrorOutput/
  ),
  broken(
    "a second input that is not there",
    draft([start, says("x"), call()], "Start > Say > Call:1"),
    /^node Say, connections\.main: leads to input 1 of node Call/
  ),
  broken(
    "a third input of Merge",
    draft(
      [start, says("a", "A"), says("b", "B"), says("c", "C"), node("merge", "Join", { mode: "append" })],
      "Start > A > Join:0",
      "Start > B > Join:1",
      "Start > C > Join:2"
    ),
    /^node C, connections\.main: leads to input 2 of node Join.*numberInputs to 3/
  ),
  broken(
    "Merge with one input",
    draft(
      [start, says("a", "A"), node("merge", "Join", { mode: "combine", combineBy: "combineByPosition", options: {} })],
      "Start > A > Join"
    ),
    /^node Join, connections\.main: only its input 0 of 2 is connected/
  ),
  broken(
    "a loop without an end",
    draft([start, says("a", "A"), says("b", "B")], "Start > A > B > A"),
    /^node A: the loop A → B → A never ends/
  ),
  broken(
    "a loop that is never gone round",
    draft(
      [start, node("splitInBatches", "Loop", { options: {} }), call(), says("x")],
      "Start > Loop",
      "Loop > Say",
      "Loop:1 > Call"
    ),
    /^node Loop, connections\.main: .*does not lead back/
  ),
  broken(
    "the end of a loop for its inside",
    draft([start, node("splitInBatches", "Loop", { options: {} }), call()], "Start > Loop > Call"),
    /^node Loop, connections\.main: only its first output \(done\) is connected/
  ),
  broken(
    "a trigger in the middle",
    draft(
      [start, node("webhook", "Hook", { path: "x", options: {} }, { webhookId: "h" }), says("x")],
      "Start > Hook > Say"
    ),
    /^node Start, connections\.main: node Hook has no input main/
  ),
  // AI
  broken(
    "an agent without a model",
    behind(agent()),
    /^node Agent, connections\.ai_languageModel: nothing is connected.*chat model/
  ),
  broken(
    "a model behind an agent",
    draft([start, agent(), model()], "Start > Agent", "Agent > Model ai_languageModel"),
    /^node Agent, connections\.ai_languageModel: leads the wrong way: Model gives/,
    /^node Agent, connections\.ai_languageModel: nothing is connected/,
    /^node Model, connections\.ai_languageModel: serves no node|^$/
  ),
  broken(
    "a model in the row",
    draft([start, model(), agent()], "Start > Model > Agent"),
    /^node Start, connections\.main: node Model has no input main|^node Model/,
    /^node Model, connections\.main: node Model has no output main.*ai_languageModel/,
    /^node Agent, connections\.ai_languageModel: nothing is connected/
  ),
  broken(
    "a main node as a model",
    draft([start, agent(), says("x")], "Start > Agent", "Say > Agent ai_languageModel"),
    /^node Say, connections\.ai_languageModel: node Say has no output ai_languageModel/,
    /connections/
  ),
  broken(
    "a memory as a model",
    draft(
      [start, agent(), ai("memoryBufferWindow", "Memory", { sessionIdType: "customKey", sessionKey: "a" })],
      "Start > Agent",
      "Memory > Agent ai_languageModel"
    ),
    /^node Memory, connections\.ai_languageModel: node Memory has no output ai_languageModel: it gives ai_memory\. Connect them by ai_memory/
  ),
  broken(
    "two models",
    draft(
      [start, agent(), model("A"), model("B")],
      "Start > Agent",
      "A > Agent ai_languageModel",
      "B > Agent ai_languageModel"
    ),
    /^node Agent, connections\.ai_languageModel: its input ai_languageModel takes one connection, and has those of A, B/
  ),
  broken(
    "a tool that serves nobody",
    draft(
      [
        start,
        agent(),
        model(),
        node(
          "gmailTool",
          "Mail tool",
          { sendTo: "a@b.c", subject: "x", message: "y", options: {} },
          { webhookId: "g", ...key("gmailOAuth2") }
        )
      ],
      "Start > Agent",
      "Model > Agent ai_languageModel"
    ),
    /^node Mail tool, connections\.ai_tool: serves no node/
  ),
  broken(
    "a plain node as a tool",
    draft([start, agent(), model(), post()], "Start > Agent", "Model > Agent ai_languageModel", "Post > Agent ai_tool"),
    /^node Post, connections\.ai_tool: node Post has no output ai_tool.*slackTool/
  ),
  broken(
    "a chain without a model",
    behind(ai("chainLlm", "Chain", { promptType: "define", text: "Hi" })),
    /^node Chain, connections\.ai_languageModel: nothing is connected/
  ),
  broken(
    "two types at one connection",
    {
      nodes: [start, agent(), model()],
      connections: {
        Start: { main: [[{ node: "Agent", type: "main", index: 0 }]] },
        Model: { ai_languageModel: [[{ node: "Agent", type: "main", index: 0 }]] }
      }
    },
    /^node Model, connections\.ai_languageModel: leads from ai_languageModel to main of node Agent.*Both ends/,
    /^node Agent, connections\.ai_languageModel: nothing is connected|^$/
  ),
  broken(
    "a classifier without classes",
    draft(
      [
        start,
        ai("textClassifier", "Sort", { inputText: "={{ $json.a }}", categories: { categories: [] }, options: {} }),
        model(),
        says("x")
      ],
      "Start > Sort > Say",
      "Model > Sort ai_languageModel"
    ),
    /^node Sort, /
  ),
  // Webhooks and schedules
  broken(
    "an answer that nobody waits for",
    behind(respond()),
    /^node Respond, connections\.main: no webhook leads to it/
  ),
  broken(
    "an answer that never comes",
    draft([hook({ responseMode: "responseNode" }), says("x")], "Hook > Say"),
    /^node Hook, parameters\.responseMode: waits for a Respond to Webhook node, and leads to none/
  ),
  broken(
    "an answer that was already given",
    draft([hook({ responseMode: "lastNode" }), respond()], "Hook > Respond"),
    /^node Hook, parameters\.responseMode: is "lastNode", and Respond would answer.*responseNode/
  ),
  broken(
    "a form that is answered by a node",
    draft(
      [
        node(
          "formTrigger",
          "Form",
          { formTitle: "A", formFields: { values: [{ fieldLabel: "a" }] }, options: {} },
          { webhookId: "f" }
        ),
        respond()
      ],
      "Form > Respond"
    ),
    /^node Form, parameters\.responseMode: leads to Respond: from version 2\.2 on/
  ),
  broken(
    "two webhooks at one address",
    draft([hook(), hook({}, "Other"), says("x")], "Hook > Say", "Other > Say"),
    /^node Other, parameters\.path: POST \/webhook\/orders is taken by node Hook/
  ),
  broken(
    "a cron expression with four fields",
    draft([every({ field: "cronExpression", expression: "0 9 * *" }), says("x")], "Every > Say"),
    /^node Every, parameters\.rule\.interval\[0\]\.expression: "0 9 \* \*" is no cron expression.*five fields/
  ),
  broken(
    "a cron expression in words",
    draft([every({ field: "cronExpression", expression: "every day at 9" }), says("x")], "Every > Say"),
    /^node Every, .*is no cron expression/
  ),
  broken(
    "a cron expression out of range",
    draft([every({ field: "cronExpression", expression: "0 25 * * *" }), says("x")], "Every > Say"),
    /^node Every, .*is no cron expression/
  ),
  broken(
    "an hour that no clock shows",
    draft([every({ field: "days", daysInterval: 1, triggerAtHour: 24 }), says("x")], "Every > Say"),
    /^node Every, .*triggerAtHour: .*24/
  ),
  broken(
    "a schedule without a rule",
    draft([every(), says("x")], "Every > Say"),
    /^node Every, parameters\.rule\.interval: has no rule/
  ),
  broken(
    "a schedule in a unit that there is not",
    draft([every({ field: "day", daysInterval: 1 }), says("x")], "Every > Say"),
    /^node Every, parameters\.rule\.interval\[0\]\.field: "day" is none of its options\. Did you mean days/
  ),
  // The node itself
  broken(
    "a way of going on that there is not",
    behind(call({}, { onError: "continue" })),
    /^node Call, onError: "continue".*continueRegularOutput/
  ),
  broken(
    "a sub-workflow that is not named",
    behind(node("executeWorkflow", "Sub", { source: "database", workflowId: thing(""), options: {} })),
    /^node Sub, parameters\.workflowId: is required and empty/
  )
]
