import { Context, type Redacted } from "effect"

import type { Refusal } from "../../../mcp/Tool.ts"
import type { InstanceFields } from "./instanceFields.ts"

/** One engine instance: its address, its key and the limits of its use, with the contract's names as ours. */
export interface Environment extends Omit<
  typeof InstanceFields.Type,
  "engine_api_key" | "engine_api_key_header" | "engine_host"
> {
  /** Base URL, without `/api/v1` and without a trailing slash. */
  readonly host: string
  readonly apiKey: Redacted.Redacted
  /** Pins the name of the key header; without it the name is learnt from the first call. */
  readonly apiKeyHeader?: string
  /** Whether it runs inside this process: its host is a name that nobody can open. */
  readonly isEmbedded?: boolean
}

/** The facts about the instances that are there before any of them is talked to. */
export interface InstanceNames {
  /** In the order of the configuration. */
  readonly names: ReadonlyArray<string>
  readonly defaultName: string
  /** Names of those on which nothing may be changed. */
  readonly readOnly: ReadonlySet<string>
  /** Whether some workflows are changed only after a person has agreed. */
  readonly isProtecting?: boolean
  /** Tells whether every instance is known to refuse all of some calls, for lack of rights or as it is read-only. */
  readonly refusing?: Refusal["refusing"]
}

/** Every configured instance, checked, and the name of the one that is used when a call names none. */
export class EngineConfig extends Context.Service<
  EngineConfig,
  {
    /** The instance that is meant where a call names none. */
    readonly defaultEnv: string
    /** The instances by their names. */
    readonly environments: ReadonlyMap<string, Environment>
  }
>()("workflow-tool-server/config/EngineConfig") {}

/** The names of the configured instances. */
export const namesIn = ({ defaultEnv, environments }: EngineConfig["Service"]): InstanceNames => {
  const names = [...environments.keys()]
  return {
    names,
    defaultName: defaultEnv,
    readOnly: new Set(names.filter((name) => environments.get(name)?.readOnly === true))
  }
}
