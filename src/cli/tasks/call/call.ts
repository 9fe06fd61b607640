import { Console, Effect, Layer, Predicate } from "effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

import { oneLine, visibleJson } from "../../../internal/foreignText.ts"
import { nearest } from "../../../internal/texts.ts"
import { GatheringSeconds } from "../../../mcp/callContext.ts"
import { toErrorResult } from "../../../mcp/protocol/errors.ts"
import { type Answer, AnswerLimit, type Tool } from "../../../mcp/Tool.ts"
import { render as renderFailure, type ToolFailure } from "../../../mcp/ToolError.ts"
import { calledAtOnce } from "../../audit/calledAtOnce.ts"
import { type Options, UsageError } from "../../configuration/flags.ts"
import { readLaunch } from "../../configuration/readLaunch.ts"
import { nothingConfigured } from "../../configuration/readSettings.ts"
import { stopRequested } from "../../stopRequested.ts"
import { watching } from "../../telemetry/watching.ts"
import { outputStyle, withProgressLine } from "../../terminal.ts"
import { audit, toolsOf } from "../../toolsets/toolsets.ts"
import { filesIn, readInput } from "./callArguments.ts"
import { toolHelp, toolList } from "./help.ts"
import { jsonArguments, readText } from "./jsonInput.ts"
import { fieldAt, render } from "./render.ts"
import { shortfall, tells } from "./shortfall.ts"

/** The result of parsing the arguments of `call`. */
export interface CallRequest {
  readonly tool: string | undefined
  /** The words behind the tool's name that are no flags of the command. */
  readonly toolWords: ReadonlyArray<string>
  readonly toolHelp: boolean
  readonly list: boolean
  readonly json: boolean
  readonly jsonArgs: string | undefined
  readonly print: string | undefined
}

/** Calls one tool as the server would and prints its answer; succeeds with the exit code. */
export const runCall = Effect.fnUntraced(function* (options: Options, request: CallRequest) {
  const { list, tool: name, toolHelp: isHelp } = request
  if (name === undefined && !list) {
    return yield* new UsageError({
      message: "call needs the name of a tool. workflow-tool-server call --list shows them"
    })
  }
  const isOnlyAsked = list || isHelp
  const launch = yield* launchOf(options, isOnlyAsked)
  const watched = isOnlyAsked ? Layer.empty : (yield* watching(launch)).layer
  // Tools are bound to the services around them when they are made.
  const tools = yield* Effect.provide(toolsOf(launch), watched)
  const { canAnimate: isWatched, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  if (list) return yield* printList(tools, request, canColor)
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) return yield* unknownTool(name ?? "", tools)
  if (isHelp) return yield* Effect.as(Console.log(toolHelp(tool, canColor)), 0)
  const input = yield* inputOf(tool, request)
  const { answerLimit } = launch
  return yield* calledAtOnce(tool, input).pipe(
    withProgressLine,
    Effect.provideService(GatheringSeconds, patience),
    Effect.provide(Layer.merge(audit(launch, "command"), watched)),
    answerLimit === undefined ? (self) => self : Effect.provideService(AnswerLimit, answerLimit),
    Effect.matchEffect({
      onSuccess: (answer) =>
        Effect.flatMap(printAnswer(request, canColor)(answer), judged({ tool: tool.name, answer, input, isWatched })),
      onFailure: printFailure(request)
    }),
    Effect.raceFirst(Effect.as(stopRequested, 130))
  )
}, Effect.scoped)

/** Seconds for which somebody at a terminal waits for what a rate limit allows only slowly: they see how far it is. */
const patience = 4 * 3600

/** The tools can be listed without any configuration. */
const launchOf = (options: Options, isOnlyAsked: boolean) => {
  const withoutHttp = { ...options, http: false }
  return readLaunch(withoutHttp).pipe(
    Effect.catchTag("ConfigurationError", (error) =>
      isOnlyAsked && error.message === nothingConfigured
        ? readLaunch({ ...withoutHttp, embedded: { file: undefined } })
        : Effect.fail(error)
    )
  )
}

const unknownTool = (name: string, tools: ReadonlyArray<Tool>) => {
  const guess = nearest(
    name,
    tools.map((tool) => tool.name)
  )
  const advice = guess === undefined ? "workflow-tool-server call --list shows all" : `Did you mean ${guess}?`
  return new UsageError({ message: `Unknown tool: ${oneLine(name)}. ${advice}` })
}

/** The arguments of all sources; a flag takes precedence over the same argument in `--json-args`. */
const inputOf = Effect.fnUntraced(function* (tool: Tool, { jsonArgs, toolWords }: CallRequest) {
  const schema = tool.inputSchema()
  const input = yield* Effect.fromResult(readInput(schema, toolWords))
  const files = yield* Effect.forEach(filesIn(schema, input), ({ file, name }) =>
    Effect.map(readText(`--${name}`, file), (text) => [name, text] as const)
  )
  return { ...(yield* jsonArguments(jsonArgs)), ...input, ...Object.fromEntries(files) }
})

const printList = (all: ReadonlyArray<Tool>, { json }: CallRequest, canColor: boolean) => {
  const tools = all.filter(({ isListed }) => isListed !== false)
  const text = json
    ? JSON.stringify(
        tools.map(({ annotations, description, inputSchema, name, title }) => ({
          name,
          title,
          description,
          inputSchema: inputSchema(),
          annotations
        }))
      )
    : toolList(tools, outputStyle(canColor))
  return Effect.as(Console.log(text), 0)
}

const printAnswer =
  ({ json, print }: CallRequest, canColor: boolean) =>
  ({ content, structured = {} }: Answer) => {
    if (print !== undefined) {
      const field = fieldAt(structured, print)
      return field === undefined
        ? Effect.as(
            Console.error(
              `--print ${oneLine(print)}: the answer has no such field. It has: ${Object.keys(structured).join(", ")}`
            ),
            { code: 1, text: "" }
          )
        : printed(field)
    }
    const [block] = content
    if (json) return printed(block?.type === "text" ? block.text : visibleJson(JSON.stringify(structured)))
    return printed(render(structured, outputStyle(canColor)))
  }

interface Printed {
  readonly code: number
  readonly text: string
}

const printed = (text: string): Effect.Effect<Printed> => Effect.as(Console.log(text), { code: 0, text })

interface Judged {
  readonly tool: string
  readonly answer: Answer
  readonly input: Readonly<Record<string, unknown>>
  /** Whether the answer is shown in a terminal. */
  readonly isWatched: boolean
}

/** A partial success is a failure for a script, as for `check`, `backup` and `promote`. */
const judged =
  ({ answer: { structured = {} }, input, isWatched, tool }: Judged) =>
  ({ code, text }: Printed) => {
    const missing = shortfall(tool, structured, input)
    // Only at a terminal are the answer and the errors read together.
    const unreported = isWatched && process.stderr.isTTY ? missing.filter((words) => !tells(text, words)) : missing
    const reported = Effect.forEach(unreported, (words) => Console.error(oneLine(words)), { discard: true })
    return Effect.as(reported, missing.length === 0 ? code : 1)
  }

/** Most messages of the engine do not name the instance; clients find it in an error's data. */
const withInstance = (failure: ToolFailure): string => {
  const { instance } = renderFailure(failure).details
  return Predicate.isString(instance) && !failure.message.toLowerCase().includes(`instance ${instance}`.toLowerCase())
    ? `Instance ${instance}: ${failure.message}`
    : failure.message
}

/** The tool's own message; for scripts that read JSON, also an object with `error`. */
const printFailure =
  ({ json }: CallRequest) =>
  (failure: ToolFailure) =>
    Effect.gen(function* () {
      yield* Console.error(oneLine(withInstance(failure)))
      if (json) yield* Console.log(visibleJson(JSON.stringify(toErrorResult(failure)["structuredContent"])))
      return Predicate.isTagged(failure, "InvalidArgument") ? 2 : 1
    })
