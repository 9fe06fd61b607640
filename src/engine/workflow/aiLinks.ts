import { agentType, nodeType, toEngineType } from "./naming.ts"

/** What parts of AI nodes give to the node that they belong to, by how their types begin. */
const beginnings: ReadonlyArray<readonly [kind: RegExp, link: string]> = [
  [/^(?:lm[A-Z]|modelSelector$)/, "ai_languageModel"],
  [/^memory(?!Manager$|ChatRetriever$)/, "ai_memory"],
  [/^(?:tool(?!Executor$)|mcpClientTool$|agentTool$)/, "ai_tool"],
  [/^outputParser/, "ai_outputParser"],
  [/^embeddings/, "ai_embedding"],
  [/^textSplitter/, "ai_textSplitter"],
  [/^document/, "ai_document"],
  [/^retriever/, "ai_retriever"],
  [/^reranker/, "ai_reranker"]
]

/** The type of connection that begins at a node of this type, where it is no main one: `ai_tool`. */
export const aiLinkOf = (type: string): string | undefined => {
  const full = toEngineType(type)
  const [parts, base] = [agentType(""), nodeType("")]
  if (full.startsWith(base)) return /[a-z]Tool$/.test(full) ? "ai_tool" : undefined
  if (!full.startsWith(parts)) return undefined
  const kind = full.slice(parts.length)
  return beginnings.find(([beginning]) => beginning.test(kind))?.[1]
}
