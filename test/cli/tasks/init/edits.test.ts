import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { parseJson } from "../../../../src/cli/configuration/json.ts"
import { type ClientName, clientNames, clients, type Machine, startOf } from "../../../../src/cli/tasks/init/clients.ts"
import { withInstance, withServer, changed, tidyHost } from "../../../../src/cli/tasks/init/edits.ts"
import { fieldAliases } from "../../../../src/engine/client/config/aliases.ts"

const lines = (...all: ReadonlyArray<string>) => `${all.join("\n")}\n`
const json = (text: string) => Result.getOrThrow(parseJson(text))

/** Whether one text is the other with more in between. */
const isWithin = (text: string, whole: string) => {
  let at = 0
  for (const character of whole) if (character === text[at]) at++
  return at === text.length
}

describe("a value put into a JSON text", () => {
  it("goes behind the last field in the layout of the text, past its comment", () => {
    const text = lines("{", "\t// mine", '\t"a": { "b": [1, 2] }, // last', '\t"c": {} // really', "}")
    assert.strictEqual(
      changed(text, [{ path: ["d", "e"], value: { f: 1 } }]),
      lines(
        "{",
        "\t// mine",
        '\t"a": { "b": [1, 2] }, // last',
        '\t"c": {}, // really',
        '\t"d": {',
        '\t\t"e": {',
        '\t\t\t"f": 1',
        "\t\t}",
        "\t}",
        "}"
      )
    )
    assert.strictEqual(
      changed(lines("{", '  "a": 1, // one', "}"), [{ path: ["b"], value: 2 }]),
      lines("{", '  "a": 1, // one', '  "b": 2,', "}")
    )
  })

  it("makes a file where there is none, and fills an empty object", () => {
    assert.strictEqual(changed("", [{ path: ["a"], value: 1 }]), lines("{", '  "a": 1', "}"))
    assert.strictEqual(
      changed(lines("{", '    "a": {}', "}"), [{ path: ["a", "b"], value: 1 }]),
      lines("{", '    "a": {', '        "b": 1', "    }", "}")
    )
  })

  it("changes nothing else, whatever is there", () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/)
    const object = fc.dictionary(name, fc.jsonValue())
    fc.assert(
      fc.property(
        object,
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.jsonValue(),
        fc.constantFrom("", "  ", "\t", "    "),
        fc.boolean(),
        (before, path, value, indent, crlf) => {
          const plain = JSON.stringify(before, undefined, indent)
          const text = crlf ? plain.replaceAll("\n", "\r\n") : plain
          // Below what is no object there is no place.
          const parents = path.slice(0, -1).map((_, index) => path.slice(0, index + 1))
          const valueAt = (where: ReadonlyArray<string>) =>
            where.reduce<unknown>((at, key) => (at === undefined ? at : Reflect.get(Object(at), key)), before)
          fc.pre(parents.every((where) => valueAt(where) === undefined || isPlainObject(valueAt(where))))
          const isNew = valueAt(path) === undefined
          const after = changed(text, [{ path, value }])
          assert.deepStrictEqual(json(after), JSON.parse(JSON.stringify(put(before, path, value))))
          if (isNew && text !== "{}") assert.isTrue(isWithin(text, after))
        }
      )
    )
  })
})

const isPlainObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

const put = (into: unknown, [name = "", ...rest]: ReadonlyArray<string>, value: unknown): unknown => ({
  ...Object(into),
  [name]: rest.length === 0 ? value : put(Reflect.get(Object(into), name), rest, value)
})

describe("the configuration", () => {
  const instance = { name: "default", host: "https://a.test", key: "new", readOnly: false }
  const add = (text: string, more: Partial<typeof instance> = {}) =>
    withInstance("c.json", text, { ...instance, ...more }, fieldAliases)

  it("gets its first instance as the default one", () => {
    assert.deepStrictEqual(json(Result.getOrThrow(add("", { readOnly: true }))), {
      environments: { default: { engine_host: "https://a.test", engine_api_key: "new", readOnly: true } },
      defaultEnv: "default"
    })
  })

  it("gets one more beside the others, which stay as they are", () => {
    const text = '{ "environments": { "b": { "engine_host": "x", "engine_api_key": "y" } }, "audit": "a.jsonl" }'
    const after = json(Result.getOrThrow(add(text)))
    assert.deepStrictEqual(after, {
      ...Object(json(text)),
      defaultEnv: "b",
      environments: {
        b: { engine_host: "x", engine_api_key: "y" },
        default: { engine_host: "https://a.test", engine_api_key: "new" }
      }
    })
  })

  it("gets a new key for the same instance, under the names that it uses", () => {
    const text = '{"environments":{"default":{"n8n_host":"https://A.test/","n8n_api_key":"old","concurrency":2}}}'
    assert.deepStrictEqual(json(Result.getOrThrow(add(text))), {
      environments: { default: { n8n_host: "https://a.test", n8n_api_key: "new", concurrency: 2 } }
    })
  })

  it("is left alone where the name means another instance, or where it is no JSON", () => {
    const other = add('{"environments":{"default":{"engine_host":"https://b.test"}}}')
    assert.match(Result.getOrThrow(Result.flip(other)), /^c\.json has an instance default at another address/)
    assert.strictEqual(
      Result.getOrThrow(Result.flip(add('{ "a" }'))),
      "c.json: line 1, column 7: expected a colon. Fix it first"
    )
    assert.match(Result.getOrThrow(Result.flip(add("[]"))), /expected one JSON object/)
  })
})

describe("a client's configuration", () => {
  const start = { command: "node", args: ["/opt/server/main.js", "--config", "/c.json"] }
  const add = (text: string, client: ClientName = "cursor") => withServer("m.json", text, client, "workflows", start)

  it("gets the server under the field that the client reads", () => {
    assert.deepStrictEqual(json(Result.getOrThrow(add("", "vscode"))), {
      servers: { workflows: { type: "stdio", ...start } }
    })
    assert.deepStrictEqual(json(Result.getOrThrow(add("", "claude-desktop"))), { mcpServers: { workflows: start } })
  })

  it("is the same when the server is there already, and keeps what else its entry says", () => {
    for (const client of clientNames) {
      const once = Result.getOrThrow(add("", client))
      assert.strictEqual(Result.getOrThrow(add(once, client)), once)
    }
    const former = {
      mcpServers: { workflows: { command: "npx", args: ["workflow-tool-server@0.9"], env: { A: "b" } } }
    }
    assert.deepStrictEqual(json(Result.getOrThrow(add(JSON.stringify(former)))), {
      mcpServers: { workflows: { type: "stdio", ...start, env: { A: "b" } } }
    })
  })

  it("is left alone where its server of that name is another one", () => {
    const refused = Result.flip(add('{"mcpServers":{"workflows":{"command":"other"}}}'))
    assert.match(Result.getOrThrow(refused), /^m\.json has another server named workflows already/)
  })
})

describe("a client's file", () => {
  const machine: Machine = {
    platform: "linux",
    home: "/home/ann",
    cwd: "/work",
    appData: undefined,
    xdgConfig: undefined,
    node: "/usr/bin/node",
    main: "/opt/workflow-tool-server/dist/main.js"
  }
  const windows: Machine = {
    ...machine,
    platform: "win32",
    home: "C:\\Users\\ann",
    cwd: "C:\\work",
    appData: "C:\\Users\\ann\\AppData\\Roaming",
    main: "C:\\npm\\_npx\\1\\node_modules\\workflow-tool-server\\dist\\main.js"
  }

  it("lies where each system and client keeps it", () => {
    const file = (client: ClientName, on: Machine, isProject = false) => clients[client].file(on, isProject)
    const mac: Machine = { ...machine, platform: "darwin", home: "/Users/ann" }
    assert.strictEqual(file("claude-desktop", machine), "/home/ann/.config/Claude/claude_desktop_config.json")
    assert.strictEqual(
      file("claude-desktop", mac),
      "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"
    )
    assert.strictEqual(
      file("claude-desktop", windows),
      "C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json"
    )
    assert.strictEqual(file("vscode", machine), "/home/ann/.config/Code/User/mcp.json")
    assert.strictEqual(file("vscode", windows, true), "C:\\work\\.vscode\\mcp.json")
    assert.strictEqual(file("cursor", mac), "/Users/ann/.cursor/mcp.json")
    assert.strictEqual(file("claude-code", machine), "/work/.mcp.json")
    assert.strictEqual(file("vscode", { ...machine, xdgConfig: "/cfg" }), "/cfg/Code/User/mcp.json")
  })

  it("starts the server by its file, or by npx through the shell that Windows needs", () => {
    const args = ["--config", "c.json", "--tools", "daily"]
    assert.deepStrictEqual(startOf(machine, "c.json", false), { command: machine.node, args: [machine.main, ...args] })
    assert.deepStrictEqual(startOf(machine, "c.json", true), {
      command: "npx",
      args: ["-y", "workflow-tool-server", ...args]
    })
    assert.deepStrictEqual(startOf(windows, "c.json", false), {
      command: "cmd",
      args: ["/c", "npx", "-y", "workflow-tool-server", ...args]
    })
    const withApi = ["--config", "c.json", "--toolsets", "operator,api", "--tools", "daily,api"]
    assert.deepStrictEqual(startOf(machine, "c.json", false, true).args, [machine.main, ...withApi])
  })
})

describe("an address that people paste", () => {
  it.each([
    ["https://n8n.example.com/home/workflows", "https://n8n.example.com"],
    [" n8n.example.com/workflow/12?x=1 ", "https://n8n.example.com"],
    ["https://example.com/n8n/api/v1", "https://example.com/n8n"],
    ["https://example.com/api/v1/docs/#/Workflow", "https://example.com"],
    ["localhost:5678/settings/api", "http://localhost:5678"],
    ["http://10.0.0.1:5678/", "http://10.0.0.1:5678"]
  ])("%s becomes %s", (written, host) => {
    assert.strictEqual(tidyHost(written), host)
  })
})
