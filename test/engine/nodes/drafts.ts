/** Short and whole forms of workflows with which check_workflow is compared to real engines. */
export type Json = Readonly<Record<string, unknown>>

export interface Draft {
  readonly nodes: ReadonlyArray<Json>
  readonly connections: unknown
}

const newest: Readonly<Record<string, number>> = {
  httpRequest: 4.2,
  set: 3.4,
  if: 2.2,
  switch: 3.2,
  filter: 2.2,
  code: 2,
  merge: 3,
  slack: 2.3,
  googleSheets: 4.5,
  postgres: 2.5,
  webhook: 2,
  respondToWebhook: 1.1,
  scheduleTrigger: 1.2,
  splitInBatches: 3,
  wait: 1.1,
  executeWorkflow: 1.2,
  executeWorkflowTrigger: 1.1,
  gmail: 2.1,
  telegram: 1.2,
  telegramTrigger: 1.1,
  airtable: 2.1,
  notion: 2.2,
  formTrigger: 2.2,
  emailSend: 2.1,
  dateTime: 2,
  removeDuplicates: 2,
  microsoftOutlook: 2,
  googleDrive: 3,
  html: 1.2,
  agent: 1.8,
  chainLlm: 1.5,
  lmChatOpenAi: 1.2,
  memoryBufferWindow: 1.3,
  toolHttpRequest: 1.1,
  toolWorkflow: 2,
  outputParserStructured: 1.2,
  chatTrigger: 1.1,
  informationExtractor: 1,
  textClassifier: 1,
  gmailTool: 2.1,
  httpRequestTool: 4.2
}

/** A node of the kind, in a version that both engines have. */
export const node = (kind: string, name: string, parameters: Json = {}, more: Json = {}): Json => ({
  name,
  type: kind.includes(".") ? kind : `n8n-nodes-base.${kind}`,
  typeVersion: newest[kind.slice(kind.lastIndexOf(".") + 1)] ?? 1,
  position: [0, 0],
  parameters,
  ...more
})

export const ai = (kind: string, name: string, parameters: Json = {}, more: Json = {}): Json =>
  node(`@n8n/n8n-nodes-langchain.${kind}`, name, parameters, more)

/** A credential of this type. */
export const key = (type: string): Json => ({ credentials: { [type]: { id: "c1", name: "Key" } } })

/** A thing as resource locators name it. */
export const thing = (value: string, mode = "id"): Json => ({ __rl: true, mode, value })

type Target = { readonly node: string; readonly type: string; readonly index: number }

/**
 * Connections from lines such as `A > B > C`, `A:1 > B`, `A > Join:1` and `Model > Agent ai_languageModel`. Names hold no
 * colons and no arrows.
 */
export const wired = (...lines: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
  const all: Record<string, Record<string, Array<Array<Target>>>> = {}
  for (const line of lines) {
    const [, chain = "", type = "main"] = /^(.*?)(?: (ai_\w+))?$/.exec(line) ?? []
    const ends = chain.split(" > ").map((end) => {
      const [, name = "", index = "0"] = /^(.*?)(?::(\d+))?$/.exec(end) ?? []
      return { name, index: Number(index) }
    })
    ends.slice(1).forEach((target, place) => {
      const source = ends[place]
      if (source === undefined) return
      const isFirst = place === 0
      const output = isFirst ? source.index : 0
      const outputs = ((all[source.name] ??= {})[type] ??= [])
      while (outputs.length <= output) outputs.push([])
      outputs[output]?.push({ node: target.name, type, index: target.index })
    })
  }
  return all
}

export const draft = (nodes: ReadonlyArray<Json>, ...lines: ReadonlyArray<string>): Draft => ({
  nodes,
  connections: wired(...lines)
})

export const start = node("manualTrigger", "Start")

/** Nodes in a row behind a manual trigger. */
export const behind = (...nodes: ReadonlyArray<Json>): Draft =>
  draft([start, ...nodes], ["Start", ...nodes.map(({ name }) => String(name))].join(" > "))

/** One assignment. */
export const says = (value: unknown, name = "Say", more: Json = {}): Json =>
  node("set", name, {
    assignments: { assignments: [{ id: "a", name: "a", type: "string", value, ...more }] },
    options: {}
  })

/** One condition, as If and Filter have it. */
export const when = (condition: Json, more: Json = {}): Json => ({
  conditions: {
    options: { caseSensitive: true, leftValue: "", typeValidation: "strict", version: 2 },
    conditions: [
      {
        id: "c",
        leftValue: "={{ $json.a }}",
        rightValue: "x",
        operator: { type: "string", operation: "equals" },
        ...condition
      }
    ],
    combinator: "and",
    ...more
  },
  options: {}
})

export const call = (parameters: Json = {}, more: Json = {}, name = "Call"): Json =>
  node("httpRequest", name, { url: "https://example.com", options: {}, ...parameters }, more)

export const model = (name = "Model"): Json =>
  ai("lmChatOpenAi", name, { model: thing("gpt-4o-mini", "list"), options: {} }, key("openAiApi"))

export const agent = (parameters: Json = {}): Json =>
  ai("agent", "Agent", { promptType: "define", text: "={{ $json.text }}", options: {}, ...parameters })

export const post = (parameters: Json = {}, more: Json = key("slackApi")): Json =>
  node(
    "slack",
    "Post",
    { select: "channel", channelId: thing("C123"), text: "Hello", otherOptions: {}, ...parameters },
    { webhookId: "w-slack", ...more }
  )
