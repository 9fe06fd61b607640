import type { Described } from "./base.ts"
import { boolean, choice, list, locator, number, options, required, text, when } from "./forms.ts"

const model = { type: "ai_languageModel", displayName: "Chat Model", required: true, maxConnections: 1 }
const openAi = [{ name: "openAiApi", required: true }]

/** The node types of the package for language models that this engine knows, in our own words. */
export const language: Readonly<Record<string, Described>> = {
  agent: {
    title: "AI Agent",
    what: "Generates an action plan and executes it. Can use external tools.",
    versions: [1.7, 1.8, 1.9],
    later: [2, 2.1, 2.2, 3, 3.1],
    inputs: [
      "main",
      model,
      { type: "ai_memory", maxConnections: 1 },
      { type: "ai_tool" },
      { type: "ai_outputParser", maxConnections: 1 }
    ],
    properties: [
      choice("promptType", ["auto", "guardrails", "define"]),
      text("text", { ...required, ...when({ promptType: ["define"] }) }),
      boolean("hasOutputParser"),
      boolean("needsFallback"),
      options(text("systemMessage"), number("maxIterations"), boolean("returnIntermediateSteps"))
    ]
  },
  chainLlm: {
    title: "Basic LLM Chain",
    what: "A simple chain to prompt a large language model",
    versions: [1.4, 1.5, 1.6],
    later: [1.7, 1.8, 1.9],
    inputs: ["main", model, { type: "ai_outputParser", maxConnections: 1 }],
    properties: [
      choice("promptType", ["auto", "define"]),
      text("text", { ...required, ...when({ promptType: ["define"] }) }),
      boolean("hasOutputParser"),
      list("messages", "messageValues", [
        choice("type", ["SystemMessagePromptTemplate", "AIMessagePromptTemplate", "HumanMessagePromptTemplate"]),
        text("message")
      ])
    ]
  },
  lmChatOpenAi: {
    title: "OpenAI Chat Model",
    what: "For advanced usage with an AI chain",
    versions: [1, 1.1, 1.2],
    later: [1.3],
    inputs: [],
    outputs: ["ai_languageModel"],
    credentials: openAi,
    properties: [
      locator("model", ["list", "id"], required),
      options(
        number("temperature"),
        number("maxTokens"),
        number("topP"),
        number("timeout"),
        number("maxRetries"),
        text("baseURL"),
        choice("responseFormat", ["text", "json_object"])
      )
    ]
  },
  memoryBufferWindow: {
    title: "Simple Memory",
    what: "Stores in memory, so no credentials required",
    versions: [1, 1.1, 1.2, 1.3],
    inputs: [],
    outputs: ["ai_memory"],
    properties: [
      choice("sessionIdType", ["fromInput", "customKey"]),
      text("sessionKey"),
      number("contextWindowLength", { default: 5 })
    ]
  },
  toolCalculator: {
    title: "Calculator",
    what: "Make it easier for AI agents to perform arithmetic",
    versions: [1],
    inputs: [],
    outputs: ["ai_tool"]
  }
}
