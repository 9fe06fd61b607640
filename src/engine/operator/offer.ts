import { type ReadView, viewMeta, viewResources } from "../../mcp/AppViews.ts"
import type { Tool } from "../../mcp/Tool.ts"
import type { Offer } from "../../mcp/Toolset.ts"
import type { InstanceNames } from "../client/config/EngineConfig.ts"
import { naming, over } from "../tools/overInstances.ts"
import { foreignTexts } from "../workflow/naming.ts"
import { skills } from "./skills.ts"

/** Instructions for models about these tools together. */
export const instructions =
  "Prefer the tools that say less: search_workflows finds, view_workflow shows a workflow in a few words, edit_workflow " +
  "changes only what is named, explain_execution says why a run failed. Before you write nodes, describe_node tells what they " +
  "need on this engine; check_workflow finds mistakes before a run."

/** The tools by what one call works on: several instances, or a single one. */
interface Tools<R> {
  readonly across: ReadonlyArray<Tool<R>>
  readonly single: ReadonlyArray<Tool<R>>
}

/** The offer of the toolset `operator` over these instances, with views if they can be read. */
export const offerOver = <R>(
  { across, single }: Tools<R>,
  instances: InstanceNames,
  read: ReadView | undefined
): Offer<R> => {
  if (instances.names.length === 0) return { instructions: "", tools: [] }
  const tools = [...across.map((tool) => ({ ...tool, concurrencyGroup: several })), ...over(single, instances)]
  const offer = { instructions, data: foreignTexts, skills }
  return read === undefined ? { ...offer, tools } : { ...offer, tools: withView(tools), resources: viewResource(read) }
}

const several = () => "Several instances"

/** An offer with the tools that plan changes. */
export const withPlanning = <R, P>(
  offer: Offer<R>,
  planning: ReadonlyArray<Tool<P>>,
  instances: InstanceNames,
  read: ReadView | undefined
): Offer<P | R> => {
  if (instances.names.length === 0) return offer
  const named = naming(planning, instances)
  return { ...offer, tools: [...offer.tools, ...(read === undefined ? named : withView(named))] }
}

/** The view that clients show beside answers, if they show views. */
const appView = {
  uri: "ui://workflow-tool-server/view",
  name: "view",
  title: "View",
  description: "Workflows drawn as graphs with their runs; plans and comparisons as differences"
}

/** The tools whose answers have a view, named by it. */
const withView = <R>(tools: ReadonlyArray<Tool<R>>): ReadonlyArray<Tool<R>> =>
  tools.map((tool) =>
    /^(?:view_workflow|compare_workflows|plan_.+)$/.test(tool.name)
      ? { ...tool, meta: { ...tool.meta, ...viewMeta(appView) } }
      : tool
  )

/** The view itself. */
const viewResource = (read: ReadView) => viewResources([appView], read)
