import { Effect, Predicate, Schema } from "effect"

import type { Resource, Resources, ResourceTemplate } from "../../Resources.ts"
import * as Method from "../Method.ts"
import type { Revision } from "../Revision.ts"
import { cursor, onePage, shelfLife } from "./paging.ts"

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export const resourceMethods = ({ lane, list, read, templates }: Resources["Service"]) =>
  ({
    "resources/list": Method.make(
      { cursor },
      (params, { revision }) => onePage(params, { resources: list.map((resource) => listing(resource, revision)) }),
      { ttlMs: shelfLife }
    ),
    "resources/templates/list": Method.make(
      { cursor },
      (params, { revision }) =>
        onePage(params, { resourceTemplates: templates.map((template) => listing(template, revision)) }),
      { ttlMs: shelfLife }
    ),
    "resources/read": Method.make(
      { uri: Schema.String },
      ({ uri }) => Effect.map(read(uri), (contents) => ({ contents: [contents] })),
      { ttlMs: 0, work: workOf(lane) }
    )
  }) satisfies Method.Methods

const workOf =
  (lane: Resources["Service"]["lane"]) =>
  (params: unknown): Method.Work => ({
    lane: lane?.(Predicate.hasProperty(params, "uri") ? params.uri : undefined) ?? "Resources",
    isSafeToStop: true
  })

const listing = <A extends Resource | ResourceTemplate>({ title, ...rest }: A, { structure }: Revision) =>
  structure ? { ...rest, title } : rest
