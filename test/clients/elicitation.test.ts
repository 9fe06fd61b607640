import { EventEmitter, once } from "node:events"
import path from "node:path"

import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { directory, useCommand } from "../cli/built.ts"
import { hooked } from "../support/everyTool.ts"
import { combinations } from "./clients.ts"
import { type StartedServer, useServers } from "./servers.ts"
import { type Arguments, dataOf, failureOf, type Person, type Session } from "./Session.ts"

useCommand()
useServers()

/** Older revisions have no questions. */
const asking = combinations.filter(([, , { revision }]) => revision >= "2025-06-18")

describe.each(asking)("the person at %s over %s", (name, transport, { connect }, open) => {
  let opened: StartedServer
  let session: Session
  let plan: unknown
  const asked: Array<string> = []
  const agrees: Person = () => Promise.resolve({ action: "accept", content: { agree: true } })
  let person = agrees

  beforeAll(async () => {
    const plans = { guards: { protected: { names: ["Billing*"] } } }
    const config = path.join(await directory({ "config.json": { plans } }), "config.json")
    opened = await open(["--embedded", "--config", config, "--toolsets", "engine,operator"])
    session = await connect(opened.endpoint, (message) => {
      asked.push(message)
      return person(message)
    })
    const { id } = await ask("create_workflow", { name: `Billing ${name}`, ...hooked("billing"), active: true })
    plan = (await ask("plan_bulk", { action: "deactivate", where: { ids: [id] } })).plan_id
  })
  afterAll(async () => {
    await session.close()
    await opened.exitCode()
  })

  const ask = async (tool: string, args: Arguments) => {
    const answer = await session.call(tool, args)
    assert.isFalse(answer.isError, `${tool}: ${JSON.stringify(answer.content)}`)
    return dataOf(answer)
  }

  const apply = (options = {}) =>
    session.call("apply_plan", { plan_id: plan, confirm: true, confirm_protected: true }, options)

  /** The words to the client when its person has not agreed, whichever form the revision has for that. */
  const refusal = () =>
    apply().then(
      ({ content, isError }) => {
        assert.isTrue(isError)
        return String(content[0]?.text)
      },
      (error: unknown) => String(error)
    )

  it("is asked about a single change, too", () => {
    assert.lengthOf(asked, 1)
    assert.include(asked[0], `changes the protected workflow "Billing ${name}"`)
  })

  it("is asked, and nothing changes unless they agree", async () => {
    person = () => Promise.resolve({ action: "decline" })
    assert.include(await refusal(), "the person who was asked declined; nothing was changed")
    assert.include(asked.at(-1), `changes protected workflows on embedded:\n- "Billing ${name}" is deactivated`)
    person = () => Promise.resolve({ action: "cancel" })
    assert.include(await refusal(), "closed the question without an answer; nothing was changed")
    person = () => Promise.resolve({ action: "accept", content: { agree: false } })
    assert.include(await refusal(), "declined; nothing was changed")
    assert.propertyVal(await ask("show_plan", { plan_id: plan }), "state", "planned")
  })

  it("can leave the question open while other calls are served, and the call be given up", async () => {
    const question = hanging()
    person = question.person
    const stop = new AbortController()
    const hung = failureOf(apply({ signal: stop.signal }).then(() => Promise.reject(new Error("it was answered"))))
    await question.asked
    assert.propertyVal(await ask("show_plan", { plan_id: plan }), "state", "planned")
    stop.abort("no longer needed")
    // In the newest revision no call is under way meanwhile: the client waits for its person alone.
    question.close()
    assert.match(String(await hung), /no longer needed|it was answered/)
    assert.propertyVal(await ask("show_plan", { plan_id: plan }), "state", "planned")
  })

  it.runIf(transport === "HTTP")("can be lost with their client, after which nothing has changed", async () => {
    const question = hanging()
    const leaver = await connect(opened.endpoint, question.person)
    const lost = leaver.call("apply_plan", { plan_id: plan, confirm: true }).catch(String)
    await question.asked
    await leaver.close()
    question.close()
    await lost
    assert.propertyVal(await ask("show_plan", { plan_id: plan }), "state", "planned")
  })

  it("agrees", async () => {
    person = agrees
    assert.propertyVal(dataOf(await apply()), "state", "applied")
    assert.lengthOf(asked, 6)
  })
})

/** A person who thinks about it until they close the question. */
const hanging = () => {
  const happened = new EventEmitter()
  const asked = once(happened, "asked")
  const closed = once(happened, "closed")
  const person: Person = async () => {
    happened.emit("asked")
    await closed
    return { action: "cancel" }
  }
  return { person, asked, close: () => happened.emit("closed") }
}
