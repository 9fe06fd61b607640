import { clipped } from "../../../internal/clipped.ts"
/** Something about a workflow that is wrong, or at least not what it seems. */
export interface Finding {
  /** `error`: it will not run so; `warning`: it has no effect, or another one than it seems. */
  readonly level: "error" | "warning"
  /** Name of the node. */
  readonly node?: string
  /** Where in the node: `type`, `parameters.url`, `credentials.slackApi`. */
  readonly field?: string
  /** What is there. */
  readonly problem: string
  /** What would be right. */
  readonly fix?: string
}

/** A finding in one line. */
export const inWords = ({ field, fix, node, problem }: Finding): string => {
  const place = [...(node === undefined ? [] : [`node ${node}`]), ...(field === undefined ? [] : [field])].join(", ")
  return `${place === "" ? "" : `${place}: `}${problem}${fix === undefined ? "" : `. ${fix}`}`
}

/** The beginning of a value, as JSON. */
export const quoted = (value: unknown): string => clipped(JSON.stringify(value) ?? "nothing", 80)
