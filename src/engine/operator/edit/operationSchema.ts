import type { JsonSchema } from "effect"

const text = (description: string) => ({ type: "string", description })

/** What operations can do, in the order in which they are listed. */
export const kinds = [
  "set",
  "replace",
  "add",
  "remove",
  "rename",
  "connect",
  "disconnect",
  "enable",
  "disable",
  "credential",
  "settings",
  "tag",
  "untag",
  "note",
  "group",
  "move",
  "arrange"
] as const

/** What clients are told of an operation: one flat object, in plain types, whatever the operation. */
export const operationSchema = {
  type: "array",
  description: "Done in this order",
  items: {
    type: "object",
    properties: {
      op: { type: "string", enum: kinds, description: "What to do" },
      node: text("Name of the node. Left out: rename the workflow, replace in all nodes, note on the canvas"),
      parameters: { type: "object", description: "set, add: parameters; settings: settings. Merged, null removes" },
      path: text("set, replace: place in the node, as in parameters.items[0].name, onError"),
      value: text(
        "set: value at path, of any JSON type, null removes; replace, note: new text; credential: its name or id; tag, untag: tag name; group: its nodes' names, null dissolves"
      ),
      find: text("replace: text to find"),
      count: { type: "integer", description: "replace: times it must occur, default 1" },
      name: text("rename: new name; group: its name"),
      type: text("add: node type; credential: its type"),
      typeVersion: { type: "number", description: "add: default as usual" },
      from: text("Source node; add: connect after it"),
      to: text("Target node; add: connect before it; with from: between both"),
      output: text("Of from: number or name (true, done, error), default 0"),
      input: { type: "integer", description: "Of to, default 0" },
      link: text("main, ai_tool, ai_languageModel…; default: what from gives"),
      bridge: { type: "boolean", description: "remove: connect what it stood between" },
      create: { type: "boolean", description: "tag: make it if missing" },
      position: { type: "array", items: { type: "number" }, description: "[x, y]; default: placed" }
    },
    required: ["op"]
  }
} satisfies JsonSchema.JsonSchema
