import type { HttpServerRequest } from "effect/http"

import { type Address, addressesOf, match } from "../rules/addresses.ts"
import { isListening } from "../rules/publishing.ts"
import type { Moment } from "../store/fresh.ts"
import type { WorkflowRecord } from "../store/records.ts"
import { decodeSegment } from "../wire/match.ts"

/** A workflow that listens at the path of a call. */
export interface Listener {
  readonly workflow: WorkflowRecord
  readonly address: Address
  readonly variables: Readonly<Record<string, string>>
}

/** The path of a call, decoded, without its first slash. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string =>
  (url.split("?")[0] ?? "").slice(1).split("/").map(decodeSegment).join("/")

/** Everything that listens at a path, whatever the method. Where two listen to the same, the later one has taken over. */
export const listenersAt = (
  path: string,
  workflows: ReadonlyArray<WorkflowRecord>,
  moment: Moment
): ReadonlyArray<Listener> =>
  workflows
    .filter((workflow) => isListening(workflow, moment))
    .sort((a, b) => (b.published?.listensAt ?? 0) - (a.published?.listensAt ?? 0))
    .flatMap((workflow) =>
      addressesOf(workflow.id, workflow.published?.nodes ?? []).flatMap((address) => {
        const variables = match(address, path)
        return variables === undefined ? [] : [{ workflow, address, variables }]
      })
    )
