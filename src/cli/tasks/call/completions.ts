import { Effect } from "effect"
import type { Completions } from "effect/cli"

import type { Tool } from "../../../mcp/Tool.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { toolsets } from "../../configuration/settings.ts"
import { parametersOf } from "./parameters.ts"
import { toolsOf } from "./tools.ts"

/** The command with every tool below `call`, and every argument of each as its flag. */
export const withTools = Effect.fnUntraced(function* (command: Completions.CommandDescriptor) {
  const tools = yield* toolsOf(everything)
  const subcommands = command.subcommands.map((subcommand) =>
    subcommand.name === "call"
      ? { ...subcommand, arguments: [], subcommands: tools.map((tool) => described(tool, subcommand.flags)) }
      : subcommand
  )
  return { ...command, subcommands } satisfies Completions.CommandDescriptor
}, Effect.scoped)

/** All that this version has, whatever is configured here. */
const everything: Launch = {
  engine: undefined,
  embedded: { file: undefined },
  http: undefined,
  readOnly: false,
  toolsets,
  answerLimit: undefined,
  config: undefined,
  marketplace: undefined
}

const described = (tool: Tool, ours: Completions.CommandDescriptor["flags"]): Completions.CommandDescriptor => ({
  name: tool.name,
  description: tool.title,
  arguments: [],
  subcommands: [],
  flags: [
    ...parametersOf(tool.inputSchema()).map(({ choices, description, isSwitch, name }) => ({
      name,
      aliases: [],
      description,
      type: isSwitch
        ? { _tag: "Boolean" as const }
        : choices.length > 0
          ? { _tag: "Choice" as const, values: choices }
          : { _tag: "String" as const }
    })),
    ...ours
  ]
})
