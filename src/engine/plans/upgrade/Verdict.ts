import type { NodeDifference } from "../../operator/proof/compare.ts"

/** The outcome of the proof of one workflow. */
export type Verdict =
  | {
      readonly _tag: "proved"
      readonly runs: number
      readonly items: number
      readonly on: ReadonlyArray<string>
      readonly notes: ReadonlyArray<string>
    }
  /** The rules say that it is the same; there is no run that could show it. */
  | { readonly _tag: "equal by rule"; readonly why: string }
  | { readonly _tag: "different"; readonly on: string; readonly difference: NodeDifference }
  | { readonly _tag: "unproved"; readonly why: string }
