import { readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { sender, watched } from "../../engine/plans/process.ts"
import { served } from "../../engine/plans/served.ts"
import type { Json } from "../../support/harness.ts"
import { directory, run as runCommand, start, useCommand } from "../built.ts"

useCommand()

const columns = [
  { name: "city", type: "string" },
  { name: "amount", type: "number" },
  { name: "paid", type: "boolean" },
  { name: "due", type: "date" }
]

/** An instance with the tables Orders and Copy, and a folder from which the command knows it. */
const place = Effect.fnUntraced(function* (rows: ReadonlyArray<Json>) {
  const instance = yield* served("2.41.1")
  return yield* Effect.promise(async () => {
    const send = sender({ main: instance })
    for (const name of ["Orders", "Copy"]) await send("main", "POST", "/data-tables", { name, columns })
    const { data } = await send("main", "GET", "/data-tables")
    const ids: ReadonlyArray<readonly [string, string]> = Array.isArray(data)
      ? data.map((table) => [String(Object(table).name), String(Object(table).id)])
      : []
    const at = (name: string) => `/data-tables/${new Map(ids).get(name)}/rows`
    if (rows.length > 0) await send("main", "POST", at("Orders"), { data: rows })
    const environments = { main: { engine_host: instance.host, engine_api_key: instance.apiKey } }
    const cwd = await directory({ ".config.json": { environments } })
    const start = { cwd, env: { XDG_STATE_HOME: path.join(cwd, "state") } }
    const rowsOf = async (name: string): Promise<ReadonlyArray<Json>> => {
      const { data } = await send("main", "GET", `${at(name)}?limit=0`)
      return Array.isArray(data)
        ? data.map((row): Json => {
            const { createdAt: _, id: __, updatedAt: ___, ...cells } = Object(row)
            return cells
          })
        : []
    }
    return {
      ...instance,
      cwd,
      start,
      rowsOf,
      command: (...words: ReadonlyArray<string>) => runCommand(["table", ...words], start)
    }
  })
})

const orders: ReadonlyArray<Json> = [
  { city: 'Köln "am Rhein", links', amount: 1.5, paid: true, due: "2026-01-02T00:00:00.000Z" },
  { city: "=HYPERLINK(1)", amount: -2, paid: false, due: null },
  { city: "", amount: null, paid: null, due: null },
  { city: null, amount: 1e21, paid: null, due: null },
  { city: " two\r\nlines ", amount: null, paid: null, due: null }
]

describe("table", () => {
  it.live("exports rows that import brings into another table as they were, by a plan that can be rolled back", () =>
    Effect.gen(function* () {
      const { command, cwd, rowsOf, start } = yield* place(orders)
      yield* Effect.promise(async () => {
        const exported = await command("export", "Orders", "orders.csv")
        assert.strictEqual(exported.code, 0, exported.stderr)
        assert.include(exported.stderr, "5 rows of Orders on main in orders.csv")
        assert.include(exported.stderr, "1 texts begin with =, +, - or @")
        const text = await readFile(path.join(cwd, "orders.csv"), "utf8")
        for (const words of [[], ["-"]]) {
          assert.strictEqual((await command("export", "Orders", ...words)).stdout, text)
        }
        assert.strictEqual(text.split("\n")[1], '"Köln ""am Rhein"", links",1.5,true,2026-01-02T00:00:00.000Z')

        const planned = await command("import", "Copy", "orders.csv", "--json")
        assert.deepInclude(JSON.parse(planned.stdout), { kind: "table", steps: 1 })
        assert.include(planned.stderr, "Nothing is changed yet")
        assert.strictEqual(planned.code, 0)
        assert.deepStrictEqual(await rowsOf("Copy"), [])
        const applied = await command("import", "Copy", "orders.csv", "--apply", "--json")
        assert.strictEqual(applied.code, 0, applied.stderr)
        assert.deepStrictEqual(await rowsOf("Copy"), orders)

        const { plan_id: id } = JSON.parse(applied.stdout)
        const call = (...words: ReadonlyArray<string>) =>
          runCommand(["call", ...words, "--toolsets", "operator"], start)
        const rollback = await call("plan_rollback", "--plan-id", id, "--print", "plan_id")
        assert.strictEqual((await call("apply_plan", "--plan-id", rollback.stdout.trim(), "--confirm")).code, 0)
        assert.deepStrictEqual(await rowsOf("Copy"), [])
      })
    })
  )

  it.live(
    "keeps a file that is there, unless it is to be replaced, and leaves none where the table cannot be read",
    () =>
      Effect.gen(function* () {
        const { command, cwd } = yield* place(orders)
        yield* Effect.promise(async () => {
          await writeFile(path.join(cwd, "mine.csv"), "mine")
          const refused = await command("export", "Orders", "mine.csv")
          assert.strictEqual(refused.code, 2)
          assert.include(refused.stderr, "mine.csv is there already: --overwrite replaces it")
          assert.strictEqual(await readFile(path.join(cwd, "mine.csv"), "utf8"), "mine")
          const missing = await command("export", "Order", "mine.csv", "--overwrite")
          assert.strictEqual(missing.code, 1)
          assert.include(missing.stderr, "Did you mean Orders?")
          assert.strictEqual(await readFile(path.join(cwd, "mine.csv"), "utf8"), "mine")
          assert.deepStrictEqual(
            (await readdir(cwd)).filter((name) => name.includes(".csv")),
            ["mine.csv"]
          )
          assert.strictEqual((await command("export", "Orders", "mine.csv", "--overwrite", "--system")).code, 0)
          assert.match(await readFile(path.join(cwd, "mine.csv"), "utf8"), /^id,createdAt,updatedAt,city,/)
        })
      })
  )

  it.live("takes an empty answer of something in front of the engine for no end of a table", () =>
    Effect.gen(function* () {
      const { apiKey, command, cwd, host } = yield* place(orders)
      yield* Effect.promise(async () => {
        const strange = createServer(async (request, response) => {
          const { url = "" } = request
          response.setHeader("content-type", "application/json")
          const reply = await fetch(`${host}${url}`, { headers: { "X-N8N-API-KEY": apiKey } })
          const text = await reply.text()
          response.writeHead(reply.status).end(url.includes("/rows") ? '{"data":[]}' : text)
        })
        await new Promise<void>((resolve) => strange.listen(0, "127.0.0.1", resolve))
        const { port } = Object(strange.address())
        const environments = { main: { engine_host: `http://127.0.0.1:${port}`, engine_api_key: apiKey } }
        await writeFile(path.join(cwd, ".config.json"), JSON.stringify({ environments }))
        const { code, stderr } = await command("export", "Orders", "orders.csv")
        strange.close()
        assert.include(stderr, "has no end that an engine's list has")
        assert.strictEqual(code, 1)
        assert.notInclude(await readdir(cwd), "orders.csv")
      })
    })
  )

  it.live("changes the rows of a key and inserts the others, from what a spreadsheet has kept", () =>
    Effect.gen(function* () {
      const { command, cwd, rowsOf } = yield* place(orders.slice(0, 2))
      yield* Effect.promise(async () => {
        assert.strictEqual((await command("export", "Orders", "sheet.csv", "--spreadsheet")).code, 0)
        const text = await readFile(path.join(cwd, "sheet.csv"), "utf8")
        assert.isTrue(text.startsWith("\uFEFFcity,amount"))
        assert.include(text, "\r\n'=HYPERLINK(1),-2,false,\r\n")
        await writeFile(
          path.join(cwd, "sheet.csv"),
          `${text.replaceAll(",", ";").replace("-2;false", "7;TRUE")}Rome;;;2026-03-04\r\n`.replace(
            /^.*Köln.*\r\n/m,
            ""
          )
        )
        const applied = await command("import", "Orders", "sheet.csv", "--by", "city", "--spreadsheet", "--apply")
        assert.strictEqual(applied.code, 0, applied.stderr)
        assert.deepStrictEqual(await rowsOf("Orders"), [
          ...orders.slice(0, 1),
          { city: "=HYPERLINK(1)", amount: 7, paid: true, due: null },
          { city: "Rome", amount: null, paid: null, due: "2026-03-04T00:00:00.000Z" }
        ])
        const again = await command(
          "import",
          "Orders",
          "sheet.csv",
          "--by",
          "city",
          "--spreadsheet",
          "--apply",
          "--json"
        )
        assert.deepInclude(JSON.parse(again.stdout), { steps: 0 })
        assert.strictEqual(again.code, 0)
      })
    })
  )

  it.live("refuses a file that does not fit by file, line and column, before anything is sent", () =>
    Effect.gen(function* () {
      const { command, cwd, rowsOf } = yield* place([])
      yield* Effect.promise(async () => {
        await writeFile(path.join(cwd, "wrong.csv"), "city,amount\nRome,1\nOslo,much\nBonn,1,2\n")
        const wrong = await command("import", "Orders", "wrong.csv", "--apply")
        assert.strictEqual(wrong.code, 2)
        assert.include(wrong.stderr, 'wrong.csv: line 3, amount: must be a number, and is "much"')
        assert.include(wrong.stderr, "wrong.csv: line 4: has 3 cells, and the first line names 2 columns")
        assert.include(wrong.stderr, "Nothing was sent.")
        await writeFile(path.join(cwd, "twice.csv"), "city,amount\nRome,1\nRome,2\n")
        const twice = await command("import", "Orders", "twice.csv", "--by", "city", "--apply")
        assert.include(twice.stderr, "twice.csv: line 3, city: is the same as on line 2")
        const other = await command("import", "Orders", "twice.csv", "--by", "due")
        assert.include(other.stderr, 'its first line names no column "due"')
        const written = await command("import", "Orders", "twice.csv", "--by", "id")
        assert.include(written.stderr, "--by id: a column that the engine writes itself")
        assert.include((await command("import", "Orders", "none.csv")).stderr, "none.csv cannot be read")
        assert.deepStrictEqual(await rowsOf("Orders"), [])
      })
    })
  )

  it.live("reads no more of standard input than it takes, also where that never ends", () =>
    Effect.gen(function* () {
      const { start: how } = yield* place([])
      const { child, ended } = start(["table", "import", "Orders", "-"], how)
      const piece = Buffer.alloc(1024 * 1024, "x")
      const more = () => {
        while (child.stdin.writable && child.stdin.write(piece)) {}
      }
      child.stdin.on("drain", more)
      more()
      const { code, stderr } = yield* Effect.promise(() => ended)
      assert.strictEqual(code, 2)
      assert.include(stderr, "-: has more than 64 MiB: divide it")
    })
  )

  it.live(
    "makes as many plans as a large file needs, from standard input as well, and exports all of a large table",
    () =>
      Effect.gen(function* () {
        const many = Array.from({ length: 10_050 }, (_, amount): Json => ({ city: `city ${amount}`, amount }))
        const { apiKey, command, cwd, host, rowsOf, start: how } = yield* place(many)
        yield* Effect.promise(async () => {
          assert.strictEqual((await command("export", "Orders", "all.csv")).code, 0)
          const text = await readFile(path.join(cwd, "all.csv"), "utf8")
          const lines = many.map(({ amount, city }) => `${String(city)},${String(amount)},,\n`)
          assert.strictEqual(text, `city,amount,paid,due\n${lines.join("")}`)
          const { child, ended } = start(["table", "import", "Orders", "-", "--by", "city", "--apply", "--json"], how)
          child.stdin.end(text.replace("city 7,7,", "city 7,-7,").replace("city 10042,10042,", "city 10042,-10042,"))
          const { code, stderr, stdout } = await ended
          assert.strictEqual(code, 0, stderr)
          assert.include(stderr, "10050 rows for Orders on main, in 2 plans of at most 10000 rows")
          const reports = stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
          assert.deepStrictEqual(
            reports.map(({ lines: part, state }) => [part, state]),
            [
              ["2-10001", "applied"],
              ["10002-10051", "applied"]
            ]
          )
          const negative = (await rowsOf("Orders")).filter(({ amount }) => Number(amount) < 0)
          assert.deepStrictEqual(
            negative.map(({ city }) => city),
            ["city 7", "city 10042"]
          )
          const rest = await command("import", "Copy", "all.csv", "--from-line", "10042", "--apply")
          assert.strictEqual(rest.code, 0, rest.stderr)
          assert.deepStrictEqual(
            (await rowsOf("Copy")).map(({ amount }) => amount),
            many.slice(10_040).map(({ amount }) => amount)
          )

          // The second plan has few keys, so that its rows are asked for by them.
          let goOn = () => {}
          const stopped = new Promise<void>((resolve) => (goOn = resolve))
          const way = await watched(host, (_, url) => {
            if (!url.includes("city%2010000%22")) return undefined
            importing.child.kill("SIGINT")
            return stopped
          })
          const environments = { main: { engine_host: way.host, engine_api_key: apiKey } }
          await writeFile(path.join(cwd, "way.json"), JSON.stringify({ environments }), { mode: 0o600 })
          const words = ["import", "Orders", "all.csv", "--by", "city", "--apply"]
          const importing = start(["table", ...words, "--config", "way.json"], how)
          const broken = await importing.ended
          goOn()
          await way.close()
          assert.strictEqual(broken.code, 130, broken.stderr)
          assert.include(broken.stderr, "The lines before 10002 are in: --from-line 10002 goes on behind them")
          assert.strictEqual((await command(...words, "--from-line", "10002")).code, 0)
          assert.deepStrictEqual(
            (await rowsOf("Orders")).map(({ amount }) => amount),
            many.map(({ amount }) => amount)
          )
        })
      })
  )
})
