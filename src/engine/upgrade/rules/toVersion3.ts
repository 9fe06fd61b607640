import { textOf } from "../../../internal/schema/JsonObject.ts"
import { frozenFrom } from "../../workflow/releases.ts"
import { type Definition, type InNode, inNodes, node, ofTypes } from "./defining.ts"
import { inCode, written } from "./toVersion2.ts"

/** The version that ends what version 2 only warned of. */
const since = "3.0"

const removed = (type: string) => `The node type ${type.replace("lc.", "")} does not exist any more`

/** A node type that goes, of which the sample is one node. */
const goes = (
  type: string,
  {
    parameters = {},
    instead,
    ...rule
  }: Pick<Definition, "advice" | "frozen" | "rewrite" | "title"> & {
    readonly instead: string
    readonly parameters?: Readonly<Record<string, unknown>>
  }
): Definition => ({
  since,
  severity: "stops",
  ...rule,
  find: ofTypes([type], removed),
  sample: node(type, parameters),
  counterSample: node(instead)
})

const modesOfPast = ["conversationalAgent", "openAiFunctionsAgent", "planAndExecuteAgent", "reActAgent", "sqlAgent"]

/** The mode of an agent; the one that is left out has changed with the version. */
export const agentMode = (version: unknown, agent: unknown): string =>
  textOf(agent) || (Number(version) <= 1.5 ? "conversationalAgent" : "toolsAgent")

/** The agents below version 2 whose mode is one of the past, or is not. */
const agents = (isOfPast: boolean, finding: (mode: string) => Omit<InNode, "field">): Definition["find"] =>
  inNodes(["lc.agent"], (one, { agent }) => {
    const mode = agentMode(one.typeVersion ?? 1, agent)
    const isOlder = Number(one.typeVersion ?? 1) < 2
    return isOlder && modesOfPast.includes(mode) === isOfPast ? [{ field: "parameters.agent", ...finding(mode) }] : []
  })

export const code = {
  "U3-function": goes("function", {
    frozen: frozenFrom,
    title: "Function is gone",
    advice: "Use Code, once for all items: most code stays as it is.",
    rewrite: "proved possible",
    parameters: { functionCode: "return items" },
    instead: "code"
  }),
  "U3-functionItem": goes("functionItem", {
    frozen: frozenFrom,
    title: "Function Item is gone",
    advice:
      "Use Code, once for each item. There item is the whole item and not its JSON: the same text loses its changes.",
    rewrite: "proved possible",
    parameters: { functionCode: "return item" },
    instead: "code"
  }),
  "U3-aiTransform": {
    since,
    severity: "cosmetic",
    title: "AI Transform becomes Code",
    advice: "The engine makes it a Code node with the same code; without code it needs a hand.",
    rewrite: "proved possible",
    find: ofTypes(["aiTransform"], (type) => `The engine replaces the node type ${type} by Code`),
    sample: node("aiTransform", { jsCode: "return $input.all()" }),
    counterSample: node("code", { jsCode: "return $input.all()" })
  },
  "U3-lcCode": goes("lc.code", {
    title: "LangChain Code is gone",
    advice: "There is no successor: build the part from the nodes of the AI package.",
    rewrite: "none",
    instead: "code"
  }),
  "U3-paired": {
    since,
    severity: "stops",
    title: "$getPairedItem is gone",
    advice: "Write $('Node').item or $('Node').itemMatching(i) in its place.",
    rewrite: "none",
    find: inCode(
      ({ name }) => name === "$getPairedItem",
      (one) => `${written(one)} does not exist any more`
    ),
    sample: node("set", { value: "={{ $getPairedItem('A', $input.item.pairedItem).json.a }}" }),
    counterSample: node("set", { value: "=$getPairedItem {{ '$getPairedItem()' }}" })
  },
  "U3-itemLists": {
    since,
    severity: "stops",
    title: "Item Lists is gone",
    advice: "Use the node of its operation: Split Out, Aggregate, Limit, Remove Duplicates, Sort or Summarize.",
    rewrite: "proved possible",
    find: inNodes(["itemLists"], (_, { operation }) => [
      { field: "type", message: `${removed("itemLists")}; its operation is ${textOf(operation) || "splitOutItems"}` }
    ]),
    sample: node("itemLists", { operation: "limit", maxItems: 3 }),
    counterSample: node("limit", { maxItems: 3 })
  }
} satisfies Readonly<Record<string, Definition>>

export const triggers = {
  "U3-cron": goes("cron", {
    title: "Cron is gone",
    advice: "Use Schedule Trigger with the same times. It gives date and time where Cron gave nothing.",
    rewrite: "proved possible",
    parameters: { triggerTimes: { item: [{ mode: "everyDay" }] } },
    instead: "scheduleTrigger"
  }),
  "U3-interval": goes("interval", {
    title: "Interval is gone",
    advice:
      "Use Schedule Trigger. It counts from the clock and not from the activation, and knows no seconds or minutes above 59.",
    rewrite: "after review",
    parameters: { unit: "minutes", interval: 5 },
    instead: "scheduleTrigger"
  }),
  "U3-workflowTrigger": goes("workflowTrigger", {
    title: "Workflow Trigger is gone",
    advice: "Use the trigger of the engine with the same events, and look at their names.",
    rewrite: "after review",
    parameters: { events: ["update"] },
    instead: "manualTrigger"
  }),
  "U3-gmailTrigger": {
    since,
    severity: "changes results",
    title: "Older Gmail Triggers poll otherwise",
    advice: "After the upgrade, look at version 1.4 of the node: ten mails at a time, no drafts, no sent mails.",
    rewrite: "none",
    find: inNodes(["gmailTrigger"], ({ typeVersion }) =>
      Number(typeVersion ?? 1) < 1.4
        ? [{ field: "typeVersion", message: "It gives ten mails at a time, without drafts and mails that were sent" }]
        : []
    ),
    sample: node("gmailTrigger", {}, { typeVersion: 1.2 }),
    counterSample: node("gmailTrigger", {}, { typeVersion: 1.4 })
  },
  "U3-chatTrigger": {
    since,
    severity: "changes results",
    title: "An embedded chat answers in JSON frames",
    advice: "The page that embeds the chat has to read JSON frames: update its widget.",
    rewrite: "none",
    find: inNodes(["lc.chatTrigger"], (_, { mode }) =>
      mode === "webhook" ? [{ field: "parameters.mode", message: "Pages that embed the chat get JSON frames" }] : []
    ),
    sample: node("lc.chatTrigger", { mode: "webhook", public: true }),
    counterSample: node("lc.chatTrigger", { mode: "hostedChat", public: true })
  }
} satisfies Readonly<Record<string, Definition>>

export const files = {
  "U3-readBinaryFile": goes("readBinaryFile", {
    title: "Read Binary File is gone",
    advice:
      "Use Read/Write Files from Disk. It throws the JSON away, drops other files, and gives nothing where a file is missing.",
    rewrite: "after review",
    instead: "readWriteFile"
  }),
  "U3-readBinaryFiles": goes("readBinaryFiles", {
    title: "Read Binary Files is gone",
    advice: "Use Read/Write Files from Disk, which runs for each item unless executeOnce is set.",
    rewrite: "after review",
    instead: "readWriteFile"
  }),
  "U3-writeBinaryFile": goes("writeBinaryFile", {
    title: "Write Binary File is gone",
    advice: "Use Read/Write Files from Disk with the operation write; its parameters keep their names.",
    rewrite: "proved possible",
    instead: "readWriteFile"
  }),
  "U3-htmlExtract": goes("htmlExtract", {
    title: "HTML Extract is gone",
    advice: "Use HTML with the operation extractHtmlContent; its parameters keep their names.",
    rewrite: "proved possible",
    instead: "html"
  }),
  "U3-iCal": goes("iCal", {
    title: "iCalendar is gone",
    advice: "Use Convert to File with the operation iCal; its parameters keep their names.",
    rewrite: "proved possible",
    instead: "convertToFile"
  }),
  "U3-moveBinaryData": goes("moveBinaryData", {
    title: "Move Binary Data is gone",
    advice:
      "Write it as a Code node: most operations of Extract from File and Convert to File drop other fields and files.",
    rewrite: "after review",
    instead: "extractFromFile"
  }),
  "U3-readPDF": goes("readPDF", {
    title: "Read PDF is gone",
    advice: "Use Extract from File with the operation pdf, and compare its output.",
    rewrite: "after review",
    instead: "extractFromFile"
  }),
  "U3-compress": {
    since,
    severity: "cosmetic",
    title: "Archives that are unpacked have limits",
    advice: "Look at past files: up to 256 MiB and 1,000 entries are unpacked.",
    rewrite: "none",
    find: inNodes(["compression"], (_, { operation }) =>
      (operation ?? "decompress") === "decompress"
        ? [{ field: "parameters.operation", message: "Archives above 256 MiB or 1,000 entries are refused" }]
        : []
    ),
    sample: node("compression"),
    counterSample: node("compression", { operation: "compress" })
  }
} satisfies Readonly<Record<string, Definition>>

const store = (name: string): ReadonlyArray<readonly [string, string]> => [
  [`lc.vectorStore${name}Insert`, `vectorStore${name} with the mode insert`],
  [`lc.vectorStore${name}Load`, `vectorStore${name} with the mode load`]
]

/** The successors of older AI nodes. */
const successors: ReadonlyMap<string, string> = new Map([
  ["lc.documentBinaryInputLoader", "documentDefaultDataLoader"],
  ["lc.documentJsonInputLoader", "documentDefaultDataLoader"],
  ["lc.memoryChatRetriever", "memoryManager"],
  ...store("InMemory"),
  ...store("Pinecone"),
  ...store("Supabase"),
  ["lc.lmOpenAi", "lmChatOpenAi"],
  ["lc.openAiAssistant", "openAi of the AI package"],
  ["lc.toolHttpRequest", "httpRequestTool"],
  ["lc.manualChatTrigger", "chatTrigger"],
  ["lc.toolSerpApi", "a community package"]
])

export const ai = {
  "U3-agentMode": {
    since,
    severity: "stops",
    title: "Older modes of AI Agent are gone",
    advice: "Build it with the tools agent of version 2 or later; an SQL agent needs a database tool.",
    rewrite: "none",
    find: agents(true, (mode) => ({ message: `The mode ${mode} does not exist any more` })),
    sample: node("lc.agent", { agent: "sqlAgent" }, { typeVersion: 1.7 }),
    counterSample: node("lc.agent", {}, { typeVersion: 2 })
  },
  "U3-agentV1": {
    since,
    severity: "changes results",
    title: "Tools agents below version 2 become those of version 2",
    advice: "Use version 2 or later without the parameter agent, and compare which tools it calls.",
    rewrite: "after review",
    find: agents(false, () => ({ field: "typeVersion", message: "It runs as an agent of version 2" })),
    sample: node("lc.agent", {}, { typeVersion: 1.6 }),
    counterSample: node("lc.agent", {}, { typeVersion: 2.1 })
  },
  "U3-lcMoved": {
    since,
    severity: "stops",
    title: "Older AI nodes have moved into others",
    advice: "Use the node that is named, and compare its answers: another model answers otherwise.",
    rewrite: "none",
    find: ofTypes(
      [...successors.keys()],
      (type) => `${removed(type)}: ${successors.get(type) ?? "another one"} replaces it`
    ),
    sample: node("lc.lmOpenAi"),
    counterSample: node("lc.lmChatOpenAi")
  },
  "U3-gone": {
    since,
    severity: "stops",
    title: "AI nodes of services that have ended are gone",
    advice: "There is no successor: use another memory, vector store or loader.",
    rewrite: "none",
    find: ofTypes(
      [
        "lc.documentGithubLoader",
        "lc.memoryMotorhead",
        "lc.memoryZep",
        "lc.vectorStoreZep",
        "lc.vectorStoreZepInsert",
        "lc.vectorStoreZepLoad",
        "orbit"
      ],
      removed
    ),
    sample: node("lc.memoryZep"),
    counterSample: node("lc.memoryBufferWindow")
  }
} satisfies Readonly<Record<string, Definition>>
