export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The outcome of a run for a node or an arrow. */
export type Fate = "ran" | "failed" | "idle"

/** A node with its place, in words that are short enough for it. */
export interface SceneNode extends Box {
  readonly name: string
  readonly kind: string
  /** A summary of its work. */
  readonly words: string
  readonly look: Look
  /** A part serves another node, such as the model of an agent; what is missing is only connected. */
  readonly role: "trigger" | "step" | "part" | "missing"
  readonly isDisabled: boolean
  readonly isPinned: boolean
  readonly fate: Fate | undefined
  /** Its part in a run: items and time, or the error. */
  readonly runText: string
}

export interface SceneWire {
  readonly source: string
  readonly target: string
  readonly path: string
  readonly isPart: boolean
  readonly fate: Fate | undefined
}

/** Words at the beginning or end of an arrow. */
export interface SceneLabel {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly isPart: boolean
}

export interface SceneNote extends Box {
  readonly lines: ReadonlyArray<string>
  readonly colour: number
}

/** A workflow as it is drawn: everything has its place. */
export interface Scene extends Box {
  readonly name: string
  readonly nodes: ReadonlyArray<SceneNode>
  readonly wires: ReadonlyArray<SceneWire>
  readonly labels: ReadonlyArray<SceneLabel>
  readonly notes: ReadonlyArray<SceneNote>
}

/** The look of a kind of node: the colour of its group, and a sign drawn in a square of 24. */
interface Look {
  readonly group: "trigger" | "branch" | "code" | "data" | "ai" | "web" | "message" | "store" | "flow" | "other"
  readonly sign: string
}

const signs = {
  bolt: "M13 3 5 13.5h5.5L10 21l8.5-11H13z",
  hook: "M12 8.5a3.5 3.5 0 1 0-3 3.46L6.5 16M8.8 11.5 6 16.2M12 8.5l3.2 5.4M15 13.6a3.6 3.6 0 1 1 0 6.3M6 16.5a2.4 2.4 0 1 0 2.4 2.4h6.4",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2.2",
  play: "M7.5 4.8v14.4L19 12z",
  fork: "M4 12h5l4-5.5h7M9 12l4 5.5h7M17.5 4 20 6.5 17.5 9M17.5 15l2.5 2.5-2.5 2.5",
  join: "M4 6.5h4l4 5.5h8M4 17.5h4l4-5.5M17.5 9.5 20 12l-2.5 2.5",
  code: "M8.5 6.5 3.5 12l5 5.5M15.5 6.5l5 5.5-5 5.5M13.5 4.5l-3 15",
  edit: "M4 20l1-4.5L16 4.5l3.5 3.5-11 11zM13.5 7l3.5 3.5",
  globe: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM3.5 12h17M12 3.5c-5 5-5 12 0 17M12 3.5c5 5 5 12 0 17",
  spark: "M11 4l1.9 5.1L18 11l-5.1 1.9L11 18l-1.9-5.1L4 11l5.1-1.9zM18.5 15.5v5M16 18h5",
  chip: "M8 8h8v8H8zM5.5 5.5h13v13h-13zM9.5 3v2.5M14.5 3v2.5M9.5 18.5V21M14.5 18.5V21M3 9.5h2.5M3 14.5h2.5M18.5 9.5H21M18.5 14.5H21",
  memory: "M12 4c4.4 0 7.5 1.2 7.5 2.8v10.4c0 1.6-3.1 2.8-7.5 2.8s-7.5-1.2-7.5-2.8V6.8C4.5 5.2 7.6 4 12 4zM4.5 12h15",
  tool: "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z",
  talk: "M4 5.5h16v10.5h-8.5L7 20v-4H4zM8 9.3h8M8 12.3h5",
  mail: "M3.5 5.5h17v13h-17zM3.5 7l8.5 6.5L20.5 7",
  store:
    "M12 4c4.4 0 7.5 1.2 7.5 2.8S16.4 9.6 12 9.6 4.5 8.4 4.5 6.8 7.6 4 12 4zM4.5 6.8v10.4C4.5 18.8 7.6 20 12 20s7.5-1.2 7.5-2.8V6.8M4.5 12c0 1.6 3.1 2.8 7.5 2.8s7.5-1.2 7.5-2.8",
  table: "M4 5h16v14H4zM4 10h16M10 10v9",
  file: "M6.5 3.5h7.5l4 4v13H6.5zM14 3.5v4h4M9.5 12.5h5M9.5 16h5",
  nested: "M4 4.5h7v6H4zM13 13.5h7v6h-7zM7.5 10.5v6H13",
  loop: "M6 9.5A6.5 6.5 0 0 1 18 9M18 4.5V9h-4.5M18 14.5A6.5 6.5 0 0 1 6 15M6 19.5V15h4.5",
  stop: "M8.5 3.5h7l5 5v7l-5 5h-7l-5-5v-7zM12 8v5M12 15.8v.4",
  cube: "M12 3.5l7.5 4.2v8.6L12 20.5l-7.5-4.2V7.7zM4.5 7.7 12 12l7.5-4.3M12 12v8.5",
  ask: "M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1.1-1.3 2.1M12 17v.4"
} as const

/** Looks by kind; the first rule that fits counts. */
const rules: ReadonlyArray<readonly [kind: RegExp, group: Look["group"], sign: keyof typeof signs]> = [
  [/^(?:webhook|formTrigger)$/, "trigger", "hook"],
  [/^(?:scheduleTrigger|cron|interval)$/, "trigger", "clock"],
  [/^(?:manualTrigger|start|executeWorkflowTrigger|evaluationTrigger)$/, "trigger", "play"],
  [/^(?:chatTrigger|manualChatTrigger)$/, "trigger", "talk"],
  [/^errorTrigger$/, "trigger", "stop"],
  [/^emailReadImap$/, "trigger", "mail"],
  [/Trigger$/, "trigger", "bolt"],
  [/^(?:if|switch|filter|compareDatasets|textClassifier|sentimentAnalysis)$/, "branch", "fork"],
  [/^(?:merge|aggregate)$/, "branch", "join"],
  [/^(?:splitInBatches|splitOut)$/, "flow", "loop"],
  [/^(?:wait)$/, "flow", "clock"],
  [/^(?:stopAndError)$/, "flow", "stop"],
  [/^(?:executeWorkflow|toolWorkflow|retrieverWorkflow)$/, "flow", "nested"],
  [/^(?:code|function|functionItem|executeCommand|toolCode)$/, "code", "code"],
  [
    /^(?:set|editImage|dateTime|crypto|html|xml|markdown|renameKeys|sort|limit|removeDuplicates|summarize|itemLists)$/,
    "data",
    "edit"
  ],
  [/^(?:lm[A-Z]|modelSelector)/, "ai", "chip"],
  [/^memory/, "ai", "memory"],
  [/^(?:tool[A-Z]|mcpClientTool|agentTool)|[a-z]Tool$/, "ai", "tool"],
  [/^(?:vectorStore|embeddings|retriever|reranker)/, "ai", "store"],
  [/^(?:outputParser|textSplitter|document)/, "ai", "file"],
  [/^(?:agent|chain|openAi|informationExtractor|anthropic|googleGemini|ollama|perplexity)/, "ai", "spark"],
  [/^(?:httpRequest|graphql|respondToWebhook|rssFeedRead)$/, "web", "globe"],
  [/^(?:emailSend|gmail|microsoftOutlook|sendGrid|mailchimp|mailgun)/, "message", "mail"],
  [/^(?:slack|telegram|discord|mattermost|microsoftTeams|twilio|whatsApp|matrix|rocketchat|form)$/, "message", "talk"],
  [
    /^(?:postgres|mySql|mongoDb|redis|microsoftSql|sqlite|snowflake|supabase|elasticsearch|questDb|crateDb)$/,
    "store",
    "store"
  ],
  [/^(?:googleSheets|airtable|baserow|nocoDb|notion|dataTable|spreadsheetFile|googleBigQuery)/, "store", "table"],
  [
    /^(?:googleDrive|s3|awsS3|ftp|dropbox|readWriteFile|convertToFile|extractFromFile|readBinary|writeBinary)/,
    "store",
    "file"
  ]
]

/** The look of a kind of node, by its type without the package. */
export const lookOf = (kind: string): Look => {
  const rule = rules.find(([pattern]) => pattern.test(kind))
  return rule === undefined ? { group: "other", sign: signs.cube } : { group: rule[1], sign: signs[rule[2]] }
}

/** The look of a node that is connected and does not exist. */
export const missingLook: Look = { group: "other", sign: signs.ask }
