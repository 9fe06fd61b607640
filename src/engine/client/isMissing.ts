import { type ApiError, type EngineError, reworded } from "./EngineError.ts"
import type { ExecutionId } from "./models.ts"

/** Whether the engine has no such thing as was asked for. */
export const isMissing = (error: EngineError): error is ApiError & { readonly httpStatus: 404 } =>
  error._tag === "ApiError" && error.httpStatus === 404

/** Says in the contract's words that there is no such execution; the engine's own stay in `apiResponse`. */
export const executionNotFound =
  (id: ExecutionId) =>
  (error: EngineError): EngineError =>
    isMissing(error) ? reworded(error, `Execution not found (execution ${id} on instance ${error.instance})`) : error
