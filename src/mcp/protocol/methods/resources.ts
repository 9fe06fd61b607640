import { Effect, Predicate, Schema } from "effect"

import type { Resource, Resources, ResourceTemplate } from "../../Resources.ts"
import * as Method from "../Method.ts"
import { listed, onePage, pageParams } from "../Method.ts"
import type { ProtocolVersion } from "../ProtocolVersion.ts"

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export const resourceMethods = ({ concurrencyGroup, list, read, templates }: Resources["Service"]) =>
  ({
    "resources/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) =>
        onePage(params, { resources: list.map((resource) => listing(resource, protocolVersion)) }),
      listed
    ),
    "resources/templates/list": Method.make(
      () => pageParams,
      (params, { protocolVersion }) =>
        onePage(params, { resourceTemplates: templates.map((template) => listing(template, protocolVersion)) }),
      listed
    ),
    "resources/read": Method.make(
      () => ({ uri: Schema.String }),
      ({ uri }) => Effect.map(read(uri), (contents) => ({ contents: [contents] })),
      { ttlMs: 0, work: workOf(concurrencyGroup) }
    )
  }) satisfies Method.Methods

const workOf =
  (concurrencyGroup: Resources["Service"]["concurrencyGroup"]) =>
  (params: unknown): Method.Work => ({
    concurrencyGroup: concurrencyGroup?.(Predicate.hasProperty(params, "uri") ? params.uri : undefined) ?? "Resources",
    isSafeToStop: true
  })

const listing = <A extends Resource | ResourceTemplate>({ title, ...rest }: A, { structure }: ProtocolVersion) =>
  structure ? { ...rest, title } : rest
