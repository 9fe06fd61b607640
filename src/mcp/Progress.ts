import { Context, Effect } from "effect"

/** Reports a tool's progress to the caller; does nothing if the caller did not request it. */
export const Progress = Context.Reference<
  (step: { readonly progress: number; readonly total?: number; readonly message?: string }) => Effect.Effect<void>
>("workflow-tool-server/tools/Progress", { defaultValue: () => () => Effect.void })
