import { Schema } from "effect"

import { JsonObject } from "../../internal/schema/JsonObject.ts"

/** Shapes of results as a client may rely on them; all are open to fields that are not named. */
export const page = Schema.Struct({ data: Schema.Array(JsonObject), nextCursor: Schema.optionalKey(Schema.String) })

export const workflow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean,
  version: Schema.String,
  nodes: Schema.Array(JsonObject),
  connections: JsonObject
})

/** A workflow after a change of it: where the whole is too large for an answer, only its state. */
export const writtenWorkflow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean,
  version: Schema.String,
  nodes: Schema.optionalKey(Schema.Array(JsonObject)),
  connections: Schema.optionalKey(JsonObject)
})

/** A workflow without what it does. */
export const workflowState = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean,
  version: Schema.String
})

export const execution = Schema.Struct({ id: Schema.Int })

export const credential = Schema.Struct({ id: Schema.String, name: Schema.String, type: Schema.String })

export const tag = Schema.Struct({ id: Schema.String, name: Schema.String })

export const deleted = Schema.Struct({ message: Schema.String, id: Schema.Union([Schema.String, Schema.Int]) })

/** Advice for a workflow that is larger than an answer may be. */
export const readElsewhere = "Read this workflow in the engine UI, or raise answerLimit in the configuration."
