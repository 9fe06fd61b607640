import { Result } from "effect"

import type { UpstreamRequest } from "../../../internal/http/Upstream.ts"
import { objectOf } from "../../../internal/schema/JsonObject.ts"
import type { RunData } from "../../operator/explain/runData.ts"
import { requestFor } from "../../tools/workflows/webhookRequest.ts"
import { addressesOf } from "../../workflow/addresses.ts"
import { nameOf, type Workflow } from "../../workflow/models.ts"
import { callOf } from "./selectRuns.ts"

/** The mark of the run anew of an execution, by which it is found among others. */
export const markOf = (execution: number): string => `anew-${execution}`

/** The call that runs a failed execution anew: the recorded one, to the same webhook; the failure says why there is none. */
export const callAnew = (
  workflow: Workflow,
  data: RunData | undefined,
  execution: number
): Result.Result<UpstreamRequest, string> => {
  const call = callOf(data)
  if (!workflow.active) return Result.fail("its workflow is not active")
  if (call === undefined) return Result.fail("the call that began it is not on record or hidden, or holds files")
  const address = addressesOf(workflow).find(({ kind, node }) => kind === "webhook" && node === call.node)
  if (address === undefined) return Result.fail("it did not begin with a webhook")
  const { authentication = "none" } = objectOf(workflow.nodes.find((node) => nameOf(node) === call.node)?.parameters)
  if (authentication !== "none") return Result.fail("its webhook asks for a login, which no record holds")
  const { body, params, query } = call.json
  const data_ = { ...objectOf(address.method === "GET" ? query : body), ...objectOf(params) }
  return Result.mapError(requestFor(address, data_, markOf(execution)), ({ problem }) => problem)
}
