import type { CreatedId } from "../../changes/Journal.ts"
import type { Change } from "../plan/Change.ts"

/** A change whose campaign has its id. */
export type Located = {
  readonly [K in Change["kind"]]: Extract<Change, { readonly kind: K }> & LocatedAt<K>
}[Change["kind"]]
type LocatedAt<K> = K extends "create" ? unknown : { readonly target: number }

/** Those of one kind. */
export type LocatedOf<K extends Located["kind"]> = Extract<Located, { readonly kind: K }>

/** Whether the campaign of a change has its id. */
export const isLocated = (change: Change): change is Located =>
  change.kind === "create" || typeof change.target === "number"

/** The change with the id of its campaign, once that exists. */
export const locate = (change: Change, created: (step: string) => CreatedId | undefined): Change | undefined => {
  if (change.kind === "create" || typeof change.target === "number") return change
  const target = created(change.target.created_by)
  return typeof target === "number" ? { ...change, target } : undefined
}
