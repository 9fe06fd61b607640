import { Predicate } from "effect"

import { each, only, type Selection } from "../../../internal/json/Selection.ts"
import { type JsonObject, listOf, objectOf } from "../../../internal/schema/JsonObject.ts"
import type { Execution } from "../../workflow/models.ts"
import { nodeNamed, type NodeRun, type RunData, runDataOf, textIn } from "../explain/runData.ts"
import type { ModelTokens } from "./ModelPrices.ts"

/** One call of a language model, as a run keeps it. */
export interface ModelCall extends ModelTokens {
  readonly node: string
  /** Whether the engine has estimated them, as it does for answers that come in pieces from providers that do not count. */
  readonly isEstimated: boolean
  readonly isFailed: boolean
}

/** The parts of an execution by which calls of models are counted. */
export const callsOnly: Selection = only({
  id: "whole",
  status: "whole",
  workflowData: only({
    nodes: each(only({ name: "whole", parameters: only({ model: "whole", modelName: "whole", modelId: "whole" }) }))
  }),
  data: only({
    resultData: only({
      runData: each(
        each(
          only({
            data: only({ ai_languageModel: "whole" }),
            inputOverride: only({ ai_languageModel: each(each(only({ json: only({ options: "whole" }) }))) }),
            error: "whole"
          })
        )
      )
    })
  })
})

/** The calls of models in a run, each once: an agent that uses tools calls its model for every step. */
export const modelCallsIn = (execution: Execution): ReadonlyArray<ModelCall> => {
  const data = runDataOf(execution)
  return data === undefined ? [] : data.runs.flatMap((run) => callOf(data, run))
}

const callOf = (data: RunData, run: NodeRun): ReadonlyArray<ModelCall> => {
  const { whole } = run
  const isOfModel =
    Predicate.hasProperty(whole.data, "ai_languageModel") ||
    Predicate.hasProperty(whole.inputOverride, "ai_languageModel")
  if (!isOfModel) return []
  const items = listOf(listOf(objectOf(whole.data).ai_languageModel)[0])
  const answer = objectOf(objectOf(items[0]).json)
  const usage = objectOf(answer.tokenUsage ?? answer.tokenUsageEstimate)
  const details = generationOf(answer)
  return [
    {
      node: run.node,
      model: modelOf(data, run),
      inputTokens: numberIn(usage.promptTokens, details.input_tokens, usage.totalTokens),
      outputTokens: numberIn(usage.completionTokens, details.output_tokens),
      cachedTokens: numberIn(objectOf(details.input_token_details).cache_read, usage.cachedTokens),
      isEstimated: answer.tokenUsage === undefined && answer.tokenUsageEstimate !== undefined,
      isFailed: run.error !== undefined
    }
  ]
}

const numberIn = (...values: ReadonlyArray<unknown>): number =>
  values.find((value): value is number => Predicate.isNumber(value) && Number.isFinite(value) && value >= 0) ?? 0

/** The provider's own count in an answer, beside the engine's. */
const generationOf = (answer: JsonObject): JsonObject => {
  const generation = objectOf(
    listOf(listOf(objectOf(answer.response).generations)[0])[0] ?? listOf(objectOf(answer.response).generations)[0]
  )
  const message = objectOf(generation.message)
  return objectOf(objectOf(message.kwargs).usage_metadata ?? message.usage_metadata)
}

/** The model of a call: as it was asked for, else as its node has it. */
const modelOf = (data: RunData, { node, whole }: NodeRun): string => {
  const request = objectOf(objectOf(listOf(listOf(objectOf(whole.inputOverride).ai_languageModel)[0])[0]).json)
  const options = objectOf(request.options)
  const { model, modelId, modelName } = objectOf(nodeNamed(data, node)?.parameters)
  const named = [options.model, options.model_name, options.modelName, model, objectOf(model).value, modelName, modelId]
  return named.map(textIn).find(Predicate.isNotUndefined) ?? "unknown"
}
