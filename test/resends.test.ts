import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"

import type { EngineClient } from "../src/engine/client/EngineClient.ts"
import { Instances } from "../src/engine/client/Instances.ts"
import { CredentialId, CredentialType, ExecutionId, TagId, WorkflowId } from "../src/engine/workflow/models.ts"
import * as Resend from "../src/internal/http/resend.ts"
import { MarketplaceAds } from "../src/marketplace/client/MarketplaceAds.ts"
import { Kopecks } from "../src/marketplace/client/money.ts"
import { operations } from "../src/marketplace/client/operations.ts"
import { json, serving } from "./engine/tools/standIn.ts"
import { answers, breaks, type Step } from "./internal/http/standIn.ts"
import { adsOver } from "./marketplace/support.ts"
import { inTime } from "./support/inTime.ts"

/** How the first request of a call that changes something ends, and whether that was carried out, or may have been. */
interface Row {
  readonly ends: Step
  readonly isCarriedOut: boolean
}

const html = { "content-type": "text/html" }

/** Every reason of the table as it comes over a network, and an end that is no reason at all. */
const rows: Readonly<Record<Resend.Reason | "no reason", Row>> = {
  "never arrived": { ends: breaks("ECONNREFUSED"), isCarriedOut: false },
  "too many requests": { ends: answers(429, { "retry-after": "1" }, "slow down"), isCarriedOut: false },
  "answer lost": { ends: breaks("ECONNRESET"), isCarriedOut: true },
  "answer broken off": {
    ends: answers(200, {}, new ReadableStream({ pull: (body) => body.error(new Error("cut")) })),
    isCarriedOut: true
  },
  "gateway's answer": { ends: answers(502, html, "<h1>Bad Gateway</h1>"), isCarriedOut: true },
  "server error": { ends: json({ message: "Internal Server Error" }, 500), isCarriedOut: true },
  "engine starting": { ends: answers(200, html, "n8n is starting up. Please wait"), isCarriedOut: false },
  "other key header": { ends: json({ message: "unauthorized" }, 401), isCarriedOut: false },
  "unknown field": {
    ends: json({ message: "request/body/settings must NOT have additional properties" }, 400),
    isCarriedOut: false
  },
  // The reads of this stand-in show what was to be deleted.
  "still there": { ends: json({ message: "Internal Server Error" }, 500), isCarriedOut: false },
  "refused for now": { ends: json({ message: "Workflow is still being unpublished" }, 409), isCarriedOut: false },
  "nothing listens": {
    ends: json({ code: 404, message: 'The requested webhook "POST x" is not registered.', hint: "Activate" }, 404),
    isCarriedOut: false
  },
  "no reason": { ends: json({ message: "bad request" }, 400), isCarriedOut: false }
}

/** An upstream on which the first request that changes something ends in this way, and every other one well. */
const upstreamThat = ({ ends }: Row, isChange: (method: string, path: string) => boolean) => {
  const arrived = { changes: 0 }
  const client = HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const isFirst = isChange(request.method, url.pathname) && ++arrived.changes === 1
      return (isFirst ? ends : json({ data: [], id: "w1", name: "Orders", nodes: [], connections: {}, active: false }))(
        request
      )
    })
  )
  return { arrived, client }
}

/** How often something may have been carried out: more than once is what nobody may ever do. */
const timesCarriedOut = ({ isCarriedOut }: Row, changes: number) => (isCarriedOut ? changes : Math.max(0, changes - 1))

const cases = (names: ReadonlyArray<string>) =>
  Object.entries(rows).flatMap(([reason, row]) => names.map((name) => [name, reason, row] as const))

describe("a change of the engine", () => {
  const id = WorkflowId.make("w1")
  const tag = TagId.make("t1")
  const credential = CredentialId.make("c1")
  const execution = ExecutionId.make(1)
  const ofRow = { filters: [{ columnName: "id", condition: "eq", value: 1 }] } as const
  const start = {
    id: "1",
    name: "A",
    type: "n8n-nodes-base.manualTrigger",
    typeVersion: 1,
    position: [0, 0],
    parameters: {}
  }
  const workflow = { id, name: "Orders", active: false, nodes: [start], connections: {}, settings: {} }

  const changes: Readonly<Record<string, (engine: EngineClient["Service"]) => Effect.Effect<unknown, unknown>>> = {
    createWorkflow: (engine) =>
      engine.createWorkflow({ name: "Orders", nodes: [start], connections: {}, settings: { callerPolicy: "any" } }),
    updateWorkflow: (engine) => engine.updateWorkflow(workflow, { settings: { callerPolicy: "any" } }),
    deleteWorkflow: (engine) => engine.deleteWorkflow(id),
    activateWorkflow: (engine) => engine.activateWorkflow(id),
    deactivateWorkflow: (engine) => engine.deactivateWorkflow(id),
    archiveWorkflowIfSupported: (engine) => engine.archiveWorkflowIfSupported(id, true),
    setWorkflowTags: (engine) => engine.setWorkflowTags(id, [tag]),
    deleteExecution: (engine) => engine.deleteExecution(execution),
    retryExecutionIfSupported: (engine) => engine.retryExecutionIfSupported(execution),
    stopExecutionIfSupported: (engine) => engine.stopExecutionIfSupported(execution),
    createCredential: (engine) =>
      engine.createCredential({ name: "Key", type: CredentialType.make("httpHeaderAuth"), data: {} }),
    updateCredentialIfSupported: (engine) => engine.updateCredentialIfSupported(credential, { name: "Key" }),
    deleteCredential: (engine) => engine.deleteCredential(credential),
    createTag: (engine) => engine.createTag("red"),
    updateTag: (engine) => engine.updateTag(tag, "blue"),
    deleteTag: (engine) => engine.deleteTag(tag),
    changeCall: (engine) =>
      engine.changeCall({ method: "POST", path: "/variables", query: {}, body: { key: "a", value: "b" } }),
    createTable: (engine) => engine.createTable("Orders", []),
    renameTable: (engine) => engine.renameTable("w1", "Orders"),
    deleteTable: (engine) => engine.deleteTable("w1"),
    createColumn: (engine) => engine.createColumn("w1", { name: "city", type: "string" }),
    renameColumn: (engine) => engine.renameColumn("w1", "c1", "town"),
    deleteColumn: (engine) => engine.deleteColumn("w1", "c1"),
    insertRows: (engine) => engine.insertRows("w1", [{ city: "Rome" }]),
    updateRows: (engine) => engine.updateRows("w1", ofRow, { city: "Rome" }),
    deleteRows: (engine) => engine.deleteRows("w1", ofRow),
    callAddress: (engine) => engine.callAddress({ method: "POST", path: "/webhook/x", body: {} })
  }

  it.effect.each(cases(Object.keys(changes)))(
    "%s is carried out once at most, where it ends with: %s",
    ([name, , row]) => {
      const { arrived, client } = upstreamThat(row, (method) => method !== "GET")
      return Effect.gen(function* () {
        const engine = yield* Instances.use((instances) => instances.resolve(undefined))
        yield* inTime(Effect.exit(changes[name]?.(engine) ?? Effect.void))
        assert.isAbove(arrived.changes, 0)
        assert.isBelow(timesCarriedOut(row, arrived.changes), 2)
      }).pipe(Effect.provide(serving(client)))
    }
  )

  it.effect("is every one that the client can send", () =>
    Effect.gen(function* () {
      const engine = yield* Instances.use((instances) => instances.resolve(undefined))
      const others =
        /^(?:list|take|get|may|test)|^(?:exclusively|proven|credentialTypes|nodeTypes|communityPackages|publicVersion|capabilities|rights|requireRights|heardAt|clockSkew|instance|host|isReadOnly|versions|history|freezing|apiDescription|readCall|folders)/
      assert.sameMembers(
        Object.keys(engine).filter((name) => !others.test(name)),
        Object.keys(changes)
      )
    }).pipe(Effect.provide(serving(upstreamThat(rows["no reason"], () => false).client)))
  )
})

describe("a change of the marketplace", () => {
  const pair = { advert_id: 1, nm_id: 2 }
  const changes: Readonly<Record<string, (ads: MarketplaceAds["Service"]) => Effect.Effect<unknown, unknown>>> = {
    updateBids: (ads) =>
      ads.updateBids({
        bids: [{ advert_id: 1, nm_bids: [{ nm_id: 2, bid_kopecks: Kopecks.make(250), placement: "search" }] }]
      }),
    updateCampaignProducts: (ads) => ads.updateCampaignProducts({ campaigns: [{ advert_id: 1, add_nms: [2] }] }),
    setMinusPhrases: (ads) => ads.setMinusPhrases({ ...pair, norm_queries: ["a"] }),
    setNormqueryBids: (ads) => ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: Kopecks.make(1000) }] }),
    setNormqueryBidsV1: (ads) =>
      ads.setNormqueryBids({ bids: [{ ...pair, norm_query: "a", bid: Kopecks.make(1000) }] }),
    deleteNormqueryBids: (ads) => ads.deleteNormqueryBids({ bids: [{ ...pair, norm_query: "a" }] }),
    createSeacatSaveAd: (ads) => ads.createSeacatSaveAd({ name: "n", nms: [2] }),
    startCampaign: (ads) => ads.startCampaign(1),
    pauseCampaign: (ads) => ads.pauseCampaign(1),
    stopCampaign: (ads) => ads.stopCampaign(1),
    renameCampaign: (ads) => ads.renameCampaign(1, "n"),
    updateAuctionPlacement: (ads) =>
      ads.updateAuctionPlacement({
        placements: [{ advert_id: 1, placements: { search: true, recommendations: false } }]
      }),
    createBudgetDeposit: (ads) => ads.createBudgetDeposit({ advert_id: 1, rubles: 1000, from: "account" }),
    setDailyLimits: (ads) => ads.setDailyLimits({ advertIds: [1], enabled: true, dailyLimit: 60_000 }),
    deleteCampaign: (ads) => ads.deleteCampaign(1)
  }

  it.effect.each(cases(Object.keys(changes)))(
    "%s is carried out once at most, where it ends with: %s",
    ([name, , row]) => {
      const { arrived, client } = upstreamThat(row, () => true)
      return Effect.gen(function* () {
        const ads = yield* MarketplaceAds
        yield* inTime(Effect.exit(changes[name]?.(ads) ?? Effect.void))
        assert.isAbove(arrived.changes, 0)
        assert.isBelow(timesCarriedOut(row, arrived.changes), 2)
      }).pipe(Effect.provide(adsOver(client, name.endsWith("V1") ? { wire: "published", tokenKind: "personal" } : {})))
    }
  )

  it("is every one that the client can send", () => {
    const writes = Object.values(operations).filter(({ kind }) => kind === "write")
    assert.sameMembers(
      writes.map(({ name }) => name),
      Object.keys(changes)
    )
  })
})

describe("a reason to send a change again", () => {
  it("is never one that leaves open whether it was carried out", () => {
    for (const [reason, { isCarriedOut }] of Object.entries(rows)) {
      const known = Object.entries(Resend.reasons).find(([name]) => name === reason)
      assert.strictEqual(known?.[1].allows === "writes", !isCarriedOut && known !== undefined, reason)
    }
  })
})
