import path from "node:path"

import { Effect, Layer, Predicate } from "effect"
import { HttpClient } from "effect/http"

import { untrustedDestination } from "../../engine/client/config/instances.ts"
import { ConfigurationError } from "../../internal/config/ConfigurationError.ts"
import { HttpClients } from "../../internal/http/HttpClients.ts"
import { Entry, PlanJournal } from "../../marketplace/apply/Plans.ts"
import {
  accountsIn,
  decode,
  MarketplaceConfig,
  type MarketplaceSettings
} from "../../marketplace/client/MarketplaceConfig.ts"
import { StatisticsStore } from "../../marketplace/report/KeptStatistics.ts"
import type { Launch } from "../configuration/Launch.ts"
import { persistentFolder, keptNowhere } from "../files/homeFolders.ts"
import { Journals } from "../plans/PlanJournalFile.ts"
import * as NodeHttpClients from "../upstream/NodeHttpClients.ts"

/** The settings of one seller, or of several by name with the default one, validated; the environment takes precedence. */
export const readAccounts = Effect.fnUntraced(function* (launch: Launch) {
  const { config, marketplace, readOnly: serverReadOnly } = launch
  const { MARKETPLACE_API_KEY, MARKETPLACE_HOST } = process.env
  const given = yield* accountsIn(marketplace)
  if (given === undefined) {
    const untrusted = untrustedField(marketplace, MARKETPLACE_HOST)
    if (MARKETPLACE_API_KEY && config === undefined && untrusted !== undefined) {
      const variable = untrusted === "baseUrl" ? "MARKETPLACE_HOST" : undefined
      const place = `.config.json: marketplace.${untrusted}`
      return yield* untrustedDestination(place, "MARKETPLACE_API_KEY", { file: ".config.json", variable })
    }
    const settings = yield* decode(marketplace, { MARKETPLACE_API_KEY, MARKETPLACE_HOST })
    return { accounts: [["", { ...settings, serverReadOnly }] as const], standard: undefined }
  }
  if (MARKETPLACE_API_KEY || MARKETPLACE_HOST) {
    const variable = MARKETPLACE_API_KEY ? "MARKETPLACE_API_KEY" : "MARKETPLACE_HOST"
    const message = `${variable} is about a single seller: unset it, or remove marketplace.accounts`
    return yield* new ConfigurationError({ message })
  }
  const files = given.accounts.map(([, { journal }]) => path.resolve(journal))
  const twice = given.accounts[files.findIndex((file, at) => files.indexOf(file) < at)]
  if (twice !== undefined) {
    const message = `marketplace.accounts.${twice[0]}.journal must not be that of another account`
    return yield* new ConfigurationError({ message })
  }
  return {
    ...given,
    accounts: given.accounts.map(([name, settings]) => [name, { ...settings, serverReadOnly }] as const)
  }
})

/** Fields in the file that decide where a key is sent, or who can read it on the way. */
const untrustedField = (marketplace: unknown, host: string | undefined) => {
  if (Predicate.hasProperty(marketplace, "baseUrl") && !host) return "baseUrl"
  const decisive = ["caFile", "proxy"].find((field) => Predicate.hasProperty(marketplace, field))
  if (decisive !== undefined) return decisive
  const isInsecure = Predicate.hasProperty(marketplace, "allowInsecureHttp") && marketplace.allowInsecureHttp === true
  return isInsecure ? "allowInsecureHttp" : undefined
}

/** The HTTP client for the marketplace. */
const client = ({ caFile, proxy }: MarketplaceSettings) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.flatMap(HttpClients, (clients) =>
      clients.make({ ...(caFile === undefined ? {} : { caFile }), ...(proxy === undefined ? {} : { proxy }) })
    )
  ).pipe(Layer.provide(NodeHttpClients.layer))

/**
 * The configured marketplace, with a journal in its file. If nothing may be written, or the file cannot be, this server still
 * reads it, and its own plans are lost with it.
 */
export const configured = (launch: Launch, settings: MarketplaceSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folder = persistentFolder(launch.config)
      const withSettings = (more: Pick<MarketplaceSettings, "journalProblem"> = {}) =>
        Layer.merge(Layer.succeed(MarketplaceConfig, { ...settings, ...more }), client(settings))
      if (folder === undefined) {
        return Layer.merge(withSettings({ journalProblem: keptNowhere() }), PlanJournal.layerMemory)
      }
      // One configuration has one journal, wherever its server is started.
      const file = path.resolve(folder, settings.journal)
      const { values } = yield* Journals
      const withStatistics = (more?: Pick<MarketplaceSettings, "journalProblem">) =>
        Layer.merge(withSettings(more), Layer.effect(StatisticsStore, values(`${file}.statistics`)))
      if (settings.readOnly || settings.serverReadOnly) {
        return Layer.merge(withStatistics(), journalReading(file))
      }
      const problem = yield* problemWith(file)
      if (problem === undefined) return Layer.merge(withStatistics(), journal(file))
      const journalProblem = `marketplace.journal: ${problem}`
      yield* Effect.logWarning(`No marketplace plan can be applied here: ${journalProblem}`)
      return Layer.merge(withStatistics({ journalProblem }), journalReading(file))
    })
  )

/** Plans, progress and audit log of campaigns. */
export const journal = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(
    PlanJournal,
    Journals.use(({ make }) => make(file, Entry))
  )

/** The same if nothing may be written. */
export const journalReading = (file: string): Layer.Layer<PlanJournal> =>
  Layer.effect(
    PlanJournal,
    Journals.use(({ makeReading }) => makeReading(file, Entry))
  )

/** The reason why the file cannot be written; undefined if it can, or another process only uses it just now. */
export const problemWith = (file: string) => Journals.use((journals) => journals.problemWith(file, Entry))
