import { createHmac } from "node:crypto"
import { once as onceEmitted } from "node:events"
import { symlink } from "node:fs/promises"
import { createServer as createTcpServer } from "node:net"
import path from "node:path"

import { assert, describe, it } from "vitest"

import { commandFile, directory, once, run, standIn, startHttp, useCommand } from "../built.ts"
import { collector } from "../telemetry/collector.ts"

useCommand()

interface Received {
  readonly body: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** A receiver that keeps what it gets; `first` is the first of it. */
const receiver = async (status = 200) => {
  const received: Array<Received> = []
  const first = once<Received>()
  const url = await standIn((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => (body += part))
    request.on("end", () => {
      const one = { body, headers: request.headers }
      received.push(one)
      response.writeHead(status).end("ok")
      first.resolve(one)
    })
  })
  return { received, first: first.promise, url: `${url}/hook` }
}

const secret = "a-secret-of-the-receiver"

describe("watch", () => {
  it("tells once what is wrong, signs it for a webhook, and ends with 2 while it is so", async () => {
    const { first, received, url } = await receiver()
    const cwd = await directory({ ".config.json": { watch: { receivers: [{ type: "webhook", url, secret }] } } })
    const { code, stderr, stdout } = await run(["--config", ".config.json", "--embedded", "watch"], { cwd })
    assert.deepInclude({ code, stderr }, { code: 2, stderr: "" })
    assert.match(stdout, /^\[embedded\] Began: Price calculator failed \d+ times at the node Price with tax/m)
    assert.match(stdout, /^Open on 1 instance: \d+$/m)
    const { body, headers } = await first
    const signature = createHmac("sha256", secret)
      .update(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`)
      .digest("base64")
    assert.strictEqual(headers["webhook-signature"], `v1,${signature}`)
    const { data, type } = JSON.parse(body)
    assert.strictEqual(type, "workflow-tool-server.watch")
    assert.deepInclude(data.events[0], { type: "begin", instance: "embedded", severity: "error" })
    assert.notInclude(body, "Cannot read properties", "a message holds no error text")
    assert.isAtLeast(received.length, 1)
  })

  it("tries each receiver, and says which took the message", async () => {
    const [well, badly, hook] = [await receiver(), await receiver(500), await receiver()]
    const receivers = [
      { type: "slack", url: well.url, name: "operators" },
      { type: "teams", url: badly.url },
      { type: "webhook", url: hook.url, secret },
      { type: "workflow", id: "Order intake", instance: "embedded" },
      { type: "workflow", id: "Daily sales report" }
    ]
    const cwd = await directory({ ".config.json": { watch: { receivers } } })
    const { code, stdout } = await run(["--config", ".config.json", "--embedded", "watch", "--try"], { cwd })
    assert.strictEqual(code, 1)
    const [slack, teams, webhook, run1, run2] = stdout.split("\n")
    assert.deepStrictEqual(
      [slack, teams, webhook, run1],
      [
        "operators: took the message",
        "teams 2: did not take the message: it answered with status 500",
        "webhook 3: took the message",
        "workflow 4: took the message"
      ]
    )
    assert.match(run2 ?? "", /^workflow 5: did not take the message: Workflow .* has no webhook/)
    assert.property((await hook.first).headers, "webhook-signature")
    assert.match((await well.first).body, /^\{"text":"A try of the watch/)
    assert.nestedPropertyVal(JSON.parse((await badly.first).body), "attachments[0].content.type", "AdaptiveCard")
  })

  it("sends mail by the library that is installed beside it", async () => {
    const said: Array<string> = []
    const over = once<void>()
    const server = createTcpServer((socket) => {
      let isData = false
      socket.write("220 here\r\n")
      socket.setEncoding("utf8").on("data", (text: string) => {
        for (const line of text.split("\r\n").filter((one) => one !== "")) {
          said.push(line)
          if (isData && line !== ".") continue
          if (line === ".") {
            isData = false
            over.resolve()
          }
          if (line === "DATA") isData = true
          socket.write(line === "DATA" ? "354 go on\r\n" : line === "QUIT" ? "221 bye\r\n" : "250 well\r\n")
        }
      })
    })
    server.listen(0, "127.0.0.1")
    await onceEmitted(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const mail = { type: "email", smtp: `smtp://127.0.0.1:${port}`, from: "n8n@example.com", to: ["ops@example.com"] }
    const cwd = await directory({ ".config.json": { watch: { receivers: [mail] } } })
    const words = ["--config", ".config.json", "--embedded", "watch", "--try"]
    const without = await run(words, { cwd })
    assert.strictEqual(without.code, 1)
    assert.include(without.stderr, "npm install nodemailer")
    await symlink(path.resolve("node_modules"), path.join(path.dirname(commandFile()), "../node_modules"))
    const { code, stdout } = await run(words, { cwd })
    server.close()
    assert.deepStrictEqual([code, stdout], [0, "email 1: took the message\n"])
    await over.promise
    assert.include(said, "RCPT TO:<ops@example.com>")
    assert.include(said, "Subject: A try of the watch of workflow-tool-server")
  })

  it("goes on in the HTTP server, with gauges of what is open, over OTLP, too", async () => {
    const { first, url } = await receiver()
    const { deliveries, until, url: endpoint } = await collector()
    const cwd = await directory({
      ".config.json": {
        http: { metrics: true },
        telemetry: { endpoint, protocol: "http/json", signals: ["metrics"] },
        watch: { receivers: [{ type: "slack", url }] }
      }
    })
    const env = { OTEL_METRIC_EXPORT_INTERVAL: "50" }
    const server = await startHttp(["--config", ".config.json", "--embedded"], { cwd, env })
    assert.match((await first).body, /Began: /)
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    assert.match(metrics, /workflow_tool_server_watch_open\{[^}]*severity="error"[^}]*\} [1-9]/)
    const gauge = '"workflow_tool_server.watch.open"'
    const sent = await until(() => deliveries.find(({ body }) => body.includes(gauge))?.body.toString())
    assert.match(sent, /"severity","value":\{"stringValue":"error"\}/)
    server.child.kill("SIGTERM")
    assert.include(await server.ended, { code: 0 })
  })
})
