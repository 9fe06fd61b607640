import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import type { FlagTexts } from "../configuration/flags.ts"
import type { CallRequest } from "./call/call.ts"
import type { PromoteRequest } from "./promote.ts"
import type { TestRequest } from "./test.ts"
import type { UpgradeTaskRequest } from "./upgrade/request.ts"
import type { WatchRequest } from "./watch.ts"
import type { AdsWatchRequest } from "./watchAds.ts"

/** A flag with a text; the last counts if it is repeated. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((texts) => texts.at(-1))
  )

/** A flag with a whole number; the last counts if it is repeated. */
export const numberFlag = (name: string, metavar: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((numbers) => numbers.at(-1))
  )

export const switched = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

/** The arguments of `test`: to run tests, or to record one like the tool `record_test`. */
type TestTask =
  | { readonly task: "test"; readonly request: TestRequest }
  | { readonly task: "call"; readonly request: CallRequest }

const texts = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

export const json = switched("json", "Print JSON, for scripts")
export const overwrite = switched("overwrite", "Replace an existing file")
export const instance = textFlag(
  "instance",
  "NAME",
  "Name of the instance in the configuration; by default the default instance"
)

const testInput = {
  folder: Argument.String("dir").pipe(
    Argument.withDescription("Folder of tests; by default that of --tests or the configuration"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  instance,
  files: texts("file", "FILE", "Only this test of the folder; may be repeated"),
  workflow: textFlag("workflow", "ID", "Only tests of this workflow"),
  operations: textFlag(
    "operations",
    "FILE",
    "Apply these operations to it without saving: a JSON list, as for edit_workflow"
  ),
  junit: textFlag("junit", "FILE", "Write the results as JUnit XML"),
  concurrency: numberFlag("concurrency", "N", "Tests at the same time, 1 to 10 (default 3)"),
  json
}

const recordInput = {
  workflow: textFlag("workflow", "ID", "Record the last successful run of this workflow"),
  execution: textFlag("execution", "ID", "Record this run"),
  instance,
  name: textFlag("name", "NAME", "Name of the test"),
  ignore: texts("ignore", "PATH", "Field that may differ, such as rows[*].id; may be repeated"),
  file: textFlag("file", "FILE", "File name in the folder of tests"),
  overwrite,
  json
}

const testDescription = `Runs recorded tests of workflows through temporary copies, without acting outside, and prints differences.

  workflow-tool-server test tests --instance staging --junit results.xml
  workflow-tool-server test record --workflow AbCdEfGh12345678 --tests tests

  Exits with 0 if all passed, with 1 if one did not, with 2 if the command line is wrong.`

/** The sub-command `test`, with `test record` below it. */
export const test = <E, R>(
  flags: Effect.Effect<FlagTexts, E, R>,
  run: (task: TestTask, flags: FlagTexts) => Effect.Effect<void>
) => {
  const record = Command.make("record", recordInput, ({ json: isJson, ...given }) =>
    Effect.flatMap(flags, (texts) => run({ task: "call", request: recording(given, isJson) }, texts))
  ).pipe(
    Command.withDescription(
      "Make a test from a run, and save it in the folder of tests: --tests DIR, or the configured one"
    )
  )
  return Command.make("test", testInput, (request) =>
    Effect.flatMap(flags, (texts) => run({ task: "test", request }, texts))
  ).pipe(
    Command.withSubcommands([record]),
    Command.withDescription(testDescription),
    Command.withShortDescription("Run recorded tests of workflows")
  )
}

type Given = Readonly<Record<string, boolean | string | ReadonlyArray<string> | undefined>>

/** The same as a call of the tool. */
const recording = (given: Given, isJson: boolean): CallRequest => ({
  tool: "record_test",
  toolWords: Object.entries(given).flatMap(([name, value]) => wordsFor(name, value)),
  toolHelp: false,
  list: false,
  json: isJson,
  jsonArgs: undefined,
  print: undefined
})

const wordsFor = (name: string, value: Given[string]): ReadonlyArray<string> => {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return typeof value === "string" ? [`--${name}=${value}`] : value.map((one) => `--${name}=${one}`)
}

const promoteInput = {
  from: textFlag("from", "INSTANCE", "Where the workflows are"),
  to: textFlag("to", "INSTANCE", "Where they go"),
  tag: textFlag("tag", "TAG", "Only workflows with this tag"),
  name: textFlag("name", "NAME", "Only workflows of this name; * stands for anything"),
  ids: Flag.String("id").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Only this workflow; may be repeated"),
    Flag.atLeast(0),
    Flag.map((ids) => (ids.length === 0 ? undefined : ids))
  ),
  mapping: textFlag(
    "mapping",
    "JSON",
    'What to replace by what on the target: {"credentials": {"Shop (test)": "Shop"}, "tags": {}, "workflows": {}, "values": {}}'
  ),
  activation: Flag.Literals("activation", ["keep", "activate", "inactive"]).pipe(
    Flag.withDefault("keep"),
    Flag.withDescription("keep (default): as on the target, new ones as on the source")
  ),
  dependencies: Flag.Literals("dependencies", ["missing", "all"]).pipe(
    Flag.withDefault("missing"),
    Flag.withDescription("Which sub-workflows to promote, too: missing (default) or all")
  ),
  include: Flag.Literals("include", ["rows", "variables"]).pipe(
    Flag.withDescription(
      "rows: also the rows of data tables that the target lacks; variables: also variables that it lacks; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  source: textFlag("source", "NAME", "The source in credentialSources that has the values of these variables"),
  folder: textFlag("folder", "PATH", "Folder for workflows that are new on the target, such as Sales/Orders"),
  onDrift: Flag.Literals("on-drift", ["block", "overwrite"]).pipe(
    Flag.withDefault("block"),
    Flag.withDescription(
      "What to do with changes made on the target since the last promotion: block (default) or overwrite"
    )
  ),
  plan: switched("plan", "Print what would change, and change nothing"),
  apply: switched("apply", "Apply it, if nothing is blocked"),
  confirmProtected: switched("confirm-protected", "Change protected workflows, too")
}

const promoteDescription = `Brings workflows from one instance to another.

  workflow-tool-server promote --from staging --to production --tag release --plan
  workflow-tool-server promote --from staging --to production --tag release --apply

  --plan prints Markdown and exits with 0 if nothing would change, with 2 if something would. --apply exits with 0 if
  everything was applied, with 1 if something is blocked or was refused.`

/** The sub-command `promote`. */
export const promote = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  run: (request: PromoteRequest, texts: FlagTexts) => Effect.Effect<void>
) =>
  Command.make("promote", promoteInput, (request) => Effect.flatMap(texts, (given) => run(request, given))).pipe(
    Command.withDescription(promoteDescription),
    Command.withShortDescription("Bring workflows from one instance to another")
  )

const upgradeInput = {
  to: textFlag("to", "VERSION", "Version to upgrade to, such as 2.48.5 or 3.0, which is the default"),
  instances: texts(
    "instance",
    "NAME",
    "Only this instance; may be repeated, * stands for all. By default the default one"
  ),
  plan: switched("plan", "Plan the rewrites that are possible, prove them on recorded runs, and change nothing"),
  apply: switched("apply", "Plan, and apply what is proved"),
  accept: texts("accept", "WORKFLOW", "Rewrite this workflow though it could not be proved; may be repeated"),
  confirmProtected: switched("confirm-protected", "Change protected workflows, too"),
  verify: switched("verify", "After the upgrade: recorded tests, schedules that did not fire, failures that are new"),
  markdown: textFlag("markdown", "FILE", "Write the report as Markdown, for a pull request"),
  json
}

const upgradeDescription = `Tells what an upgrade of the engine breaks in workflows, and what to do.

  workflow-tool-server upgrade --to 3.0
  workflow-tool-server upgrade --to 3.0 --plan --markdown upgrade.md
  workflow-tool-server upgrade --to 3.0 --apply

  Exits with 0 if there is nothing to do, with 2 if something is found, planned or left, with 1 if something failed, with
  130 if it was stopped.`

/** The sub-command `upgrade`. */
export const upgrade = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  run: (request: UpgradeTaskRequest, texts: FlagTexts) => Effect.Effect<void>
) =>
  Command.make("upgrade", upgradeInput, (request) => Effect.flatMap(texts, (given) => run(request, given))).pipe(
    Command.withDescription(upgradeDescription),
    Command.withShortDescription("Tell what an upgrade of the engine breaks, and mend it")
  )

const adsWatchInput = {
  rules: textFlag("rules", "FILE", "JSON list of rules, as for ads_plan_rules"),
  account: textFlag("account", "NAME", "Seller of marketplace.accounts; by default the default one"),
  run: textFlag("run", "ID", "Run this workflow with the rules that match; it may act outside"),
  instance,
  json
}

const adsWatchDescription = `Judges a marketplace's campaigns by rules, once, for cron. Nothing is changed, except that campaigns pause for
  which a rule says so if marketplace.watchMayPause is true; nothing ever rises or starts.

  workflow-tool-server ads watch --rules rules.json || notify "look at the campaigns"

  Exits with 0 if no rule matches, with 2 if one does, with 1 if it could not tell, with 130 if it was stopped.`

/** The sub-command `ads`, with `ads watch` below it. */
export const ads = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  run: (request: AdsWatchRequest, texts: FlagTexts) => Effect.Effect<void>
) => {
  const watch = Command.make("watch", adsWatchInput, (request) =>
    Effect.flatMap(texts, (given) => run(request, given))
  ).pipe(
    Command.withDescription(adsWatchDescription),
    Command.withShortDescription("Judge campaigns by rules, for cron")
  )
  return Command.make("ads").pipe(
    Command.withSubcommands([watch]),
    Command.withDescription("Advertising campaigns of the configured marketplace")
  )
}

const watchInput = {
  every: numberFlag(
    "every",
    "MINUTES",
    "Go on, with a round every so many minutes; by default there is one round, for cron"
  ),
  isTry: switched("try", "Send each receiver of watch.receivers a message, and watch nothing"),
  json
}

const watchDescription = `Looks for what is wrong on the instances, by the rules of instance_health, and tells what began and what is over since
  the last round, once each, here and to the receivers that watch.receivers of the configuration names.

  workflow-tool-server watch || notify "look at the workflows"
  workflow-tool-server watch --every 5

  Exits with 0 if nothing is wrong, with 2 if something is, with 1 if it could not tell, with 130 if it was stopped.`

/** The sub-command `watch`. */
export const watch = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  run: (request: WatchRequest, texts: FlagTexts) => Effect.Effect<void>
) =>
  Command.make("watch", watchInput, (request) => Effect.flatMap(texts, (given) => run(request, given))).pipe(
    Command.withDescription(watchDescription),
    Command.withShortDescription("Tell what goes wrong on the instances, and when it is over")
  )
