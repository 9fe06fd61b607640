import { Context, Option, Predicate } from "effect"
import { CliOutput } from "effect/cli"

import type { Tool } from "../../../mcp/Tool.ts"
import { coloured, plain, type Style, table } from "../../terminal.ts"
import { parametersOf, type Parameter } from "./parameters.ts"

/** The help's words for a tool's effects. */
const effectOf = ({ annotations: { destructiveHint, readOnlyHint } }: Pick<Tool, "annotations">) =>
  readOnlyHint ? "reads" : destructiveHint ? "changes" : "adds or runs"

/** The help of a tool, made from its input schema. */
export const toolHelp = (tool: Omit<Tool, "call">, colors: boolean): string => {
  const schema = tool.inputSchema()
  const parameters = parametersOf(schema)
  const required = parameters.filter(({ isRequired }) => isRequired)
  const words = required.map(({ isList, metavar, name }) => `--${name} ${metavar}${isList ? " …" : ""}`)
  const help = CliOutput.defaultFormatter({ colors })
    .formatHelpDoc({
      description: `${tool.title} (${effectOf(tool)}). ${tool.description}`,
      usage: ["workflow-tool-server call", tool.name, ...words, "[flags]"].join(" "),
      annotations: Context.empty(),
      flags: parameters.map(({ description, isList, isRequired, isSwitch, metavar, name }) => ({
        name,
        aliases: isSwitch ? [`--no-${name}`] : [],
        type: isSwitch ? "" : metavar,
        description: Option.some(
          [description, isList ? "(may be repeated)" : "", isRequired ? "(required)" : ""]
            .filter(Predicate.isTruthy)
            .join(" ")
        ),
        required: isRequired
      })),
      globalFlags: callFlagHelp.map(([name, type, description]) => ({
        name,
        aliases: [],
        type,
        description: Option.some(description),
        required: false
      }))
    })
    .trimEnd()
  return [help, ...fieldHelp(schema, colors ? coloured : plain)].join("\n")
}

const callFlagHelp = [
  ["json", "", "Print the answer as the tool's JSON"],
  ["json-args", "JSON", "All arguments as one JSON object; - reads it from standard input, @FILE from a file"],
  ["print", "FIELD", "Print only this field of the answer, such as data.0.name"]
] as const

/** All tools, one per line. */
export const toolList = (tools: ReadonlyArray<Tool>, style: Style): string =>
  table(
    ["tool", "", "what it does"],
    tools.map((tool) => [tool.name, effectOf(tool), tool.description]),
    style
  ).join("\n")

/** A field inside an argument that is written as JSON, such as `bids[].nm_id`. */
interface Field extends Pick<Parameter, "description" | "isRequired" | "metavar"> {
  readonly path: string
}

/** The fields of an argument's JSON, one per line; nothing for arguments that are just JSON. */
const fieldHelp = (schema: Readonly<Record<string, unknown>>, { label }: Style): ReadonlyArray<string> =>
  Object.entries(Object(schema["properties"])).flatMap(([name, property]) => {
    const fields = fieldsIn(property, "")
    if (fields.length === 0) return []
    const width = Math.max(...fields.map((field) => termOf(field).length))
    return [
      "",
      label(`FIELDS OF --${name}${isList(property) ? " (each)" : ""}`),
      ...fields.map((field) => {
        const words = [field.description, field.isRequired ? "(required)" : ""].filter((text) => text !== "").join(" ")
        return `  ${termOf(field).padEnd(width)}    ${words}`.trimEnd()
      })
    ]
  })

const termOf = ({ metavar, path }: Field): string => `${path} ${metavar === "" ? "true or false" : metavar}`

const isList = (schema: unknown): boolean => Predicate.hasProperty(schema, "items")

const fieldsIn = (schema: unknown, within: string): ReadonlyArray<Field> => {
  const inner = Predicate.hasProperty(schema, "items") ? schema.items : schema
  if (!Predicate.isObject(inner)) return []
  const properties: Readonly<Record<string, unknown>> = { ...Object(Object({ ...inner }).properties) }
  return parametersOf({ ...inner }).flatMap(({ name, ...field }) => {
    const property = properties[name]
    const path = `${within}${name}`
    return [{ ...field, path }, ...fieldsIn(property, `${path}${isList(property) ? "[]" : ""}.`)]
  })
}
