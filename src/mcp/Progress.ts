import { Context, Effect } from "effect"

/** Tells the caller how far a tool has come; does nothing where the caller did not ask. */
export const Progress = Context.Reference<
  (step: { readonly progress: number; readonly total?: number; readonly message?: string }) => Effect.Effect<void>
>("workflow-tool-server/tools/Progress", { defaultValue: () => () => Effect.void })
