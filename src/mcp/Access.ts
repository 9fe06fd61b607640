import { Context } from "effect"

/** What the caller of a request may do, according to its credentials. */
export interface Access {
  /** Who the caller is to the issuer of the credentials. */
  readonly subject: string | undefined
  /** The issuer that knows the caller by that subject. */
  readonly issuer?: string
  /** Whether tools that may change something can be called; read-only tools always can. */
  readonly mayChange: boolean
  /** The scope that a token needs for that, if its issuer has scopes. */
  readonly scopeToChange?: string
}

/** The access of the current request. A transport without callers' credentials allows everything. */
export const CurrentAccess = Context.Reference<Access>("workflow-tool-server/mcp/CurrentAccess", {
  defaultValue: () => ({ subject: undefined, mayChange: true })
})
