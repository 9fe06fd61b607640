import type { Change, Target } from "../plan/Change.ts"

/** A change whose campaign has its id. */
export type Located = {
  readonly [K in Change["kind"]]: Extract<Change, { readonly kind: K }> & LocatedAt<K>
}[Change["kind"]]
type LocatedAt<K> = K extends "create" ? unknown : { readonly target: number }

/** Those of one kind. */
export type LocatedOf<K extends Located["kind"]> = Extract<Located, { readonly kind: K }>

/** The change with the id of its campaign, once that exists. */
export const locate = (change: Change, created: ReadonlyMap<string, number>): Located | undefined => {
  if (change.kind === "create") return change
  const target = idOf(change.target, created)
  return target === undefined ? undefined : { ...change, target }
}

const idOf = (target: Target, created: ReadonlyMap<string, number>): number | undefined =>
  typeof target === "number" ? target : created.get(target.created_by)
