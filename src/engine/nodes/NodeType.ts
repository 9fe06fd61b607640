import { Schema } from "effect"

/** Required values of other parameters, by their names: one of a list each. */
export type Conditions = Readonly<Record<string, ReadonlyArray<unknown>>>

const Conditions = Schema.Record(Schema.String, Schema.Array(Schema.Unknown))

/** Conditions under which something of a node is shown: it counts only then. */
export interface DisplayOptions {
  readonly show?: Conditions
  readonly hide?: Conditions
}

const displayOptions = { show: Schema.optionalKey(Conditions), hide: Schema.optionalKey(Conditions) }

/** One of the values that a parameter can have. */
export interface Choice extends DisplayOptions {
  readonly value: unknown
  readonly title: string
  /** The action of an operation, in a few words: "Send a message". */
  readonly action?: string
}

const Choice = Schema.Struct({
  value: Schema.Unknown,
  title: Schema.String,
  action: Schema.optionalKey(Schema.String),
  ...displayOptions
})

/** Several parameters of a parameter, under one name. */
export interface Group {
  readonly name: string
  readonly title: string
  readonly fields: ReadonlyArray<Property>
}

/** A parameter of a node type, as far as it can be checked or must be known to be filled in. */
export interface Property extends DisplayOptions {
  readonly name: string
  readonly title: string
  /** As the engine calls it: string, options, collection, fixedCollection, resourceLocator, … */
  readonly type: string
  readonly default?: unknown
  readonly required?: boolean
  readonly description?: string
  /** The values of `options` and `multiOptions`. */
  readonly choices?: ReadonlyArray<Choice>
  /** Whether the values come from the service when the form is shown, so that none can be reported as wrong. */
  readonly isDynamic?: boolean
  /** Whether it holds a list of such values. */
  readonly isMultiple?: boolean
  /** The fields of a `collection`. */
  readonly fields?: ReadonlyArray<Property>
  /** The groups of a `fixedCollection`. */
  readonly groups?: ReadonlyArray<Group>
  /** The ways in which a `resourceLocator` can name its resource. */
  readonly modes?: ReadonlyArray<string>
  /** Whether a `resourceMapper` has to say which columns tell what is to be changed. */
  readonly needsMatch?: boolean
}

const Property: Schema.Codec<Property> = Schema.Struct({
  name: Schema.String,
  title: Schema.String,
  type: Schema.String,
  default: Schema.optionalKey(Schema.Unknown),
  required: Schema.optionalKey(Schema.Boolean),
  description: Schema.optionalKey(Schema.String),
  choices: Schema.optionalKey(Schema.Array(Choice)),
  isDynamic: Schema.optionalKey(Schema.Boolean),
  isMultiple: Schema.optionalKey(Schema.Boolean),
  fields: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Property> => Property))),
  groups: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        title: Schema.String,
        fields: Schema.Array(Schema.suspend((): Schema.Codec<Property> => Property))
      })
    )
  ),
  modes: Schema.optionalKey(Schema.Array(Schema.String)),
  needsMatch: Schema.optionalKey(Schema.Boolean),
  ...displayOptions
})

/** A place where connections end or begin. */
const Port = Schema.Struct({
  type: Schema.String,
  required: Schema.optionalKey(Schema.Boolean),
  /** Most connections that it takes. */
  max: Schema.optionalKey(Schema.Finite),
  /** Types of nodes, of which it takes no others. */
  only: Schema.optionalKey(Schema.Array(Schema.String)),
  ...displayOptions
})
export type Port = typeof Port.Type

const CredentialUse = Schema.Struct({
  name: Schema.String,
  required: Schema.optionalKey(Schema.Boolean),
  ...displayOptions
})
export type CredentialUse = typeof CredentialUse.Type

/** Some versions of a node type that share one description. */
export const NodeType = Schema.Struct({
  /** With the package: the `type` of a node. */
  type: Schema.String,
  title: Schema.String,
  description: Schema.String,
  versions: Schema.Array(Schema.Finite),
  /** The version that the editor takes for a new node. */
  defaultVersion: Schema.Finite,
  isTrigger: Schema.Boolean,
  /** Whether the editor offers it no more. */
  isHidden: Schema.optionalKey(Schema.Boolean),
  /** Whether engines refuse to create, copy or change such a node, and the type that replaces it. */
  isDeprecated: Schema.optionalKey(Schema.Boolean),
  replacedBy: Schema.optionalKey(Schema.String),
  /** Whether only its name is known. */
  isBare: Schema.optionalKey(Schema.Boolean),
  /** Whether an agent can use it as a tool, under its name with `Tool` behind. */
  asTool: Schema.optionalKey(Schema.Boolean),
  inputs: Schema.Array(Port),
  outputs: Schema.Array(Port),
  /** Whether the parameters decide which inputs or outputs there are: then those that are listed may be there. */
  hasDynamicInputs: Schema.optionalKey(Schema.Boolean),
  hasDynamicOutputs: Schema.optionalKey(Schema.Boolean),
  credentials: Schema.Array(CredentialUse),
  properties: Schema.Array(Property)
})
export type NodeType = typeof NodeType.Type

/** An entry of a list of node types, with what a search needs. */
export const IndexEntry = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  description: Schema.String,
  isTrigger: Schema.optionalKey(Schema.Boolean),
  isHidden: Schema.optionalKey(Schema.Boolean),
  asTool: Schema.optionalKey(Schema.Boolean),
  isBare: Schema.optionalKey(Schema.Boolean),
  versions: Schema.Array(Schema.Finite),
  defaultVersion: Schema.Finite,
  /** Other search terms. */
  alias: Schema.Array(Schema.String),
  /** The AI connection that it begins: `ai_tool`, `ai_languageModel`. */
  gives: Schema.Array(Schema.String),
  /** Its actions: resource, operation and words. */
  actions: Schema.Array(
    Schema.Struct({
      resource: Schema.optionalKey(Schema.String),
      operation: Schema.String,
      words: Schema.String
    })
  )
})
export type IndexEntry = typeof IndexEntry.Type
