import { Effect } from "effect"
import { Command, Flag } from "effect/cli"

import type { FlagTexts } from "../../configuration/flags.ts"
import { textFlag } from "../../terminal/textFlag.ts"
import type { PromoteRequest } from "./promote.ts"

const switched = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

const input = {
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

const description = `Brings workflows from one instance to another.

  workflow-tool-server promote --from staging --to production --tag release --plan
  workflow-tool-server promote --from staging --to production --tag release --apply

  --plan prints Markdown and exits with 0 if nothing would change, with 2 if something would. --apply exits with 0 if
  everything was applied, with 1 if something is blocked or was refused.`

/** The sub-command `promote`. */
export const promote = <E, R>(
  texts: Effect.Effect<FlagTexts, E, R>,
  asked: (request: PromoteRequest, texts: FlagTexts) => Effect.Effect<void>
) =>
  Command.make("promote", input, (request) => Effect.flatMap(texts, (given) => asked(request, given))).pipe(
    Command.withDescription(description),
    Command.withShortDescription("Bring workflows from one instance to another")
  )
