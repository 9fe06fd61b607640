import { Schema } from "effect"

import { open } from "../../internal/schema/openStruct.ts"

export const Tag = open({ id: Schema.String, name: Schema.String })
export type Tag = typeof Tag.Type
