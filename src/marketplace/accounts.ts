import { Effect, Predicate } from "effect"

import type { RowFields } from "../changes/tools/auditOutline.ts"
import type { PlanSource } from "../changes/tools/PlanSource.ts"
import { Elicitation } from "../mcp/Elicitation.ts"
import type { ResourceProvider } from "../mcp/Resources.ts"
import type { Tool } from "../mcp/Tool.ts"
import { InvalidArgument, ToolError, type ToolFailure } from "../mcp/ToolError.ts"
import { type Offer, offered, type Toolset } from "../mcp/Toolset.ts"

/** Sellers' accounts by name, each with its toolset: their keys, guards, limits and journals are apart. */
export interface Accounts {
  /** The account of calls that name none. */
  readonly standard: string
  readonly toolsets: ReadonlyMap<string, Toolset>
}

/** Names the account in the questions that a program asks a person. */
const asking =
  (account: string) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Elicitation, ({ ask }) => {
      if (ask === undefined) return program
      const named: typeof ask = ({ covers, message, ...question }) =>
        ask({ ...question, message: `Account ${account}: ${message}`, covers: { account, covers } })
      return Effect.provideService(program, Elicitation, { ask: named })
    })

const errorOf = (account: string, { blame, code, details, message }: ToolError): ToolError =>
  new ToolError({ blame, code, message: `${message} (account ${account})`, details: { account, ...details } })

const failureOf = (account: string, failure: ToolFailure): ToolFailure => {
  if (failure instanceof ToolError) return errorOf(account, failure)
  if (!(failure instanceof InvalidArgument)) return failure
  const { argument, problem } = failure
  return new InvalidArgument({ argument, problem: `${problem} (account ${account})` })
}

/** The plans of one of several accounts, which they name. */
export const plansOf = (account: string, source: PlanSource): PlanSource => {
  const named = <A>(program: Effect.Effect<A, ToolError>) =>
    Effect.mapError(asking(account)(program), (error) => errorOf(account, error))
  const { changedElsewhere } = source
  return {
    ...source,
    show: (id, page) => named(source.show(id, page)),
    apply: (id, options) =>
      Effect.map(named(source.apply(id, options)), (report) => ({ ...report, fields: { account, ...report.fields } })),
    rollback: (id) => named(source.rollback(id)),
    audit: Effect.map(source.audit, (trail) => {
      const rows = (some: typeof trail.events) => () =>
        some().map((one) => ({ ...one, row: (details: RowFields) => ({ account, ...one.row(details) }) }))
      return { ...trail, events: rows(trail.events), changes: rows(trail.changes) }
    }),
    ...(changedElsewhere && {
      changedElsewhere: Effect.map(named(changedElsewhere), (answer) => ({
        ...answer,
        rows: answer.rows.map((row) => ({ account, ...row }))
      }))
    })
  }
}

/** One toolset over several accounts: every tool takes `account`. */
export const overAccounts = ({ standard, toolsets }: Accounts): Toolset => {
  const names = [...toolsets.keys()]
  const nameOf = (value: unknown, argument: string) => {
    const name = value === undefined ? standard : names.find((one) => one === value)
    const problem = `must be one of the configured accounts: ${names.join(", ")}; nothing was sent`
    return name === undefined ? Effect.fail(new InvalidArgument({ argument, problem })) : Effect.succeed(name)
  }
  /** Calls that name no configured account share one group. */
  const groupOf = (value: unknown) => {
    const name = names.find((one) => one === value)
    return name === undefined ? "This server" : `Account ${name}`
  }
  const argument = { type: "string", description: `Seller: ${names.join(", ")}; default ${standard}` }

  const offerOf = (offers: ReadonlyMap<string, Offer>): Offer => {
    const [first = { instructions: "", tools: [] }] = offers.values()
    const toolsNamed = (wanted: string) =>
      new Map([...offers].map(([account, { tools }]) => [account, tools.find(({ name }) => name === wanted)]))
    const tools = first.tools.map((tool): Tool => {
      const byAccount = toolsNamed(tool.name)
      return {
        ...tool,
        isListed: [...byAccount.values()].some((one) => one !== undefined && one.isListed !== false),
        inputSchema: () => {
          const schema = tool.inputSchema()
          return { ...schema, properties: Object.assign({}, schema.properties, { account: argument }) }
        },
        inputJson: undefined,
        concurrencyGroup: (input) =>
          groupOf(Predicate.isObject(input) && "account" in input ? input.account : standard),
        call: (input) => {
          const { account: requested, ...ofTool } = { account: undefined, ...Object(input) }
          return Effect.flatMap(nameOf(requested, "account"), (account) =>
            asking(account)((byAccount.get(account) ?? tool).call(Predicate.isObject(input) ? ofTool : input)).pipe(
              Effect.mapError((failure) => failureOf(account, failure))
            )
          )
        }
      }
    })
    const { data, resources } = first
    return {
      instructions: `${first.instructions} Sellers' accounts: ${names.join(", ")}; each tool takes one as account.`,
      ...(data && { data }),
      tools,
      ...(resources && { resources: resourcesOver(resources, offers) })
    }
  }

  /** Addresses name an account as a parameter. */
  const resourcesOver = (first: ResourceProvider, offers: ReadonlyMap<string, Offer>): ResourceProvider => ({
    ...first,
    templates: first.templates.map((one) => ({ ...one, uriTemplate: one.uriTemplate.replace("}", ",account}") })),
    read: (uri) => {
      const requested = URL.canParse(uri) ? (new URL(uri).searchParams.get("account") ?? undefined) : undefined
      return Effect.flatMap(nameOf(requested, "uri"), (account) => (offers.get(account)?.resources ?? first).read(uri))
    }
  })

  const offers: ReadonlyMap<string, Offer> = toolsets
  const checks = [...toolsets].flatMap(([account, { check }]) =>
    check === undefined
      ? []
      : [Effect.map(check, (some) => some.map((one) => ({ ...one, words: `${account}: ${one.words}` })))]
  )
  return {
    name: "marketplace",
    ...offerOf(offers),
    narrow: Effect.map(
      Effect.forEach(toolsets, ([account, toolset]) =>
        Effect.map(offered(toolset), (offer) => [account, offer] as const)
      ),
      (offers) => offerOf(new Map(offers))
    ),
    check: Effect.map(Effect.all(checks), (some) => some.flat())
  }
}
