import { Context } from "effect"

/** What the caller of a request may do, as far as its credentials say. */
export interface Access {
  /** Who the caller is for whoever issued the credentials. */
  readonly subject: string | undefined
  /** Whether tools that may change something can be called; those that only read always can. */
  readonly mayChange: boolean
  /** What a token must have for that, where its issuer knows scopes. */
  readonly scopeToChange?: string
}

/** The access of the request under way. A transport that knows no callers lets each do everything. */
export const CurrentAccess = Context.Reference<Access>("workflow-tool-server/mcp/CurrentAccess", {
  defaultValue: () => ({ subject: undefined, mayChange: true })
})
