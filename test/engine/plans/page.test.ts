import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { directory, run, useCommand } from "../../cli/built.ts"
import { followPage } from "./page.ts"
import { sender } from "./process.ts"
import { served } from "./served.ts"

describe("a promotion by commands", () => {
  useCommand()

  it.live(
    "goes as docs/promotion.md says: it leads from two instances to a promotion and back",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("1.82.3"), production: yield* served("2.41.1") }
        yield* Effect.promise(() => followPage(places, sender(places), "Page"))
      }),
    120_000
  )

  it.live(
    "exits with 2 only where something would change, and prints names that nothing follows from",
    () =>
      Effect.gen(function* () {
        const places = { staging: yield* served("2.41.1"), production: yield* served("2.41.1") }
        const send = sender(places)
        const environments = Object.fromEntries(
          Object.entries(places).map(([name, { apiKey, host }]) => [
            name,
            { engine_host: host, engine_api_key: apiKey }
          ])
        )
        yield* Effect.promise(async () => {
          const down = { engine_host: "http://127.0.0.1:9", engine_api_key: "key" }
          const cwd = await directory({
            ".config.json": {
              environments: { ...environments, down },
              defaultEnv: "production",
              credentialSources: { vault: { env: "VALUES", for: "variables" } }
            }
          })
          const promote = (...words: ReadonlyArray<string>) =>
            run(["promote", "--config", ".config.json", "--from", "staging", "--to", "production", ...words], {
              cwd,
              env: { VALUES: '{"host":"https://shop.example.com"}' }
            })
          const name = "A\n# [here](https://evil.test) @everybody `x` <b>"
          const login = { id: "abc", name: "Login" }
          const make = (body: object) =>
            send("staging", "POST", "/workflows", { connections: {}, settings: {}, ...body })
          await make({ name, nodes: [] })
          const plan = await promote("--name", "A*", "--plan")
          assert.strictEqual(plan.code, 2, plan.stderr)
          assert.include(plan.stdout, "1 to create, 0 to change, 0 to leave as they are, 0 blocked.")
          assert.include(
            plan.stdout,
            "\n- **A \\# \\[here](https://evil.test) @&#8203;everybody \\`x\\` \\<b>**: not on production yet\n"
          )
          const applied = await promote("--name", "A*", "--apply")
          assert.strictEqual(applied.code, 0, applied.stderr)
          assert.strictEqual((await promote("--name", "A*", "--plan")).code, 0)

          await make({
            name: "Needy",
            nodes: [
              {
                name: "Fetch",
                type: "n8n-nodes-base.httpRequest",
                typeVersion: 4.2,
                position: [0, 0],
                parameters: { options: { password: "sesame42" } },
                credentials: { httpBasicAuth: login }
              }
            ]
          })
          const blocked = await promote("--name", "Needy", "--plan")
          assert.strictEqual(blocked.code, 2)
          assert.include(blocked.stdout, "### Blocked")
          const refused = await promote("--name", "Needy", "--apply")
          assert.deepInclude(refused, { code: 1, stderr: "Nothing was applied, because something is blocked.\n" })
          const { id } = await send("production", "POST", "/credentials", {
            name: "Live",
            type: "httpBasicAuth",
            data: { user: "u", password: "p" }
          })
          // Who has the file with the keys may name secrets, unlike a model.
          const mapping = JSON.stringify({ credentials: { Login: id }, values: { sesame42: "sesame43" } })
          const mapped = await promote("--name", "Needy", "--mapping", mapping, "--apply")
          assert.strictEqual(mapped.code, 0, mapped.stderr)
          const there = JSON.stringify(await send("production", "GET", "/workflows"))
          assert.include(there, '"password":"sesame43"')

          await send("staging", "POST", "/data-tables", { name: "Orders", columns: [{ name: "city", type: "string" }] })
          const dataTableId = { __rl: true, mode: "name", value: "Orders" }
          const reading = { type: "n8n-nodes-base.dataTable", typeVersion: 1, parameters: { dataTableId } }
          await make({ name: "Sales", nodes: [{ name: "Read", position: [0, 0], ...reading }] })
          const tables = await promote("--name", "Sales", "--plan")
          assert.include(
            tables.stdout,
            "### Make data tables\n\n- **Orders**: not on production yet, and Sales needs it\n"
          )

          const { data: [orders] = [] } = Object(await send("staging", "GET", "/data-tables"))
          await send("staging", "POST", `/data-tables/${orders.id}/rows`, { data: [{ city: "Ulm" }] })
          const url = { url: "={{ $vars.host }}", options: {} }
          const fetching = { type: "n8n-nodes-base.httpRequest", typeVersion: 4.2, parameters: url }
          await make({
            name: "Sales of today",
            nodes: [
              { name: "Read", position: [0, 0], ...reading },
              { name: "Fetch", position: [220, 0], ...fetching }
            ]
          })
          const along = ["--include", "rows", "--include", "variables", "--source", "vault", "--folder", "Team/Shop"]
          const whole = await promote("--name", "Sales of*", ...along, "--apply")
          assert.strictEqual(whole.code, 0, whole.stderr)
          assert.include(
            whole.stdout,
            "### Make folders and variables\n\n- folder **Team**: not on production yet\n- variable **host**: not on production yet\n- folder **Team/Shop**: not on production yet\n"
          )
          assert.include(whole.stdout, "Sales of today needs it; with 1 rows\n")
          assert.notInclude(whole.stdout, "https://shop.example.com")
          assert.nestedPropertyVal(
            await send("production", "GET", "/variables"),
            "data[0].value",
            "https://shop.example.com"
          )

          const mistakes: ReadonlyArray<readonly [words: ReadonlyArray<string>, stderr: string]> = [
            [["--name", "A*"], "promote needs either --plan or --apply"],
            [["--name", "A*", "--paln"], "paln"],
            [["--name", "A*", "--plan", "--mapping", "{"], "--mapping"],
            [["--name", "A*", "--plan", "--mapping", '{"credential":{}}'], "--mapping"],
            [["--name", "A*", "--plan", "--include", "row"], "include"],
            [["--name", "A*", "--plan", "--folder", "/"], "must be a path, such as Sales/Orders"],
            [["--name", "A*", "--plan", "--to", "moon"], "Instance moon not found"],
            [["--name", "A*", "--plan", "--to", "down"], "down"],
            [["--name", "Nobody", "--plan"], "fits no workflow on staging"]
          ]
          const answers = await Promise.all(mistakes.map(([words]) => promote(...words)))
          for (const [index, [words, stderr]] of mistakes.entries()) {
            assert.deepInclude(answers[index], { code: 1, stdout: "" }, words.join(" "))
            assert.include(answers[index]?.stderr, stderr)
          }
        })
      }),
    120_000
  )
})
