import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

import type { PageAddress, SecretForms } from "../../mcp/protocol/elicitation/SecretForms.ts"
import { fallback } from "../../mcp/transport/http.ts"
import { formsLayer } from "../../mcp/transport/page.ts"
import { httpListener } from "./httpListener.ts"
import { readPageFile } from "./pageFiles.ts"

/** Serves the forms for secrets on a free port, which only this machine reaches, until the scope ends. */
export const loopbackPage = (forms: SecretForms): PageAddress =>
  Layer.build(
    Layer.fresh(
      HttpRouter.serve(Layer.merge(formsLayer(forms, readPageFile), fallback()), {
        disableLogger: true,
        disableListenLog: true
      }).pipe(Layer.provideMerge(httpListener({ host: "127.0.0.1", port: 0 })))
    )
  ).pipe(
    Effect.flatMap((context) => Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)),
    Effect.map((address) => `${address}/`),
    Effect.catch(({ message }) => Effect.as(Effect.logWarning(`No page for secrets: ${message}`), undefined))
  )
