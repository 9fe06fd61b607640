import { clipped, visibleJson } from "../../../internal/foreignText.ts"

/** Something in a workflow that is wrong or misleading. */
export interface Finding {
  /** `error`: it cannot run like this; `warning`: it has no effect, or not the expected one. */
  readonly level: "error" | "warning"
  /** Name of the node. */
  readonly node?: string
  /** Path in the node: `type`, `parameters.url`, `credentials.slackApi`. */
  readonly field?: string
  /** The current value. */
  readonly problem: string
  /** The correct value. */
  readonly fix?: string
}

/** A finding in one line. */
export const inWords = ({ field, fix, node, problem }: Finding): string => {
  const place = [...(node === undefined ? [] : [`node ${node}`]), ...(field === undefined ? [] : [field])].join(", ")
  return `${place === "" ? "" : `${place}: `}${problem}${fix === undefined ? "" : `. ${fix}`}`
}

/** The beginning of a value, as JSON. */
export const quoted = (value: unknown): string => visibleJson(clipped(JSON.stringify(value) ?? "nothing", 80))
