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
