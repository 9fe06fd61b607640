import type { Cells, DataTable } from "../../workflow/dataTables.ts"
import type { Generation, Tag, Workflow } from "../../workflow/models.ts"
import type { Folder } from "../../workflow/projects.ts"
import type { KnownCredentials } from "../credentials.ts"
import type { NodeTypes } from "../NodeTypes.ts"
import type { Keep, Mapping } from "../settings.ts"
import type { EarlierPromotions } from "./earlierPromotions.ts"

/** The options of a promotion. */
export interface Options {
  /** `keep`: as it is on the target, new ones as on the source. */
  readonly activation: "activate" | "inactive" | "keep"
  /** Whether what is called comes along also where it has a counterpart already. */
  readonly dependencies: "all" | "missing"
  readonly onDrift: "block" | "overwrite"
}

/** Things of an instance, as far as its key can see them; `unread` is the reason why nobody can tell which there are. */
export interface Listing<A> {
  readonly items: ReadonlyArray<A>
  readonly unread?: string
}

/** The names on the way to a folder of the target, with all folders of its project; `unread` is the reason why it has none. */
export interface Place {
  readonly path: ReadonlyArray<string>
  readonly project: string
  readonly folders: ReadonlyArray<Folder>
  readonly unread?: string
}

/** The things beside workflows, tags and credentials that workflows of a promotion use. */
export interface Resources {
  readonly sourceTables: Listing<DataTable>
  readonly targetTables: Listing<DataTable>
  /** The names of the variables of the target; `ofProjects` are those that only workflows of some project see. */
  readonly targetVariables: Listing<string> & { readonly ofProjects?: ReadonlyArray<string> }
  /** The folder for new workflows, where one is given. */
  readonly place?: Place
  /** Values for variables that the target lacks. */
  readonly values: ReadonlyMap<string, string>
  /** The rows that go along with tables of the source, by the ids of these. */
  readonly rows: ReadonlyMap<string, ReadonlyArray<Cells>>
}

const nothing: Listing<never> = { items: [] }
export const noResources: Resources = {
  sourceTables: nothing,
  targetTables: nothing,
  targetVariables: nothing,
  values: new Map(),
  rows: new Map()
}

/** Everything that a promotion is worked out from. */
export interface Input {
  readonly from: string
  readonly to: string
  /** Ids of the workflows that were asked for. */
  readonly selected: ReadonlyArray<string>
  /** All workflows of the source that can be read. */
  readonly source: ReadonlyMap<string, Workflow>
  /** The reasons for which workflows may not go along, by their ids, where their tests decide that. */
  readonly untested?: ReadonlyMap<string, string>
  readonly target: ReadonlyArray<Workflow>
  readonly tags: ReadonlyArray<Tag>
  readonly credentials: KnownCredentials
  /** Left out where no workflow uses any. */
  readonly resources?: Resources
  readonly promoted: EarlierPromotions
  /** The editors of workflows of the target, in words, as far as their engine tells. */
  readonly editors: ReadonlyMap<string, string>
  readonly mapping: Mapping
  /** Values that this promotion was given, beside those of the mapping: they tell nothing of what is masked. */
  readonly givenValues?: Mapping["values"]
  /** Whether these stand for whole values, which is the default, or for parts of them. */
  readonly valuesMatch?: "part" | "whole" | undefined
  readonly keep: ReadonlyArray<Keep>
  /** Those of the rules that only this promotion was given. */
  readonly givenKeep?: ReadonlyArray<Keep>
  readonly generation: Generation
  readonly nodeTypes: NodeTypes
  readonly options: Options
}
