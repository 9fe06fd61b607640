import { type ApiError, type EngineError, reworded } from "./EngineError.ts"
import type { ExecutionId } from "./models.ts"

/** Whether the engine does not have what was requested. */
export const isMissing = (error: EngineError): error is ApiError & { readonly httpStatus: 404 } =>
  error._tag === "ApiError" && error.httpStatus === 404

/** The error of the contract for a missing execution; the engine's own message stays in `apiResponse`. */
export const executionNotFound =
  (id: ExecutionId) =>
  (error: EngineError): EngineError =>
    isMissing(error) ? reworded(error, `Execution not found (execution ${id} on instance ${error.instance})`) : error
