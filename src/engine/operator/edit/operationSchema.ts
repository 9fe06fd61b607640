import type { JsonSchema } from "effect"

const text = (description: string) => ({ type: "string", description })

/** What clients are told of an operation: one flat object, in plain types, whatever the operation. */
export const operationSchema = {
  type: "array",
  description:
    "set (parameters, or value at path), replace (find by value), add, remove, rename (node; without: the workflow), connect, " +
    "disconnect, enable, disable, credential, settings, tag, untag, note (without node: on the canvas), move, arrange",
  items: {
    type: "object",
    properties: {
      op: text("What to do"),
      node: text("Name of the node"),
      parameters: { type: "object", description: "set, add: parameters; settings: settings. Merged, null removes" },
      path: text("In the node: parameters.items[0].name, onError"),
      value: text(
        "New value or text, of any JSON type; null removes. credential: its name or id. tag, untag: tag name"
      ),
      find: text("Text to replace"),
      count: { type: "integer", description: "Times it must occur, default 1" },
      name: text("New name"),
      type: text("add: node type; credential: its type"),
      typeVersion: { type: "number", description: "Default: as usual" },
      from: text("Source node; add: connect after it"),
      to: text("Target node; add: connect before it; with from: between both"),
      output: text("Of from: number or name (true, done, error), default 0"),
      input: { type: "integer", description: "Of to, default 0" },
      link: text("main (default), ai_tool, ai_languageModel, …"),
      bridge: { type: "boolean", description: "remove: connect what it stood between" },
      create: { type: "boolean", description: "tag: make it if missing" },
      position: { type: "array", items: { type: "number" }, description: "[x, y]; default: placed" }
    },
    required: ["op"]
  }
} satisfies JsonSchema.JsonSchema
