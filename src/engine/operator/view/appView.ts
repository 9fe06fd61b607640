import { type ReadView, viewMeta, viewResources } from "../../../mcp/AppViews.ts"
import type { Tool } from "../../../mcp/Tool.ts"

/** What clients show beside answers where they show such views; to others it is one field more in a list. */
const appView = {
  uri: "ui://workflow-tool-server/view",
  name: "view",
  title: "View",
  description: "Workflows drawn as graphs with their runs; plans and comparisons as differences"
}

/** The tools whose answers have a view, named by it. */
export const withView = <R>(tools: ReadonlyArray<Tool<R>>): ReadonlyArray<Tool<R>> =>
  tools.map((tool) =>
    /^(?:view_workflow|compare_workflows|plan_.+)$/.test(tool.name)
      ? { ...tool, meta: { ...tool.meta, ...viewMeta(appView) } }
      : tool
  )

/** The view itself. */
export const viewResource = (read: ReadView) => viewResources([appView], read)
