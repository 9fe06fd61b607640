import type { NodeType, Property } from "./NodeType.ts"

/** A node type as engines offer it to agents: without inputs, and with words about when to use it. */
export const asTool = (node: NodeType): NodeType => {
  const { asTool: _, description, properties, title, type, ...rest } = node
  const has = (name: string) => properties.some((property) => property.name === name)
  const isChosen = has("resource") || has("operation")
  const words: Property = {
    name: "toolDescription",
    title: "Description",
    type: "string",
    default: description,
    required: true,
    ...(isChosen ? { show: { descriptionType: ["manual"] } } : {})
  }
  const own = has("toolDescription") ? [] : [...(isChosen ? [descriptionType] : []), words]
  return {
    ...rest,
    type: `${type}Tool`,
    title: `${title} Tool`,
    description,
    isTrigger: false,
    inputs: [],
    outputs: [{ type: "ai_tool" }],
    properties: [...own, ...properties]
  }
}

const descriptionType: Property = {
  name: "descriptionType",
  title: "Tool Description",
  type: "options",
  default: "auto",
  choices: [
    { value: "auto", title: "Set Automatically" },
    { value: "manual", title: "Set Manually" }
  ]
}

/** A node type that asks a person, as engines put it between an agent and a tool. */
export const asAskingTool = (node: NodeType): NodeType => {
  const { asTool: _, properties, title, type, ...rest } = node
  const asks = properties.find(
    ({ choices = [], name }) => name === "operation" && choices.some(({ value }) => value === operation)
  )
  const resource = asks?.show?.resource?.[0]
  const fixed = (name: string, value: unknown): Property => ({ name, title: name, type: "hidden", default: value })
  const replaced = new Set(["message", "operation", "resource", "responseType"])
  return {
    ...rest,
    type: `${type}HitlTool`,
    title: `${title} Human Review`,
    description: "Request human approval for tools",
    isTrigger: false,
    inputs: [{ type: "ai_tool", required: true }],
    outputs: [{ type: "ai_tool" }],
    properties: [
      { name: "message", title: "Message", type: "string", default: "=", required: true },
      ...(resource === undefined ? [] : [fixed("resource", resource)]),
      fixed("operation", operation),
      fixed("responseType", "approval"),
      ...properties.filter(({ name }) => !replaced.has(name))
    ]
  }
}

const operation = "sendAndWait"
