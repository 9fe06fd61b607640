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

type Sound = readonly [title: string, draft: Draft]

const hook = (parameters = {}, more = {}) =>
  node(
    "webhook",
    "Hook",
    { path: "orders", httpMethod: "POST", options: {}, ...parameters },
    { webhookId: "w1", ...more }
  )
const respond = (parameters = {}, name = "Respond", more = {}) =>
  node("respondToWebhook", name, { options: {}, ...parameters }, more)
const every = (...interval: ReadonlyArray<unknown>) => node("scheduleTrigger", "Every", { rule: { interval } })
const code = (jsCode: string, more = {}, name = "Code") => node("code", name, { jsCode, ...more })
const memory = ai("memoryBufferWindow", "Memory", {
  sessionIdType: "customKey",
  sessionKey: "={{ $json.chat }}",
  contextWindowLength: 10
})
const chat = ai("chatTrigger", "Chat", { options: {} }, { webhookId: "c1" })
const embeddings = (name: string) => ai("embeddingsOpenAi", name, { options: {} }, key("openAiApi"))
const sheet = (name: string, parameters: object) =>
  node(
    "googleSheets",
    name,
    { documentId: thing("1abc"), sheetName: thing("gid=0", "list"), options: {}, ...parameters },
    key("googleSheetsOAuth2Api")
  )

/** Workflows as people have them, with nothing wrong: what engines run, nobody is to be alarmed about. */
export const soundDrafts: ReadonlyArray<Sound> = [
  [
    "a webhook that answers by two branches",
    draft(
      [
        hook({ responseMode: "responseNode" }),
        says("={{ $json.body.n * 2 }}", "Double"),
        node(
          "if",
          "Large",
          when({ leftValue: "={{ $json.a }}", rightValue: 10, operator: { type: "number", operation: "gt" } })
        ),
        respond({ respondWith: "json", responseBody: '={{ { "large": true } }}' }, "Yes"),
        respond({ respondWith: "text", responseBody: "small" }, "No")
      ],
      "Hook > Double > Large > Yes",
      "Large:1 > No"
    )
  ],
  [
    "a schedule that fetches, filters and posts",
    draft(
      [
        every({ field: "cronExpression", expression: "0 9 * * 1-5" }),
        call(),
        node("filter", "Open", when({ leftValue: "={{ $json.state }}", rightValue: "open" })),
        post({ text: "={{ $json.title }}" })
      ],
      "Every > Call > Open > Post"
    )
  ],
  [
    "schedules of all units",
    draft(
      [
        every(
          {},
          { field: "hours", hoursInterval: 2, triggerAtMinute: 15 },
          { field: "weeks", weeksInterval: 1, triggerAtDay: [1, 3, 5], triggerAtHour: 9 },
          { field: "minutes", minutesInterval: 10 },
          { field: "months", triggerAtDayOfMonth: 28 },
          { field: "cronExpression", expression: "*/30 * * * * *" }
        ),
        says("x")
      ],
      "Every > Say"
    )
  ],
  [
    "a request with everything",
    behind(
      call(
        {
          method: "POST",
          authentication: "genericCredentialType",
          genericAuthType: "httpHeaderAuth",
          sendQuery: true,
          queryParameters: { parameters: [{ name: "q", value: "={{ $json.q }}" }] },
          sendHeaders: true,
          headerParameters: { parameters: [{ name: "X-A", value: "1" }] },
          sendBody: true,
          specifyBody: "json",
          jsonBody: "={{ JSON.stringify({ a: $json.a }) }}",
          options: {
            timeout: 5000,
            response: { response: { fullResponse: true, neverError: true } },
            batching: { batch: { batchSize: 5 } },
            redirect: { redirect: { maxRedirects: 3 } }
          }
        },
        key("httpHeaderAuth")
      )
    )
  ],
  [
    "a request with JSON and expressions inside",
    behind(
      call({
        method: "POST",
        sendBody: true,
        specifyBody: "json",
        jsonBody: '={\n  "name": "{{ $json.name }}",\n  "n": {{ $json.n }}\n}'
      })
    )
  ],
  [
    "a request with JSON as it stands",
    behind(call({ method: "PUT", sendBody: true, specifyBody: "json", jsonBody: '{"a": [1, {"b": null}]}' }))
  ],
  [
    "a request with a form",
    behind(
      call({
        method: "POST",
        sendBody: true,
        contentType: "form-urlencoded",
        bodyParameters: { parameters: [{ name: "a", value: "b" }] }
      })
    )
  ],
  [
    "a request with a file",
    behind(
      call({
        method: "POST",
        sendBody: true,
        contentType: "multipart-form-data",
        bodyParameters: { parameters: [{ parameterType: "formBinaryData", name: "file", inputDataFieldName: "data" }] }
      })
    )
  ],
  [
    "a request with a service's own credential",
    behind(call({ authentication: "predefinedCredentialType", nodeCredentialType: "slackApi" }, key("slackApi")))
  ],
  [
    "a request over pages",
    behind(
      call({
        options: {
          pagination: {
            pagination: {
              parameters: { parameters: [{ name: "page", value: "={{ $pageCount + 1 }}" }] },
              paginationCompleteWhen: "other",
              completeExpression: "={{ $response.body.length === 0 }}",
              limitPagesFetched: true,
              maxRequests: 5
            }
          }
        }
      })
    )
  ],
  [
    "an output for errors",
    draft(
      [
        start,
        call({}, { onError: "continueErrorOutput", retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 }),
        says("fine", "Fine"),
        says("={{ $json.error }}", "Failed")
      ],
      "Start > Call > Fine",
      "Call:1 > Failed"
    )
  ],
  [
    "a loop over items",
    draft(
      [start, node("splitInBatches", "Loop", { batchSize: 10, options: {} }), call(), says("done", "Done")],
      "Start > Loop > Done",
      "Loop:1 > Call > Loop"
    )
  ],
  [
    "a loop over items with a wait",
    draft(
      [
        start,
        node("splitInBatches", "Loop", { options: {} }),
        call(),
        node("wait", "Wait", { amount: 2 }, { webhookId: "w" })
      ],
      "Start > Loop",
      "Loop:1 > Call > Wait > Loop"
    )
  ],
  [
    "a loop that an If ends",
    draft(
      [
        start,
        call(),
        node("if", "Ready", when({})),
        node("wait", "Wait", { amount: 5, unit: "seconds" }, { webhookId: "w" }),
        says("x")
      ],
      "Start > Call > Ready > Say",
      "Ready:1 > Wait > Call"
    )
  ],
  [
    "two branches that are joined",
    draft(
      [
        start,
        says("a", "A"),
        says("b", "B"),
        node("merge", "Join", { mode: "combine", combineBy: "combineByPosition", options: {} })
      ],
      "Start > A > Join",
      "Start > B > Join:1"
    )
  ],
  [
    "three branches that are joined",
    draft(
      [start, says("a", "A"), says("b", "B"), says("c", "C"), node("merge", "Join", { numberInputs: 3 })],
      "Start > A > Join",
      "Start > B > Join:1",
      "Start > C > Join:2"
    )
  ],
  [
    "branches joined by a field",
    draft(
      [
        start,
        says("a", "A"),
        says("b", "B"),
        node("merge", "Join", { mode: "combine", fieldsToMatchString: "a", options: {} })
      ],
      "Start > A > Join",
      "Start > B > Join:1"
    )
  ],
  [
    "branches joined by SQL",
    draft(
      [
        start,
        says("a", "A"),
        says("b", "B"),
        node("merge", "Join", {
          mode: "combineBySql",
          query: "SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id"
        })
      ],
      "Start > A > Join",
      "Start > B > Join:1"
    )
  ],
  [
    "a switch with rules and a fallback",
    draft(
      [
        start,
        node("switch", "Route", {
          rules: {
            values: [
              { conditions: when({}).conditions, renameOutput: true, outputKey: "x" },
              {
                conditions: when({ operator: { type: "string", operation: "notEmpty", singleValue: true } }).conditions
              }
            ]
          },
          options: { fallbackOutput: "extra" }
        }),
        says("0", "Zero"),
        says("1", "One"),
        says("2", "Two")
      ],
      "Start > Route > Zero",
      "Route:1 > One",
      "Route:2 > Two"
    )
  ],
  [
    "a switch by an expression",
    draft(
      [
        start,
        node("switch", "Route", { mode: "expression", numberOutputs: 3, output: "={{ $json.n % 3 }}" }),
        says("2", "Two")
      ],
      "Start > Route",
      "Route:2 > Two"
    )
  ],
  [
    "conditions of every type",
    behind(
      node("if", "Check", {
        conditions: {
          options: { caseSensitive: true, leftValue: "", typeValidation: "loose", version: 2 },
          combinator: "or",
          conditions: [
            {
              id: "1",
              leftValue: "={{ $json.a }}",
              rightValue: "",
              operator: { type: "string", operation: "exists", singleValue: true }
            },
            { id: "2", leftValue: "={{ $json.b }}", rightValue: 3, operator: { type: "number", operation: "gte" } },
            {
              id: "3",
              leftValue: "={{ $json.c }}",
              rightValue: "={{ $now }}",
              operator: { type: "dateTime", operation: "after" }
            },
            {
              id: "4",
              leftValue: "={{ $json.d }}",
              rightValue: "",
              operator: { type: "boolean", operation: "true", singleValue: true }
            },
            {
              id: "5",
              leftValue: "={{ $json.e }}",
              rightValue: "x",
              operator: { type: "array", operation: "contains", rightType: "any" }
            },
            {
              id: "6",
              leftValue: "={{ $json.f }}",
              rightValue: "",
              operator: { type: "object", operation: "empty", singleValue: true }
            }
          ]
        },
        looseTypeValidation: true,
        options: {}
      })
    )
  ],
  [
    "an older If",
    behind(
      node(
        "if",
        "Check",
        {
          conditions: {
            string: [{ value1: "={{ $json.a }}", operation: "equal", value2: "x" }],
            boolean: [{ value1: "={{ $json.b }}", value2: true }]
          }
        },
        { typeVersion: 1 }
      )
    )
  ],
  [
    "an older Set",
    behind(
      node(
        "set",
        "Set",
        { values: { string: [{ name: "a", value: "b" }], number: [{ name: "n", value: 1 }] }, options: {} },
        { typeVersion: 1 }
      )
    )
  ],
  [
    "assignments of every type",
    behind(
      node("set", "Set", {
        assignments: {
          assignments: [
            { id: "1", name: "text", type: "string", value: "={{ $json.a }}" },
            { id: "2", name: "n", type: "number", value: 5 },
            { id: "3", name: "m", type: "number", value: "7" },
            { id: "4", name: "b", type: "boolean", value: true },
            { id: "5", name: "list", type: "array", value: '={{ ["a"] }}' },
            { id: "6", name: "o.p", type: "object", value: '{"a": 1}' }
          ]
        },
        includeOtherFields: true,
        options: {}
      })
    )
  ],
  [
    "a Set in JSON",
    behind(
      node("set", "Set", { mode: "raw", jsonOutput: '={{ { "a": $json.b } }}', options: {} }),
      node("set", "Again", { mode: "raw", jsonOutput: '{ "a": "b" }', options: {} })
    )
  ],
  [
    "code for all items and for each",
    behind(
      code("const rows = $input.all();\nreturn rows.map((row) => ({ json: { ...row.json, seen: true } }));"),
      code("$json.n = $json.n * 2;\nreturn $json;", { mode: "runOnceForEachItem" }, "Each")
    )
  ],
  [
    "code that asks other nodes",
    behind(
      says("x", "First"),
      code(
        "const a = $('First').first().json.a;\nif (!a) throw new Error('nothing');\nreturn [{ json: { a, at: $now.toISO(), run: $execution.id } }];"
      )
    )
  ],
  [
    "code that waits for answers",
    behind(
      code(
        "const reply = await this.helpers.httpRequest({ url: 'https://example.com' });\nconst state = $getWorkflowStaticData('global');\nstate.n = (state.n ?? 0) + 1;\nreturn [{ json: reply }];"
      )
    )
  ],
  [
    "expressions of many kinds",
    behind(
      says(
        "={{ $json['a b']?.c ?? 'none' }} and {{ $now.minus({ days: 1 }).toFormat('yyyy-MM-dd') }} {{ $json.list.map(x => x.n).join(', ') }} {{ $if($json.a > 1, 'x', 'y') }} {{ $workflow.name }}{{ $execution.id }}"
      ),
      says(
        "={{ $input.first().json.a }}{{ $('Say').all().length }}{{ $itemIndex }}{{ $env.HOME }}{{ $vars.x }}{{ $jmespath($json, 'a[0]') }}",
        "More"
      )
    )
  ],
  [
    "text with braces of other languages",
    behind(says("Hello {{name}}, {{#if x}}y{{/if}} ${a} {b}"), node("html", "Page", { html: "<b>{{ $json.a }}</b>" }))
  ],
  [
    "queries with expressions",
    behind(
      node(
        "postgres",
        "Ask",
        {
          operation: "executeQuery",
          query: "SELECT * FROM t WHERE id = $1 AND n = {{ $json.n }}",
          options: { queryReplacement: "={{ $json.id }}" }
        },
        key("postgres")
      )
    )
  ],
  [
    "rows that are added and changed",
    behind(
      node(
        "postgres",
        "Add",
        {
          schema: thing("public", "list"),
          table: thing("t", "list"),
          columns: { mappingMode: "autoMapInputData", value: {}, matchingColumns: ["id"], schema: [] },
          options: {}
        },
        key("postgres")
      ),
      node(
        "postgres",
        "Change",
        {
          operation: "update",
          schema: thing("public", "list"),
          table: thing("t", "name"),
          columns: {
            mappingMode: "defineBelow",
            value: { id: "={{ $json.id }}", a: "x" },
            matchingColumns: ["id"],
            schema: []
          },
          options: {}
        },
        key("postgres")
      )
    )
  ],
  [
    "a sheet that is read and written",
    behind(
      sheet("Read", {}),
      sheet("Append", {
        operation: "append",
        columns: { mappingMode: "defineBelow", value: { a: "={{ $json.a }}" }, matchingColumns: [], schema: [] }
      }),
      sheet("Update", {
        operation: "appendOrUpdate",
        columns: { mappingMode: "autoMapInputData", value: {}, matchingColumns: ["id"], schema: [] }
      })
    )
  ],
  [
    "a message to a person",
    behind(
      post({
        select: "user",
        user: thing("@ann", "username"),
        channelId: undefined,
        otherOptions: { includeLinkToWorkflow: false }
      })
    )
  ],
  [
    "a message in blocks",
    behind(post({ messageType: "block", blocksUi: "={{ JSON.stringify({ blocks: [] }) }}", text: "x" }))
  ],
  [
    "mails of two services",
    behind(
      node(
        "gmail",
        "Send",
        { sendTo: "a@b.c", subject: "Hi", message: "={{ $json.text }}", options: {} },
        { webhookId: "g", ...key("gmailOAuth2") }
      ),
      node(
        "emailSend",
        "Mail",
        { fromEmail: "a@b.c", toEmail: "d@e.f", subject: "x", html: "<p>{{ x }}</p>", options: {} },
        { webhookId: "m", ...key("smtp") }
      )
    )
  ],
  [
    "a bot that answers",
    draft(
      [
        node(
          "telegramTrigger",
          "Listen",
          { updates: ["message"], additionalFields: {} },
          { webhookId: "t", ...key("telegramApi") }
        ),
        node(
          "telegram",
          "Answer",
          { chatId: "={{ $json.message.chat.id }}", text: "Hi", additionalFields: { appendAttribution: false } },
          { webhookId: "a", ...key("telegramApi") }
        )
      ],
      "Listen > Answer"
    )
  ],
  [
    "a form that thanks",
    draft(
      [
        node(
          "formTrigger",
          "Form",
          {
            formTitle: "Order",
            formFields: {
              values: [
                { fieldLabel: "Name", requiredField: true },
                {
                  fieldLabel: "Size",
                  fieldType: "dropdown",
                  fieldOptions: { values: [{ option: "S" }, { option: "L" }] }
                }
              ]
            },
            options: {}
          },
          { webhookId: "f" }
        ),
        node("form", "Thanks", { operation: "completion", completionTitle: "Thanks", options: {} }, { webhookId: "t" })
      ],
      "Form > Thanks"
    )
  ],
  ["a webhook that answers at once", draft([hook({ responseMode: "onReceived" }), says("x")], "Hook > Say")],
  [
    "a webhook with variables, for two methods",
    draft(
      [
        hook({ multipleMethods: true, httpMethod: ["GET", "POST"], path: "orders/:id" }),
        says("={{ $json.params.id }}", "Read"),
        says("={{ $json.body }}", "Write")
      ],
      "Hook > Read",
      "Hook:1 > Write"
    )
  ],
  [
    "a webhook that wants a key",
    draft([hook({ authentication: "headerAuth" }, key("httpHeaderAuth")), says("x")], "Hook > Say")
  ],
  [
    "two webhooks of one path and two methods",
    draft(
      [
        hook({ httpMethod: "GET" }),
        node("webhook", "Other", { path: "orders", httpMethod: "POST", options: {} }, { webhookId: "w2" }),
        says("x")
      ],
      "Hook > Say",
      "Other > Say"
    )
  ],
  [
    "a wait for a person",
    behind(
      node("wait", "Wait", { resume: "webhook", options: {} }, { webhookId: "w" }),
      says("={{ $execution.resumeUrl }}")
    )
  ],
  [
    "a sub-workflow that takes anything",
    draft([node("executeWorkflowTrigger", "Called", { inputSource: "passthrough" }), says("x")], "Called > Say")
  ],
  [
    "a sub-workflow that takes fields",
    draft(
      [
        node("executeWorkflowTrigger", "Called", {
          workflowInputs: { values: [{ name: "a" }, { name: "n", type: "number" }] }
        }),
        says("={{ $json.a }}")
      ],
      "Called > Say"
    )
  ],
  [
    "a workflow that runs another",
    behind(
      node("executeWorkflow", "Sub", {
        workflowId: thing("abc", "list"),
        workflowInputs: { mappingMode: "defineBelow", value: {}, matchingColumns: [], schema: [] },
        options: { waitForSubWorkflow: true }
      })
    )
  ],
  [
    "a workflow that runs another by an expression",
    behind(node("executeWorkflow", "Sub", { workflowId: thing("={{ $json.id }}"), mode: "each", options: {} }))
  ],
  [
    "what happens when others fail",
    draft(
      [
        node("errorTrigger", "Failed"),
        post({ text: "={{ $json.workflow.name }}: {{ $json.execution.error.message }}" })
      ],
      "Failed > Post"
    )
  ],
  [
    "an agent with a model, memory and tools",
    draft(
      [
        chat,
        agent({ promptType: "auto", text: undefined, options: { systemMessage: "=Today is {{ $today }}." } }),
        model(),
        { ...memory, parameters: {} },
        node(
          "gmailTool",
          "Mail",
          {
            sendTo: "={{ $fromAI('to', 'who', 'string') }}",
            subject: "={{ $fromAI('subject') }}",
            message: "={{ $fromAI('text', `what's in it`) }}",
            options: {}
          },
          { webhookId: "g", ...key("gmailOAuth2") }
        ),
        ai("toolCalculator", "Sums")
      ],
      "Chat > Agent",
      "Model > Agent ai_languageModel",
      "Memory > Agent ai_memory",
      "Mail > Agent ai_tool",
      "Sums > Agent ai_tool"
    )
  ],
  [
    "an agent that answers in a form",
    draft(
      [
        start,
        agent({ hasOutputParser: true }),
        model(),
        ai("outputParserStructured", "Parser", { jsonSchemaExample: '{ "a": "b" }' })
      ],
      "Start > Agent",
      "Model > Agent ai_languageModel",
      "Parser > Agent ai_outputParser"
    )
  ],
  [
    "a tool that asks a service",
    draft(
      [
        start,
        agent(),
        model(),
        ai("toolHttpRequest", "Weather", {
          toolDescription: "Tells the weather",
          url: "https://example.com/{city}",
          placeholderDefinitions: { values: [{ name: "city", description: "Which" }] }
        })
      ],
      "Start > Agent",
      "Model > Agent ai_languageModel",
      "Weather > Agent ai_tool"
    )
  ],
  [
    "a tool that runs a workflow",
    draft(
      [
        start,
        agent(),
        model(),
        ai("toolWorkflow", "Orders", {
          description: "Finds orders",
          workflowId: thing("abc", "list"),
          workflowInputs: {
            mappingMode: "defineBelow",
            value: { q: "={{ $fromAI('q') }}" },
            matchingColumns: [],
            schema: []
          }
        })
      ],
      "Start > Agent",
      "Model > Agent ai_languageModel",
      "Orders > Agent ai_tool"
    )
  ],
  [
    "a chain of a prompt",
    draft(
      [
        start,
        ai("chainLlm", "Chain", {
          promptType: "define",
          text: "=Sum up: {{ $json.text }}",
          messages: { messageValues: [{ message: "You are short." }] }
        }),
        model()
      ],
      "Start > Chain",
      "Model > Chain ai_languageModel"
    )
  ],
  [
    "a classifier with two ways",
    draft(
      [
        start,
        ai("textClassifier", "Sort", {
          inputText: "={{ $json.text }}",
          categories: {
            categories: [
              { category: "A", description: "a" },
              { category: "B", description: "b" }
            ]
          },
          options: { fallback: "other" }
        }),
        model(),
        says("a", "A"),
        says("b", "B"),
        says("c", "C")
      ],
      "Start > Sort > A",
      "Sort:1 > B",
      "Sort:2 > C",
      "Model > Sort ai_languageModel"
    )
  ],
  [
    "fields from a text",
    draft(
      [
        start,
        ai("informationExtractor", "Extract", {
          text: "={{ $json.text }}",
          attributes: { attributes: [{ name: "name", description: "Who", required: true }] },
          options: {}
        }),
        model()
      ],
      "Start > Extract",
      "Model > Extract ai_languageModel"
    )
  ],
  [
    "documents that are learnt and asked",
    draft(
      [
        start,
        ai("vectorStoreInMemory", "Learn", { mode: "insert", memoryKey: "docs" }),
        ai("documentDefaultDataLoader", "Load", { options: {} }),
        ai("textSplitterRecursiveCharacterTextSplitter", "Split", { options: {} }),
        embeddings("Embed"),
        chat,
        ai("chainRetrievalQa", "Ask", { options: {} }, { typeVersion: 1.4 }),
        ai("retrieverVectorStore", "Find"),
        ai("vectorStoreInMemory", "Store", { memoryKey: "docs" }),
        embeddings("Embed again"),
        model()
      ],
      "Start > Learn",
      "Load > Learn ai_document",
      "Split > Load ai_textSplitter",
      "Embed > Learn ai_embedding",
      "Chat > Ask",
      "Model > Ask ai_languageModel",
      "Find > Ask ai_retriever",
      "Store > Find ai_vectorStore",
      "Embed again > Store ai_embedding"
    )
  ],
  [
    "a store as a tool",
    draft(
      [
        chat,
        agent({ promptType: "auto", text: undefined }),
        model(),
        ai("vectorStoreInMemory", "Store", {
          mode: "retrieve-as-tool",
          toolName: "docs",
          toolDescription: "Finds documents",
          memoryKey: "docs"
        }),
        embeddings("Embed")
      ],
      "Chat > Agent",
      "Model > Agent ai_languageModel",
      "Store > Agent ai_tool",
      "Embed > Store ai_embedding"
    )
  ],
  [
    "files that are read and written",
    behind(
      node("readWriteFile", "Read", { fileSelector: "/tmp/a.csv", options: {} }),
      node("extractFromFile", "Parse", { options: {} }),
      node("convertToFile", "Make", { operation: "toJson", options: {} }),
      node("compression", "Zip", { operation: "compress", outputFormat: "zip", fileName: "a.zip" })
    )
  ],
  [
    "a folder that is watched",
    draft(
      [
        node(
          "googleDriveTrigger",
          "Watch",
          {
            event: "fileCreated",
            triggerOn: "specificFolder",
            folderToWatch: thing("1abc", "list"),
            pollTimes: { item: [{ mode: "everyMinute" }] },
            options: {}
          },
          key("googleDriveOAuth2Api")
        ),
        node(
          "googleDrive",
          "Download",
          { operation: "download", fileId: thing("={{ $json.id }}"), options: {} },
          key("googleDriveOAuth2Api")
        )
      ],
      "Watch > Download"
    )
  ],
  [
    "a mailbox that is watched",
    draft(
      [
        node(
          "gmailTrigger",
          "Mail in",
          { pollTimes: { item: [{ mode: "everyX", value: 15, unit: "minutes" }] }, filters: {} },
          key("gmailOAuth2")
        ),
        says("={{ $json.Subject }}")
      ],
      "Mail in > Say"
    )
  ],
  [
    "feeds and pages",
    behind(
      node("rssFeedRead", "Feed", { url: "https://example.com/rss", options: {} }),
      node("html", "Extract", {
        operation: "extractHtmlContent",
        extractionValues: { values: [{ key: "title", cssSelector: "h1" }] },
        options: {}
      }),
      node("markdown", "Text", { html: "={{ $json.title }}", options: {} })
    )
  ],
  [
    "lists that are split, sorted and summed",
    behind(
      node("splitOut", "Split", { fieldToSplitOut: "items", options: {} }),
      node("sort", "Sort", { sortFieldsUi: { sortField: [{ fieldName: "n", order: "descending" }] }, options: {} }),
      node("limit", "Few", { maxItems: 3 }),
      node("aggregate", "All", { aggregate: "aggregateAllItemData", options: {} }),
      node("summarize", "Sum", { fieldsToSummarize: { values: [{ aggregation: "sum", field: "n" }] }, options: {} }),
      node("removeDuplicates", "Once", { options: {} })
    )
  ],
  [
    "dates and keys",
    behind(
      node("dateTime", "Then", { operation: "addToDate", magnitude: "={{ $now }}", duration: 2, options: {} }),
      node("crypto", "Hash", { type: "SHA256", value: "={{ $json.a }}" }),
      node("renameKeys", "Rename", { keys: { key: [{ currentKey: "a", newKey: "b" }] }, additionalOptions: {} }),
      node("xml", "Xml", { options: {} })
    )
  ],
  [
    "records of Airtable and Notion",
    behind(
      node(
        "airtable",
        "Find",
        {
          operation: "search",
          base: thing("app1", "list"),
          table: thing("tbl1", "list"),
          filterByFormula: "={Name} = '{{ $json.name }}'",
          options: {}
        },
        key("airtableTokenApi")
      ),
      node(
        "notion",
        "Page",
        {
          resource: "databasePage",
          databaseId: thing("d1", "list"),
          title: "={{ $json.name }}",
          propertiesUi: { propertyValues: [{ key: "Name|title", title: "x" }] },
          options: {}
        },
        key("notionApi")
      )
    )
  ],
  [
    "notes and disabled nodes",
    {
      nodes: [
        start,
        node("stickyNote", "Note", { content: "## Hi {{ $json.a }}", height: 200 }),
        call({ url: "" }, { disabled: true }),
        says("x")
      ],
      connections: draft([], "Start > Call > Say").connections
    }
  ],
  [
    "what is only made where it ran",
    draft(
      [
        start,
        node("if", "Check", when({})),
        call(),
        says("={{ $('Call').isExecuted ? $('Call').first().json.a : '' }}")
      ],
      "Start > Check > Call > Say",
      "Check:1 > Say"
    )
  ],
  [
    "two triggers of one flow",
    draft(
      [start, every({ field: "days", triggerAtHour: 6 }), says("={{ $('Start').isExecuted ? 'by hand' : 'by time' }}")],
      "Start > Say",
      "Every > Say"
    )
  ],
  [
    "names that hold quotes and umlauts",
    draft(
      [start, says("x", "Größe \"A\" 'b'"), says("={{ $('Größe \"A\" \\'b\\'').item.json.a }}", "After")],
      "Start > Größe \"A\" 'b' > After"
    )
  ],
  [
    "a stop that is gone past",
    behind(node("stopAndError", "Stop", { errorMessage: "no" }, { onError: "continueRegularOutput" }), says("x"))
  ],
  [
    "a stop with words",
    behind(node("if", "Check", when({})), node("stopAndError", "Stop", { errorMessage: "={{ $json.a }} is wrong" }))
  ],
  [
    "data that is compared",
    draft(
      [
        start,
        says("a", "A"),
        says("b", "B"),
        node(
          "compareDatasets",
          "Compare",
          { mergeByFields: { values: [{ field1: "id", field2: "id" }] }, options: {} },
          { typeVersion: 2.3 }
        ),
        says("new", "New")
      ],
      "Start > A > Compare",
      "Start > B > Compare:1",
      "Compare:3 > New"
    )
  ],
  [
    "nodes of packages beside the engine's own",
    behind(node("n8n-nodes-acme.rocket", "Fly", { any: "thing" }), node("CUSTOM.thing", "Own", {}))
  ]
]
