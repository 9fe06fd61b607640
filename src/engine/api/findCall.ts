import { Effect, Option, Schema } from "effect"

import { clipped } from "../../internal/foreignText.ts"
import { fitted } from "../../internal/json/values.ts"
import { reads } from "../../mcp/annotations.ts"
import type { Capabilities } from "../client/capabilities.ts"
import { withoutNames } from "../client/capabilities.ts"
import { EngineClient } from "../client/EngineClient.ts"
import * as EngineTool from "../tools/EngineTool.ts"
import { type ApiCall, isRead } from "./ApiCall.ts"
import { ApiDescriptions } from "./ApiDescriptions.ts"
import { deniedWords } from "./decodeCall.ts"
import { argumentsOf, lineOf, rankCalls } from "./findCalls.ts"
import { toolFor } from "./toolFor.ts"

/** Calls that are shown at most. */
const most = 8

/** Bytes for the calls beside the best one, or for areas where there is none. */
const room = 350

export const findCall = EngineTool.make("find_call", {
  title: "Find call",
  description: "Calls of the engine's API for a task, and the arguments of the best",
  annotations: reads,
  arguments: { text: Schema.String.annotate({ description: "e.g. create a variable" }) },
  run: Effect.fnUntraced(function* ({ text }) {
    const { allowed, description, refused } = yield* allowedCalls()
    const [best, ...others] = rankCalls(allowed, text)
    if (best === undefined) {
      const [denied] = rankCalls(description.calls, text)
      if (denied !== undefined) return { calls: [], notice: `${denied.call} is ${deniedWords(denied)}.` }
      const areas = new Set(allowed.flatMap(({ tag }) => (tag === "" ? [] : [tag])))
      return {
        calls: [],
        notice: `No call of this engine's API is about that (${allowed.length} calls searched). Ask again with the words of an area.`,
        areas: fitted([...areas], room)
      }
    }
    const tool = toolFor(best.call)
    const lines = fitted(others.slice(0, most - 1).map(lineOf), room)
    return {
      best: {
        call: best.call,
        ...(best.summary === "" ? {} : { does: clipped(best.summary, 200) }),
        ...argumentsOf(best),
        ...(tool === undefined
          ? isRead(best)
            ? {}
            : { make: best.takesFile === true ? "takes a file, which no tool sends" : "by plan_engine_call" }
          : { tool: isRead(best) ? `${tool} does this better` : `${tool} does this` })
      },
      ...(others.length === 0 ? {} : { others: lines }),
      ...(others.length > lines.length ? { more: others.length - lines.length } : {}),
      ...(refused === 0 ? {} : { notice: `The API key may not make ${refused} other calls of this engine.` }),
      ...(description.keptOf === undefined
        ? {}
        : {
            source: `The calls of ${description.keptOf}: this engine gives no description of its own that can be used`
          }),
      ...(description.unreadable.length === 0 ? {} : { unreadable: description.unreadable.length })
    }
  })
})

/**
 * The calls that the engine describes, cut to those that this key may make as far as the engine tells. Rights that were read lately
 * count; where a wanted call is not among them, they are read again, as a person may have changed the key.
 */
export const allowedCalls = Effect.fnUntraced(function* (wanted?: string) {
  const engine = yield* EngineClient
  const description = yield* (yield* ApiDescriptions).of(engine)
  const allowedBy = (rights: Option.Option<Capabilities>) => {
    if (Option.isNone(rights)) return description.calls
    const offered = rights.value.calls
    return description.calls.filter(({ call }) => offered.has(withoutNames(call)))
  }
  // Asking for no right reads and keeps them all.
  yield* engine.requireRights([])
  const lately = allowedBy(yield* engine.rights)
  const isMissing = (calls: ReadonlyArray<ApiCall>) => !calls.some(({ call }) => call === wanted)
  const isStale = wanted !== undefined && isMissing(lately) && !isMissing(description.calls)
  const allowed = isStale ? allowedBy(yield* engine.capabilitiesIfSupported) : lately
  return { allowed, description, refused: description.calls.length - allowed.length }
})
