import { Effect } from "effect"

import type { ReadView } from "../../mcp/AppViews.ts"
import type { ReadPageFile } from "../../mcp/transport/page.ts"

/** The folder beside that of the built command's chunks. */
const folder = new URL("../page/", import.meta.url)

/** Reads a file of the page on request. */
export const readPageFile: ReadPageFile = (name) =>
  Effect.tryPromise(() =>
    import("node:fs/promises").then(({ readFile }) => readFile(new URL(name, folder), "utf8"))
  ).pipe(Effect.orElseSucceed(() => undefined))

/** Makes the only view: a document that contains its script and style. */
export const readView: ReadView = (name) =>
  name === "view"
    ? Effect.map(
        Effect.all([readPageFile("view.html"), readPageFile("page.css"), readPageFile("view.js")]),
        ([document, style, script]) =>
          style === undefined || script === undefined
            ? undefined
            : document
                ?.replace("</style>", () => `${style}</style>`)
                .replace("</script>", () => `${inDocument(script)}</script>`)
      )
    : Effect.succeed(undefined)

/** A script as it can stand in a document: nothing in it looks like its end. */
const inDocument = (script: string) => script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")
