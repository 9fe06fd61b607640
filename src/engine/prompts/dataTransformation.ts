import { fields, pathOr, task, workflowName } from "./arguments.ts"
import { chain, node, remark, webhook } from "./sketch.ts"
import { make } from "./template.ts"

export const dataTransformation = make("data-transformation-workflow", {
  title: "Workflow that transforms data",
  description: "A workflow that takes JSON records and returns them with other fields",
  arguments: { fields, path: pathOr("transform"), task, name: workflowName("Data transformation") },
  propose: ({ fields, name, path, task }) => {
    const trigger = webhook(path, "POST", { responseMode: "lastNode", responseData: "allEntries", options: {} })
    const transform = node("code", "Transform Records", [1, 0], { jsCode: program(fields) }, remark(task))
    return {
      workflow: { name, nodes: [trigger, transform], connections: chain(trigger, transform), settings: {} },
      hints: [
        "'Transform Records' maps each record of the request body, one object or a list, field by field.",
        `Once active it takes POST requests at /webhook/${path}; execute_workflow sends them, with the records as data.`
      ]
    }
  }
})

/** The code of the node: the pairs are data in it, as JSON. */
const program = (fields: string) => {
  const pairs = fields.split(",").map((pair) => pair.split("=").map((field) => field.trim()))
  return [
    `const fields = ${JSON.stringify(pairs)}`,
    "const read = (record, path) => path.split('.').reduce((value, key) => value?.[key], record)",
    "const records = $input.all().flatMap((item) => item.json.body ?? [])",
    "return records.map((record) => ({",
    "  json: Object.fromEntries(fields.map(([to, from]) => [to, read(record, from)]))",
    "}))"
  ].join("\n")
}
