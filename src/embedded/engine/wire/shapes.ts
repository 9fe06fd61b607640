/** What a value in a request must look like, for an engine that names the first thing that is wrong. */
export type Shape =
  | { readonly is: "anything" | "boolean" | "json" | "map" | "number" | "object" | "readOnly" | "string" }
  | { readonly is: "choice"; readonly of: ReadonlyArray<string> }
  | { readonly is: "array"; readonly of: Shape }
  | Fields

export interface Fields {
  readonly is: "fields"
  readonly fields: Readonly<Record<string, Shape>>
  readonly required: ReadonlyArray<string>
  /** Whether other fields may stand beside these. */
  readonly isOpen?: boolean
}

export const anything: Shape = { is: "anything" }
export const boolean: Shape = { is: "boolean" }
export const number: Shape = { is: "number" }
export const string: Shape = { is: "string" }
/** Any object. */
export const object: Shape = { is: "object" }
/** Any object, too; 2.x engines complain about this one in the words of 1.x. */
export const map: Shape = { is: "map" }
/** An object, null, or the text of one. */
export const json: Shape = { is: "json" }
/** A field that answers have and requests must not. */
export const readOnly: Shape = { is: "readOnly" }

export const choice = (...of: ReadonlyArray<string>): Shape => ({ is: "choice", of })

export const array = (of: Shape): Shape => ({ is: "array", of })

/** An object with these fields, and no others unless it is made open. */
export const fields = (of: Readonly<Record<string, Shape>>, ...required: ReadonlyArray<string>): Fields => ({
  is: "fields",
  fields: of,
  required
})
