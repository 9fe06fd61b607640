import { Schema } from "effect"

import { open } from "../http/open.ts"

export const Tag = open({ id: Schema.String, name: Schema.String })
export type Tag = typeof Tag.Type
