import { Effect } from "effect"
import type { Completions } from "effect/cli"

import type { Tool } from "../../../mcp/Tool.ts"
import { flag, type Flag, flagNames } from "../../configuration/flags.ts"
import type { Launch } from "../../configuration/Launch.ts"
import { toolsets } from "../../configuration/toolsetFacts.ts"
import { toolsOf } from "../../toolsets/toolsets.ts"
import { parametersOf } from "./parameters.ts"

type Flags = Completions.CommandDescriptor["flags"]

/**
 * The command with every tool below `call`, and every argument of each as a flag. Fish offers the flags of `call` behind a tool
 * as well, so that they need not stand at each of them.
 */
export const withTools = Effect.fnUntraced(function* (command: Completions.CommandDescriptor, shell: string) {
  const tools = yield* toolsOf(everything)
  const subcommands = command.subcommands.map(withoutServing).map((subcommand) => {
    if (subcommand.name !== "call") return subcommand
    const ofTools = shell === "fish" ? [] : subcommand.flags.filter(({ name }) => name !== "list")
    return { ...subcommand, arguments: [], subcommands: tools.map((tool) => described(tool, ofTools)) }
  })
  return typed({ ...command, subcommands })
}, Effect.scoped)

/** A subcommand without the flags that only say how to serve. */
const withoutServing = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: command.flags.filter(({ name }) => !ofServing.has(name)),
  subcommands: command.subcommands.map(withoutServing)
})

const ofServing: ReadonlySet<string> = new Set(flagNames.filter((name) => flag(name).isOfServing === true))

/**
 * Our flags are read as texts; shells are told which of them name files, and which of them are one of a few words. Behind one
 * that takes anything bash would offer subcommands, so it is one of no words.
 */
const typed = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: command.flags.map((one) => ({
    ...one,
    type: types.get(one.name) ?? (one.type._tag === "String" ? { _tag: "Choice", values: [] } : one.type)
  })),
  subcommands: command.subcommands.map(typed)
})

type FlagType = Flags[number]["type"]

const typeOf = ({ choices, optional = false, value }: Flag): FlagType | undefined => {
  if (choices !== undefined) return { _tag: "Choice", values: choices }
  if (optional || (value !== "FILE" && value !== "DIR")) return undefined
  return { _tag: "Path", pathType: value === "DIR" ? "directory" : "file" }
}

const types: ReadonlyMap<string, FlagType | undefined> = new Map<string, FlagType | undefined>([
  ...flagNames.map((name) => [name, typeOf(flag(name))] as const),
  ["junit", { _tag: "Path", pathType: "file" }]
])

/**
 * The script with what its generator lacks: in zsh and bash, values after an equals sign, in zsh, flags that follow the
 * name of a subcommand, and in fish, a word for conditions that stand at thousands of lines.
 */
export const mended = (shell: string, script: string): string =>
  shell === "fish"
    ? withNamedConditions(script)
    : shell === "zsh"
      ? script
          .replaceAll(/^( +'(?:\([^)]*\))?--[\w-]+)\[(.*\]:)/gm, "$1=[$2")
          .replaceAll('_arguments -C "${specs[@]}"', `_arguments -C -A "-*" "\${specs[@]}"`)
      : shell === "bash"
        ? script
            .replace(/^_[\w-]+--choices\(\)$/m, (first) => `${valueOfFlag}\n${first}`)
            .replace(/^(  _init_completion .*)\n  local _comp_word="\$2"$/m, `  local _comp_word="$2" _is_value=""\n$1`)
            .replaceAll(/^  _init_completion .*$/gm, "$&\n  _workflow_tool_server--value")
            .replaceAll(/^  (?=COMPREPLY=\( \$\(compgen -W)/gm, '  [[ -z "$_is_value" ]] || return\n  ')
        : script

/** Each condition about subcommands becomes a function, and so does the one about a flag that is given once. */
const withNamedConditions = (script: string): string => {
  const names = new Map<string, string>()
  const nameOf = (condition: string) => {
    const name = names.get(condition) ?? `__wts_${names.size + 1}`
    names.set(condition, name)
    return name
  }
  const lines = script
    .replaceAll(
      /begin; not __fish_contains_opt ([\w-]+); or contains -- \(commandline -poc\)\[-1\] --\1; end/g,
      "__wts_free $1"
    )
    .replaceAll(
      /^complete -c workflow-tool-server -n '((?:[^'\\;]|\\.|; and (?!__wts_free|not __fish_contains_opt))*)/gm,
      (_, condition: string, at: number, whole: string) => {
        const isFlag = /^.* -l /.test(whole.slice(at, whole.indexOf("\n", at)))
        const isOfCall = isFlag && condition.startsWith(`${ofCall}; and not `)
        return `__wts -n '${nameOf(isOfCall ? ofCall : condition)}`
      }
    )
  const functions = [...names].map(
    ([condition, name]) => `function ${name}; ${condition.replaceAll(/\\(.)/g, "$1")}; end`
  )
  return lines
    .replace(/^__wts /m, () => [...fishFunctions, ...functions, "", "__wts "].join("\n"))
    .replaceAll(/^__wts -n '__wts_(\d+); and not __fish_contains_opt ([\w -]+)'/gm, "__wts_once $1 '$2'")
    .replaceAll(/^__wts -n '__wts_(\d+); and __wts_free ([\w-]+)'/gm, "__wts_value $1 $2")
    .replace(/^###-end/m, "functions -e __wts __wts_once __wts_value\n$&")
}

const ofCall = "__fish_seen_subcommand_from call"

const fishFunctions = [
  "function __wts; complete -c workflow-tool-server $argv; end",
  'function __wts_once; __wts -n "__wts_$argv[1]; and not __fish_contains_opt $argv[2]" $argv[3..-1]; end',
  'function __wts_value; __wts -n "__wts_$argv[1]; and __wts_free $argv[2]" $argv[3..-1]; end',
  "function __wts_free; not __fish_contains_opt $argv; or contains -- (commandline -poc)[-1] --$argv; end"
]

/**
 * A value behind the equals sign is completed as behind the flag alone, where bash begins a word there; a flag that
 * takes anything is offered nothing. The variables are those of the function that calls this one.
 */
const valueOfFlag = `_workflow_tool_server--value()
{
  [[ "$cur" == --*=* && "$COMP_WORDBREAKS" == *=* ]] || return
  prev="\${cur%%=*}"
  cur="\${cur#*=}"
  _is_value=1
  [[ -n "$cur" ]] || _comp_word=""
}
`

/** Everything in this version, whatever is configured here. */
export const everything: Launch = {
  engine: undefined,
  embedded: { file: undefined },
  http: undefined,
  page: false,
  readOnly: false,
  toolsets,
  config: undefined
}

const described = (tool: Tool, ours: Flags): Completions.CommandDescriptor => ({
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
