import { flag, flagNames } from "./flags.ts"

const spelling = (name: (typeof flagNames)[number]): string => {
  const { optional = false, value } = flag(name)
  if (value === undefined) return `--${name}`
  return optional ? `--${name}[=${value}]` : `--${name} ${value}`
}

const rows = [
  ...flagNames.map((name) => [spelling(name), flag(name).help, flag(name).variable]),
  ["--version", "Print the version"],
  ["--help", "Print this text"]
]
const width = Math.max(...rows.map(([spelt = ""]) => spelt.length))

/** What `--help` prints. */
export const help = `Usage: workflow-tool-server [check] [options]

Manages workflows on one or more engine instances for MCP clients. Serves stdio unless --http is given.
"check" reads the configuration, calls every instance and says what is wrong.

Options, each with the environment variable that says the same:
${rows
  .map(([spelt = "", words = "", variable]) => {
    const line = `  ${spelt.padEnd(width)}  ${words}`
    return variable === undefined ? line : `${line}\n${" ".repeat(width + 4)}${variable}`
  })
  .join("\n")}

Configuration, highest priority first: ENGINE_HOST and ENGINE_API_KEY in the environment (ENGINE_HOST_<NAME> and
ENGINE_API_KEY_<NAME> for one of several instances), .config.json, .env.
`
