import { Context, Option, Predicate } from "effect"
import { CliOutput } from "effect/cli"

import type { Tool } from "../../../mcp/Tool.ts"
import { coloured, plain, type Style, table } from "../../terminal/terminalText.ts"
import { fieldHelp } from "./fieldHelp.ts"
import { parametersOf } from "./parameters.ts"

/** The help's words for a tool's effects. */
const effectOf = ({ annotations: { destructiveHint, readOnlyHint } }: Tool) =>
  readOnlyHint ? "reads" : destructiveHint ? "changes" : "adds or runs"

/** The help of a tool, made from its input schema. */
export const toolHelp = (tool: Tool, colors: boolean): string => {
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
      globalFlags: own.map(([name, type, description]) => ({
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

const own = [
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
