import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"

import { readSettings, type Sources } from "../../../src/cli/configuration/readSettings.ts"

const key = "sk-NEVER-SHOWN-1234567890"
const production = { engine_host: "https://engine.test", engine_api_key: key }
const staging = { engine_host: "https://staging.test", engine_api_key: `${key}-staging` }

const file = (content: unknown) => ({
  configuration: { name: ".config.json", text: typeof content === "string" ? content : JSON.stringify(content) }
})
/** The same, asked for by its name. */
const named = (content: unknown) => ({ configuration: { ...file(content).configuration, isTrusted: true } })
const dotenv = (text: string) => ({ dotenv: { name: ".env", text } })

const read = (sources: Sources, environment: Record<string, string> = {}) =>
  Effect.provide(readSettings(sources), ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))

const refusal = (sources: Sources, environment?: Record<string, string>) =>
  Effect.map(Effect.flip(read(sources, environment)), ({ message }) => {
    assert.notInclude(message, "NEVER-SHOWN")
    return message
  })

/** `name: host key` of every instance, the default one first marked with a star. */
const instances = (sources: Sources, environment?: Record<string, string>) =>
  Effect.map(read(sources, environment), ({ engine }) =>
    [...(engine?.environments ?? [])].map(
      ([name, { host, apiKey }]) =>
        `${name}${name === engine?.defaultEnv ? "*" : ""}: ${host} ${Redacted.value(apiKey)}`
    )
  )

describe("readSettings", () => {
  it.effect("reads the instances of the file and which one is the default", () =>
    Effect.gen(function* () {
      const configured = yield* instances(file({ environments: { production, staging }, defaultEnv: "staging" }))
      assert.deepStrictEqual(configured, [
        `production: https://engine.test ${key}`,
        `staging*: https://staging.test ${key}-staging`
      ])
    })
  )

  it.effect("reads one instance named default from .env, quotes, comments and export included", () =>
    Effect.gen(function* () {
      const text = `# mine\nexport ENGINE_HOST="https://engine.test/" # home\nENGINE_API_KEY='${key}'\n`
      assert.deepStrictEqual(yield* instances(dotenv(text)), [`default*: https://engine.test ${key}`])
    })
  )

  it.effect("takes no other variable of ours from .env, and leaves those of others alone", () =>
    Effect.gen(function* () {
      const text = `ENGINE_HOST=https://engine.test\nENGINE_API_KEY=${key}\nPORT=1\nOTEL_EXPORTER_OTLP_ENDPOINT=http://a.test\n`
      assert.lengthOf(yield* instances(dotenv(text)), 1)
      const ours = [
        "WORKFLOW_TOOL_SERVER_HTTP",
        "WORKFLOW_TOOL_SERVER_CONFIG",
        "WORKFLOW_TOOL_SERVER_READ_ONLY",
        "MCP_AUTH_TOKEN",
        "MARKETPLACE_API_KEY",
        "ENGINE_API_KEY_STAGING"
      ]
      const lines = ours.map((name) => `export ${name} = true`).join("\r\n")
      assert.strictEqual(
        yield* refusal(dotenv(text + lines)),
        `.env only defines one instance, and may not set ${ours.join(", ")}: set that in the environment`
      )
      const environment = Object.fromEntries(ours.map((name) => [name, "false"]))
      assert.lengthOf(yield* instances(dotenv(text + lines), environment), 1)
    })
  )

  it.effect("prefers the process environment to .env, field by field", () =>
    Effect.gen(function* () {
      const sources = dotenv(`ENGINE_HOST=https://old.test\nENGINE_API_KEY=${key}`)
      const configured = yield* instances(sources, { ENGINE_HOST: "https://new.test", ENGINE_API_KEY: " " })
      assert.deepStrictEqual(configured, [`default*: https://new.test ${key}`])
    })
  )

  it.effect("takes comments and a comma behind the last field of the file", () =>
    Effect.gen(function* () {
      const text = `// mine\n{ "environments": { "production": ${JSON.stringify(production)}, /* alone */ }, }`
      assert.deepStrictEqual(yield* instances(file(text)), [`production*: https://engine.test ${key}`])
    })
  )

  it.effect("needs no file when the process environment says enough", () =>
    Effect.gen(function* () {
      const configured = yield* instances({}, { ENGINE_HOST: "https://engine.test", ENGINE_API_KEY: `${key}\n` })
      assert.deepStrictEqual(configured, [`default*: https://engine.test ${key}`])
    })
  )

  it.effect("does not read .env beside a configuration file", () =>
    Effect.gen(function* () {
      const sources = { ...file({ environments: { production } }), ...dotenv("ENGINE_HOST=https://dotenv.test") }
      assert.deepStrictEqual(yield* instances(sources), [`production*: https://engine.test ${key}`])
    })
  )

  it.effect(
    "overrides the default instance of the file by variables, and other instances by variables with their name",
    () =>
      Effect.gen(function* () {
        const sources = named({
          environments: { production, "my-staging": { engine_host: "https://staging.test" } },
          defaultEnv: "production"
        })
        const configured = yield* instances(sources, {
          ENGINE_HOST: "https://override.test",
          ENGINE_API_KEY: "plain",
          ENGINE_API_KEY_PRODUCTION: "named",
          ENGINE_API_KEY_MY_STAGING: "second"
        })
        assert.deepStrictEqual(configured, [
          "production*: https://override.test named",
          "my-staging: https://staging.test second"
        ])
      })
  )

  it.effect("reads the vendor's words as ours", () =>
    Effect.gen(function* () {
      const aliased = { n8n_host: "https://engine.test", n8n_api_key: key }
      assert.deepStrictEqual(yield* instances(file({ environments: { production: aliased } })), [
        `production*: https://engine.test ${key}`
      ])
      const variables = { N8N_HOST: "https://engine.test", N8N_API_KEY: key }
      assert.deepStrictEqual(yield* instances({}, variables), [`default*: https://engine.test ${key}`])
      assert.deepStrictEqual(yield* instances({}, { ...variables, ENGINE_API_KEY: "ours" }), [
        "default*: https://engine.test ours"
      ])
    })
  )

  it.effect("takes __proto__ and constructor as names like any other", () =>
    Effect.gen(function* () {
      const text = `{"environments":{"__proto__":${JSON.stringify(production)},"constructor":${JSON.stringify(staging)}},"defaultEnv":"__proto__"}`
      const configured = yield* instances(file(text))
      assert.deepStrictEqual(configured, [
        `__proto__*: https://engine.test ${key}`,
        `constructor: https://staging.test ${key}-staging`
      ])
      assert.strictEqual(
        yield* refusal(file({ environments: { production }, defaultEnv: "toString" })),
        "Instance toString not found in configuration. Available: production (.config.json: defaultEnv)"
      )
    })
  )

  it.effect("fills in what is left out, and keeps what is said", () =>
    Effect.gen(function* () {
      const said = {
        ...production,
        engine_api_key_header: "X-Key",
        readOnly: true,
        allowInsecureHttp: true,
        requestsPerSecond: 5,
        concurrency: 2,
        headers: { "X-Extra": "yes" },
        caFile: "ca.pem",
        proxy: "http://proxy.test:3128"
      }
      const { engine, warnings, ...others } = yield* read(
        file({ environments: { bare: staging, said }, defaultEnv: "bare" })
      )
      assert.deepStrictEqual(warnings, [])
      const bare = engine?.environments.get("bare")
      assert.deepInclude(bare, { readOnly: false, allowInsecureHttp: false, requestsPerSecond: 90, concurrency: 10 })
      assert.notProperty(bare, "apiKeyHeader")
      const full = engine?.environments.get("said")
      assert.deepInclude(full, { apiKeyHeader: "X-Key", readOnly: true, requestsPerSecond: 5, concurrency: 2 })
      assert.deepInclude(full, { caFile: "ca.pem", proxy: "http://proxy.test:3128" })
      assert.strictEqual(full?.headers["X-Extra"] && Redacted.value(full.headers["X-Extra"]), "yes")
      assert.deepStrictEqual(others, {
        http: { allowedHosts: [], allowedOrigins: [] },
        readOnly: false,
        toolsets: []
      })
    })
  )

  it.effect("takes the settings of the server from the file", () =>
    Effect.gen(function* () {
      const content = {
        environments: { production },
        http: {
          port: 4000,
          host: "0.0.0.0",
          authToken: key,
          allowedHosts: ["tools.test"],
          allowedOrigins: ["https://a.test"]
        },
        readOnly: true,
        toolsets: ["engine", "marketplace"],
        answerLimit: 100_000,
        marketplace: { apiKey: key }
      }
      const { marketplace, ...server } = yield* read(file(content))
      assert.deepInclude(server, { readOnly: true, toolsets: ["engine", "marketplace"], answerLimit: 100_000 })
      assert.deepInclude(server.http, { port: 4000, host: "0.0.0.0", allowedHosts: ["tools.test"] })
      assert.deepStrictEqual(marketplace, { apiKey: key })
      assert.notInclude(JSON.stringify({ ...server, engine: undefined }), key)
    })
  )

  it.effect("takes the audit log by the name of its file, or with its size", () =>
    Effect.gen(function* () {
      const audit = (audit: unknown) =>
        Effect.map(read(file({ environments: { production }, audit })), (settings) => settings.audit)
      assert.deepStrictEqual(yield* audit("audit.jsonl"), { file: "audit.jsonl", maxBytes: 10_000_000, keep: 5 })
      assert.deepInclude(yield* audit({ file: "a.jsonl", keep: 0 }), { file: "a.jsonl", keep: 0 })
    })
  )

  it.effect("needs no instance beside the embedded engine", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* read({ isEmbedded: true })).engine)
      const { engine, http } = yield* read({ ...file({ http: { port: 1 } }), isEmbedded: true })
      assert.isUndefined(engine)
      assert.strictEqual(http.port, 1)
    })
  )

  it.effect("has the same settings without a file as with an empty one", () =>
    Effect.gen(function* () {
      const empty = yield* read({ ...file({}), isEmbedded: true })
      assert.deepStrictEqual(yield* read({ isEmbedded: true }), empty)
    })
  )

  it.effect("warns of settings that do not exist", () =>
    Effect.gen(function* () {
      const content = {
        $schema: "./schema.json",
        environments: { production: { ...production, owner: "me" } },
        http: { tls: true },
        comment: ""
      }
      const { warnings } = yield* read(file(content))
      assert.deepStrictEqual(warnings, [
        ".config.json: $schema is not a known setting and has no effect",
        ".config.json: comment is not a known setting and has no effect",
        ".config.json: http.tls is not a known setting and has no effect",
        ".config.json: environments.production.owner is not a known setting and has no effect"
      ])
    })
  )
})

const broken = (fields: object) => file({ environments: { production: { ...production, ...fields } } })
const host = ".config.json: environments.production.engine_host"

const watched = (telemetry: object) => file({ environments: { production }, telemetry })
const collector =
  ".config.json: telemetry.endpoint: expected the URL of an OTLP collector, which begins with http:// or https://"
const otlp = { endpoint: "http://otel.test" }

const refusals: ReadonlyArray<
  readonly [what: string, sources: Sources, message: string, environment?: Record<string, string>]
> = [
  ["telemetry goes to no URL", watched({ endpoint: "collector:4317" }), collector],
  ["a password is in the URL", watched({ endpoint: `http://user:${key}@otel.test` }), collector],
  ["telemetry goes nowhere", watched({ headers: { authorization: key } }), `${collector}, and there is none`],
  [
    "a header of telemetry has no name",
    watched({ ...otlp, headers: { "x y": key } }),
    ".config.json: telemetry.headers.x y: expected the name of an HTTP header"
  ],
  [
    "a setting of telemetry is misspelt",
    watched({ ...otlp, header: {} }),
    ".config.json: telemetry.header is not a known setting: did you mean headers?"
  ],
  [
    "more than all is sampled",
    watched({ ...otlp, sampleRatio: 2 }),
    ".config.json: telemetry.sampleRatio: expected a number from 0 to 1"
  ],
  [
    "a signal is none",
    watched({ ...otlp, signals: ["spans"] }),
    ".config.json: telemetry.signals.0: expected one of traces, metrics, logs"
  ],
  ["neither file exists", {}, "Configuration file not found"],
  [".env says nothing", dotenv("OTHER=1"), "Configuration file not found"],
  [
    ".env has no key",
    dotenv("ENGINE_HOST=https://engine.test"),
    ".env: ENGINE_API_KEY: expected the API key of the instance, and there is none"
  ],
  [
    "the environment has no host",
    {},
    "ENGINE_HOST: expected the base URL of the instance, and there is none",
    { ENGINE_API_KEY: key }
  ],
  [
    "the default is unknown",
    file({ environments: { production, staging }, defaultEnv: "moon" }),
    "Instance moon not found in configuration. Available: production, staging (.config.json: defaultEnv)"
  ],
  [
    "no default among several",
    file({ environments: { production, staging } }),
    ".config.json: defaultEnv: expected one of production, staging"
  ],
  ["no environments", file({}), ".config.json: environments: expected at least one instance"],
  [
    "empty environments",
    file({ environments: {}, defaultEnv: "x" }),
    ".config.json: environments: expected at least one instance"
  ],
  [
    "environments is a list",
    file({ environments: [production] }),
    ".config.json: environments: expected an object from instance names to their settings"
  ],
  [
    "an instance is a text",
    file({ environments: { production: key } }),
    ".config.json: environments.production: expected an object with engine_host and engine_api_key"
  ],
  ["the file is a list", file([]), ".config.json: expected an object with environments and defaultEnv"],
  [
    "no host",
    file({ environments: { production: { engine_api_key: key } } }),
    `${host}: expected the base URL of the instance, and there is none`
  ],
  [
    "no key",
    file({ environments: { production: { engine_host: "https://engine.test" } } }),
    ".config.json: environments.production.engine_api_key: expected the API key of the instance, and there is none"
  ],
  [
    "an empty key",
    broken({ engine_api_key: "" }),
    ".config.json: environments.production.engine_api_key: expected the API key of the instance, as text of printable ASCII characters"
  ],
  [
    "a key with a line break",
    broken({ engine_api_key: `${key}\r\nX: y` }),
    ".config.json: environments.production.engine_api_key: expected the API key of the instance, as text of printable ASCII characters"
  ],
  [
    "a key of the wrong type",
    broken({ engine_api_key: { value: key } }),
    ".config.json: environments.production.engine_api_key: expected the API key of the instance, as text of printable ASCII characters"
  ],
  ["a host of the wrong type", broken({ engine_host: 5 }), `${host}: expected the base URL of the instance as text`],
  [
    "readOnly of the wrong type",
    broken({ readOnly: "yes" }),
    ".config.json: environments.production.readOnly: expected true or false"
  ],
  [
    "readOnly in other letters",
    broken({ readonly: true }),
    ".config.json: environments.production.readonly is not a known setting: did you mean readOnly?"
  ],
  [
    "readOnly with an underscore",
    file({ environments: { production }, read_only: true }),
    ".config.json: read_only is not a known setting: did you mean readOnly?"
  ],
  [
    "a misspelt port",
    file({ environments: { production }, http: { prot: 1 } }),
    ".config.json: http.prot is not a known setting: did you mean port?"
  ],
  [
    "environments misspelt",
    file({ enviroments: { production } }),
    ".config.json: enviroments is not a known setting: did you mean environments?"
  ],
  [
    "an alias misspelt",
    file({ environments: { production: { n8n_hots: "https://engine.test", n8n_api_key: key } } }),
    ".config.json: environments.production.n8n_hots is not a known setting: did you mean n8n_host?"
  ],
  [
    "too many requests",
    broken({ requestsPerSecond: 100 }),
    ".config.json: environments.production.requestsPerSecond: expected a number from 0.1 to 99"
  ],
  [
    "no concurrency",
    broken({ concurrency: 0 }),
    ".config.json: environments.production.concurrency: expected a whole number from 1 to 1000"
  ],
  [
    "a bad header name",
    broken({ engine_api_key_header: "X Key" }),
    ".config.json: environments.production.engine_api_key_header: expected the name of an HTTP header"
  ],
  [
    "a header whose name is none",
    broken({ headers: { "X A": "1" } }),
    ".config.json: environments.production.headers.X A: expected the name of an HTTP header"
  ],
  [
    "a proxy that is none",
    broken({ proxy: "proxy.test:3128" }),
    ".config.json: environments.production.proxy: expected the URL of an HTTP proxy"
  ],
  [
    "a header of the wrong type",
    broken({ headers: { "X-A": 1 } }),
    ".config.json: environments.production.headers.X-A: expected the value of the header, as text of printable ASCII characters"
  ],
  [
    "a port that is none",
    file({ environments: { production }, http: { port: 70_000 } }),
    ".config.json: http.port: expected a port number from 0 to 65535"
  ],
  [
    "an audit log without a file",
    file({ environments: { production }, audit: {} }),
    ".config.json: audit.file: expected the name of the audit log's file, and there is none"
  ],
  [
    "an audit log that is a number",
    file({ environments: { production }, audit: 5 }),
    ".config.json: audit: expected the name of a file, or an object with file, maxBytes and keep"
  ],
  [
    "a size of the audit log misspelt",
    file({ environments: { production }, audit: { file: "a", maxByte: 1 } }),
    ".config.json: audit.maxByte is not a known setting: did you mean maxBytes?"
  ],
  [
    "an unknown toolset",
    file({ environments: { production }, toolsets: ["all"] }),
    ".config.json: toolsets.0: expected one of engine, operator, api, marketplace"
  ],
  [
    "an alias beside its own name",
    broken({ n8n_host: "https://engine.test" }),
    ".config.json: environments.production.n8n_host means the same as engine_host: expected only one of them"
  ],
  [
    "a host with /api/v1",
    broken({ engine_host: "https://engine.test/api/v1" }),
    `${host} must be a base URL only, without /api/v1: the suffix is added by the server`
  ],
  [
    "a variable with /api/v1",
    broken({}),
    "ENGINE_HOST must be a base URL only, without /api/v1: the suffix is added by the server",
    { ENGINE_HOST: "https://engine.test/api/v1" }
  ],
  [
    "no scheme",
    broken({ engine_host: "engine.test" }),
    `${host} must be a base URL that begins with https:// or http://, such as https://engine.example.com`
  ],
  [
    "another scheme",
    broken({ engine_host: "ftp://engine.test" }),
    `${host} must be a base URL that begins with https:// or http://, such as https://engine.example.com`
  ],
  [
    "a password in the host",
    broken({ engine_host: `https://me:${key}@engine.test` }),
    `${host} must not hold a user name or a password`
  ],
  [
    "a query in the host",
    broken({ engine_host: `https://engine.test/?key=${key}` }),
    `${host} must be a base URL only, without ? and #`
  ],
  [
    "plain http to elsewhere",
    broken({ engine_host: "http://engine.test" }),
    `${host} must begin with https://; plain http is for this machine only, or with allowInsecureHttp: true`
  ],
  [
    "an ambiguous variable",
    file({ environments: { "a-b": production, a_b: staging }, defaultEnv: "a-b" }),
    "ENGINE_HOST_A_B could mean each of a-b, a_b: expected one instance",
    { ENGINE_HOST_A_B: "https://engine.test" }
  ],
  [
    "an instance given twice",
    file(`{"environments":{"a":{},\n "a":{}}}`),
    `.config.json: line 2, column 2: "a" is given twice`
  ],
  [
    "JSON that breaks at the key",
    file(`{\n  "environments": { "production": { "engine_api_key": ${key} } }\n}`),
    ".config.json: line 2, column 55: expected a value"
  ],
  [
    "JSON that ends in the key",
    file(`{ "environments": { "production": { "engine_api_key": "${key}`),
    ".config.json: line 1, column 55: expected a value"
  ],
  ["an empty file", file(""), ".config.json: line 1, column 1: expected a value"],
  [
    "two commas",
    file(`{ "environments": {},, }`),
    ".config.json: line 1, column 22: expected the name of a field in double quotes"
  ]
]

const led = (field: string, key: string) =>
  `${field} may not decide where the key of ${key} goes: the key is in the environment, the file only lies in the ` +
  "working folder. Expected one source: "
const trust = "start with --config .config.json if you trust that file, or keep the key in .config.json as well"

describe("a key of the environment", () => {
  const keyAndHost = { ENGINE_API_KEY: key, ENGINE_HOST: "https://engine.test" }
  const field = (name: string) => `.config.json: environments.production.${name}`

  it.effect.each([
    ["a proxy", { proxy: "http://stranger.test:3128" }, "proxy"],
    ["a CA file", { caFile: "stranger.pem" }, "caFile"],
    ["headers", { headers: { Host: "stranger.test" } }, "headers"],
    ["plain HTTP", { allowInsecureHttp: true }, "allowInsecureHttp"]
  ] as const)("is refused beside %s in a file that only lies in the working folder", ([, fields, name]) =>
    Effect.gen(function* () {
      const content = { environments: { production: { ...fields } } }
      assert.strictEqual(yield* refusal(file(content), keyAndHost), led(field(name), "ENGINE_API_KEY") + trust)
      const { engine } = yield* read(named(content), keyAndHost)
      assert.strictEqual(engine?.environments.get("production")?.host, "https://engine.test")
    })
  )

  it.effect("is not sent to a host of that file, under any of its names", () =>
    Effect.gen(function* () {
      for (const name of ["engine_host", "n8n_host"]) {
        const content = { environments: { production: { [name]: "https://stranger.test" } } }
        for (const suffix of ["", "_PRODUCTION"]) {
          assert.strictEqual(
            yield* refusal(file(content), { [`ENGINE_API_KEY${suffix}`]: key }),
            `${led(field("engine_host"), `ENGINE_API_KEY${suffix}`)}set ENGINE_HOST${suffix} in the environment too, ${trust}`
          )
        }
        assert.lengthOf(yield* instances(named(content), { ENGINE_API_KEY: key }), 1)
      }
    })
  )

  it.effect("is not sent to a host of .env", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal(dotenv("ENGINE_HOST=https://stranger.test"), { N8N_API_KEY: key }),
        `${led(".env: ENGINE_HOST", "N8N_API_KEY")}set N8N_HOST in the environment too, or keep the key in .env as well`
      )
      assert.include(
        yield* refusal(dotenv("ENGINE_ALLOW_INSECURE_HTTP=true"), { ...keyAndHost, ENGINE_HOST: "http://engine.test" }),
        ".env: ENGINE_ALLOW_INSECURE_HTTP may not decide"
      )
    })
  )

  it.effect("is refused beside a pace in that file that is faster than without it", () =>
    Effect.gen(function* () {
      for (const fields of [{ requestsPerSecond: 99 }, { concurrency: 11 }]) {
        const [name = ""] = Object.keys(fields)
        const problem = `${field(name)} may not decide how much is sent at once with the key of ENGINE_API_KEY: `
        assert.include(yield* refusal(file({ environments: { production: fields } }), keyAndHost), problem)
      }
      const header = { engine_api_key_header: "X-Logged" }
      const content = file({ environments: { production: header } })
      assert.include(yield* refusal(content, keyAndHost), led(field("engine_api_key_header"), "ENGINE_API_KEY"))
    })
  )

  it.effect("is the file's own where that has it, too, as after init with a variable", () =>
    Effect.gen(function* () {
      for (const name of ["engine_api_key", "n8n_api_key"]) {
        const content = { environments: { production: { engine_host: "https://engine.test", [name]: key } } }
        const configured = yield* instances(file(content), { ENGINE_API_KEY: key })
        assert.deepStrictEqual(configured, [`production*: https://engine.test ${key}`])
        assert.include(yield* refusal(file(content), { ENGINE_API_KEY: "other" }), "engine_host may not decide")
      }
    })
  )

  it.effect("is used beside a file of the working folder that does not say where it goes", () =>
    Effect.gen(function* () {
      const content = { environments: { production: { readOnly: true, concurrency: 2, headers: {} }, staging } }
      const configured = yield* instances(file({ ...content, defaultEnv: "production" }), keyAndHost)
      assert.deepStrictEqual(configured, [
        `production*: https://engine.test ${key}`,
        `staging: https://staging.test ${key}-staging`
      ])
    })
  )
})

describe("an error in the configuration names its place and no key", () => {
  it.effect.each(refusals)("%s", ([, sources, message, environment]) =>
    Effect.map(refusal(sources, environment), (said) => assert.strictEqual(said, message))
  )
})
