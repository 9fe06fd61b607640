import { Context, Effect, Predicate } from "effect"

import { type Resource, ResourceNotFound, type ResourceProvider } from "./Resources.ts"

/** Reads a view by name: an HTML document of MCP Apps, which clients show beside an answer. */
export type ReadView = (name: string) => Effect.Effect<string | undefined>

/** The source of views; undefined if the program around the toolsets has none. */
export const AppViews = Context.Reference<ReadView | undefined>("workflow-tool-server/mcp/AppViews", {
  defaultValue: () => undefined
})

/** The media type by which clients recognise views. */
const viewType = "text/html;profile=mcp-app"

/** Whether a resource is a view, of which only clients that show views have a use. */
export const isView = ({ mimeType }: Resource): boolean => mimeType === viewType

/** The name of MCP Apps among the extensions of the protocol. */
export const viewExtension = "io.modelcontextprotocol/ui"

/** Whether a client with these capabilities shows views; it does if it names no media type. */
export const showsViews = (capabilities: unknown): boolean => {
  if (!Predicate.hasProperty(capabilities, "extensions")) return false
  const { extensions } = capabilities
  const settings = Predicate.hasProperty(extensions, viewExtension) ? extensions[viewExtension] : undefined
  if (!Predicate.isObject(settings)) return false
  const types = Predicate.hasProperty(settings, "mimeTypes") ? settings.mimeTypes : [viewType]
  return Array.isArray(types) && types.includes(viewType)
}

/** The metadata of a tool for a client, which has no use for a view that it does not show. */
export const metaFor = (meta: Readonly<Record<string, unknown>> | undefined, isShown: boolean) => {
  if (meta === undefined || isShown) return meta
  const { ui: _, ...rest } = { ui: undefined, ...meta }
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** A view, and the tool whose answers it shows. */
interface View {
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
