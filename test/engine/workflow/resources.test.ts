import { assert, describe, it } from "vitest"

import { tableUses, variableUses } from "../../../src/engine/workflow/resources.ts"
import type { JsonObject } from "../../../src/internal/schema/JsonObject.ts"

const node = (parameters: object, type = "n8n-nodes-base.dataTable") => ({ name: "N", type, parameters })
const chosen = (mode: string, value: string, cachedResultName = "") => ({
  dataTableId: { __rl: true, mode, value, cachedResultName }
})

describe("tableUses", () => {
  it.each<readonly [string, JsonObject, readonly [by: string, value: string, name?: string] | undefined]>([
    ["a table from the list", node({ operation: "get", ...chosen("list", "t1", "Orders") }), ["id", "t1", "Orders"]],
    ["an id", node(chosen("id", "t1")), ["id", "t1"]],
    ["a name", node(chosen("name", "Orders")), ["name", "Orders"]],
    ["an expression", node(chosen("name", "={{ $json.table }}")), ["expression", "={{ $json.table }}"]],
    ["a tool of an agent", node(chosen("list", "t1"), "n8n-nodes-base.dataTableTool"), ["id", "t1"]],
    ["a table to be deleted", node({ resource: "table", operation: "delete", ...chosen("id", "t1") }), ["id", "t1"]],
    ["a set of tests", node(chosen("list", "t1"), "n8n-nodes-base.evaluationTrigger"), ["id", "t1"]],
    ["a set of tests elsewhere", node({ source: "googleSheets", ...chosen("id", "t1") }, "x.evaluation"), undefined],
    ["a table that is made", node({ resource: "table", operation: "create", ...chosen("id", "t1") }), undefined],
    ["another kind of node", node(chosen("id", "t1"), "n8n-nodes-base.set"), undefined],
    ["a choice that is open", node(chosen("list", "")), undefined],
    ["nothing", { name: "N", type: "n8n-nodes-base.dataTable" }, undefined]
  ])("reads %s", (_, one, expected) => {
    const [use] = tableUses([one])
    assert.deepStrictEqual(
      use === undefined ? undefined : [use.by, use.value, ...(use.name === undefined ? [] : [use.name])],
      expected?.slice()
    )
    if (use !== undefined) assert.deepStrictEqual(use.path, ["parameters", "dataTableId", "value"])
  })
})

describe("variableUses", () => {
  const set = (value: string) => node({ assignments: { assignments: [{ name: "x", value }] } }, "n8n-nodes-base.set")
  const code = (jsCode: string) => node({ jsCode }, "n8n-nodes-base.code")

  it.each<readonly [string, JsonObject, ReadonlyArray<string | undefined>]>([
    ["a member", set("={{ $vars.host }}/{{ $vars.port }}/{{ $vars.host }}"), ["host", "port"]],
    ["a name in brackets", set(`={{ $vars["host"] + $vars?.['port'] + $vars[\`p\`] }}`), ["host", "port", "p"]],
    ["what may be there", set("={{ $vars?.host ?? 1 }}"), ["host"]],
    ["code", code("return [{ json: { a: $vars.host, b: `${$vars.port}` } }]"), ["host", "port"]],
    [
      "Python",
      node({ language: "python", pythonCode: `return _vars.host + _vars["port"]` }, "x.code"),
      ["host", "port"]
    ],
    ["a query", node({ query: "SELECT {{ $vars.host }}" }, "n8n-nodes-base.postgres"), ["host"]],
    ["a name that is worked out", set("={{ $vars[$json.name] + $vars['a' + 1] }}"), [undefined]],
    ["a method", set("={{ $vars.hasOwnProperty('host') && $vars.host.trim() }}"), [undefined, "host"]],
    ["all variables", code("const { host } = $vars; return [...$vars]"), [undefined]],
    ["a text", code("// $vars.a\nreturn '$vars.b' /* $vars.c */"), []],
    ["a plain value", set("$vars.host"), []],
    ["another name", set("={{ $variables.a + x.$vars.b + $varsity.c + my$vars.d }}"), []]
  ])("reads %s", (_, one, names) => {
    assert.deepStrictEqual(
      variableUses([one]).map(({ name }) => name),
      names
    )
  })
})
