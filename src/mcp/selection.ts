import { Context } from "effect"

import { fitting } from "../internal/fits.ts"

/** The tools to offer, of all that there are. */
export interface Selection {
  /**
   * Names of tools and toolsets, and patterns in which * stands for any characters, in the order of the list; one that begins
   * with - takes away, and from all tools where it is the first.
   */
  readonly names: ReadonlyArray<string>
  /** Whether lists leave out what clients assume anyway, and answers what calls do not ask for. */
  readonly isBrief?: boolean
  /** Arguments that lists leave out, by tool: calls may give them. */
  readonly hidden?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The selection of everything. */
export const everything: Selection = { names: ["*"] }

/** The selection for callers whose access has none. */
export const DefaultSelection = Context.Reference<Selection>("workflow-tool-server/mcp/DefaultSelection", {
  defaultValue: () => everything
})

/** Whether the current caller has asked for short answers by the selection of its tools. */
export const BriefAnswers = Context.Reference<boolean>("workflow-tool-server/mcp/BriefAnswers", {
  defaultValue: () => false
})

interface Named {
  readonly name: string
  readonly toolset?: string | undefined
}

/** A name without the sign that takes away. */
export const withoutSign = (name: string): string => name.replace(/^-/, "")

const matching = (name: string) => {
  const fits = fitting(withoutSign(name))
  return (tool: Named): boolean => fits(tool.name) || tool.toolset === withoutSign(name)
}

/** The selected tools, in the order of the selection. */
export const select = <A extends Named>(all: ReadonlyArray<A>, { names }: Selection): ReadonlyArray<A> =>
  names.reduce<ReadonlyArray<A>>(
    (chosen, name) => {
      const isMeant = matching(name)
      return name.startsWith("-")
        ? chosen.filter((tool) => !isMeant(tool))
        : [...chosen, ...all.filter((tool) => isMeant(tool) && !chosen.includes(tool))]
    },
    names[0]?.startsWith("-") === true ? all : []
  )

/** The names of a selection that mean no tool. */
export const unmatched = (all: ReadonlyArray<Named>, { names }: Selection): ReadonlyArray<string> =>
  names.filter((name) => !all.some(matching(name))).map(withoutSign)
