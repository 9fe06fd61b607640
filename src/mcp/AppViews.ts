import { Context, Effect } from "effect"

import { ResourceNotFound, type ResourceProvider } from "./Resources.ts"

/** Reads a view by name: an HTML document of MCP Apps, which clients show beside an answer. */
export type ReadView = (name: string) => Effect.Effect<string | undefined>

/** The source of views; undefined if the program around the toolsets has none. */
export const AppViews = Context.Reference<ReadView | undefined>("workflow-tool-server/mcp/AppViews", {
  defaultValue: () => undefined
})

/** The media type by which clients recognise views. */
const viewType = "text/html;profile=mcp-app"

/** A view, and the tool whose answers it shows. */
export interface View {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
}

/** The `_meta` of a tool that has a view. */
export const viewMeta = ({ uri }: View) => ({ ui: { resourceUri: uri } })

/** The views as resources, read when a client requests them. */
export const viewResources = (views: ReadonlyArray<View>, read: ReadView): ResourceProvider => ({
  list: views.map((view) => ({ ...view, mimeType: viewType })),
  templates: [],
  read: (uri) => {
    const view = views.find((one) => one.uri === uri)
    const document = view === undefined ? Effect.succeed(undefined) : read(view.name)
    return Effect.flatMap(document, (text) =>
      text === undefined
        ? Effect.fail(new ResourceNotFound({ uri }))
        : Effect.succeed({ uri, mimeType: viewType, text })
    )
  },
  complete: () => Effect.succeed({ values: [] })
})
