import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

import { mentions, referencesOf, renameInNode, renameNode } from "../../../src/engine/workflow/references.ts"
import { renameInCode } from "../../../src/engine/workflow/sourceCode.ts"
import { objectOf } from "../../../src/internal/schema/JsonObject.ts"

const node = (type: string, parameters: object) => ({ name: "N", type: `engine-nodes-base.${type}`, parameters })

const naming = (from: string, to: string) => ({ naming: (name: string) => (name === from ? to : undefined) })
const inCode = (code: string, from = "A", to = "B b") => renameInCode(code, "javascript", naming(from, to))
const inPython = (code: string, from = "A", to = "B b") => renameInCode(code, "python", naming(from, to))
const renameInTemplate = (template: string, name: (name: string) => string | undefined): string =>
  String(objectOf(renameInNode(node("set", { template }), name).parameters).template)
const inTemplate = (template: string, from = "A", to = "B b") => renameInTemplate(template, naming(from, to).naming)

const nothing = { naming: () => undefined }

describe("renameInCode", () => {
  it.each([
    [`$('A').item.json.x`, `$('B b').item.json.x`],
    [`$("A").first()`, `$("B b").first()`],
    ["$(`A`).all()", "$(`B b`).all()"],
    [`$( 'A' ).all()`, `$( 'B b' ).all()`],
    [`$(\n  "A"\n).all()`, `$(\n  "B b"\n).all()`],
    [`$node["A"].json`, `$node["B b"].json`],
    [`$node['A'].json["A"]`, `$node['B b'].json["A"]`],
    [`$node?.["A"].json`, `$node?.["B b"].json`],
    [`$node.A.json`, `$node["B b"].json`],
    [`$node?.A?.json`, `$node?.["B b"]?.json`],
    [`$items("A")`, `$items("B b")`],
    [`$items('A', 0, 1)`, `$items('B b', 0, 1)`],
    [`$item(0).$node["A"].json`, `$item(0).$node["B b"].json`],
    [`$item(0).$node.A.json`, `$item(0).$node["B b"].json`],
    [`[...$('A').all(), ...$("A").all()]`, `[...$('B b').all(), ...$("B b").all()]`],
    [`!$('A').isExecuted`, `!$('B b').isExecuted`],
    [`{ a: $('A').first(), b: { c: $('A') } }`, `{ a: $('B b').first(), b: { c: $('B b') } }`],
    ["`Dear ${$('A').item.json.name}, $('A')`", "`Dear ${$('B b').item.json.name}, $('A')`"],
    ["`${ `${$('A').x}` }` + $('A')", "`${ `${$('B b').x}` }` + $('B b')"],
    [`// don't\n$('A')`, `// don't\n$('B b')`],
    [`// const x = $('A')`, `// const x = $('B b')`],
    [`/* it's $('A') */ $('A')`, `/* it's $('B b') */ $('B b')`],
    [`x.replace(/'/g, "") + $('A')`, `x.replace(/'/g, "") + $('B b')`],
    [`x.match(/["'/]$/) + $('A')`, `x.match(/["'/]$/) + $('B b')`],
    [`a / b + $('A').x / 2`, `a / b + $('B b').x / 2`],
    [`return /'/.test(x) ? $('A') : 0`, `return /'/.test(x) ? $('B b') : 0`],
    [`$getPairedItem("A", x, y)`, `$getPairedItem("B b", x, y)`]
  ])("follows %s", (code, expected) => assert.strictEqual(inCode(code), expected))

  it.each([
    `"$('A')"`,
    `'$node["A"]'`,
    "`$('A')`",
    `$('A2')`,
    `$('a')`,
    `$(' A')`,
    `$("A" + suffix)`,
    `$(A)`,
    `$node[A]`,
    `$node["AB"]`,
    `$node.AB`,
    `$node.A1.json`,
    `$nodes["A"]`,
    `$json["A"]`,
    `$json.A`,
    `my$('A')`,
    `jQuery.$('A')`,
    `$itemsOf("A")`,
    `_("A")`,
    "$(`A${1}`)",
    `const A = "A"`,
    `{ "A": A }`
  ])("leaves %s", (code) => assert.strictEqual(inCode(code), code))

  it.each([
    [`$('It\\'s')`, "It's", `say "hi"`, `$('say "hi"')`],
    [`$("It's")`, "It's", `say "hi"`, `$("say \\"hi\\"")`],
    [`$("a\\\\b")`, "a\\b", "c\\d", `$("c\\\\d")`],
    [`$('\\u0041')`, "A", "B", `$('B')`],
    [`$('\\x41 \\u{1F600}')`, "A 😀", "B", `$('B')`],
    ["$(`A`)", "A", "`${x}`", "$(`\\`\\${x}\\``)"],
    [`$('A')`, "A", "two\nlines", `$('two\\nlines')`],
    [`$node.A.json`, "A", "Größe", `$node.Größe.json`],
    [`$node.Größe.json`, "Größe", "A", `$node.A.json`],
    [`$node.A.json`, "A", "1st", `$node["1st"].json`],
    [`$('A$&$1')`, "A$&$1", "$&$1", `$('$&$1')`]
  ])("reads and writes quotes in %s", (code, from, to, expected) =>
    assert.strictEqual(inCode(code, from, to), expected)
  )

  it.each([
    [`_('A').first()`, `_('B b').first()`],
    [`_node["A"].json`, `_node["B b"].json`],
    [`_items("A")`, `_items("B b")`],
    [`# don't\nreturn _("A").all()`, `# don't\nreturn _("B b").all()`],
    [`f"{_('A').first().json.x}" + 'x'`, `f"{_('B b').first().json.x}" + 'x'`],
    [`"""\n_('A')\n""" + _('A')`, `"""\n_('A')\n""" + _('B b')`],
    [`"_('A')"`, `"_('A')"`],
    [`f"{{_('A')}}"`, `f"{{_('A')}}"`],
    [`my_('A')`, `my_('A')`],
    [`$('A')`, `$('A')`]
  ])("knows the Python of %s", (code, expected) => assert.strictEqual(inPython(code), expected))

  it("says everything as before where nothing is renamed, whatever the code", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "$('A')",
        '$node["A"]',
        "`",
        "${",
        "}",
        "'",
        '"',
        "//",
        "/*",
        "*/",
        "\\",
        "\n",
        "$node.A",
        "{{",
        "}}",
        "/",
        "f'"
      )
    )
    const code = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""))
    fc.assert(
      fc.property(code, fc.constantFrom("javascript" as const, "python" as const), (text, language) => {
        assert.strictEqual(renameInCode(text, language, nothing), text)
        assert.strictEqual(renameInTemplate(`=${text}`, nothing.naming), `=${text}`)
      })
    )
  })

  it("leads back to the code as it was when a name is taken back", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("A"))
    const call = fc.constantFrom("$('A').x", '$("A").y + 1', "$node['A'].json", "$items('A', 0)", "f(`${$('A').z}`)")
    fc.assert(
      fc.property(fc.array(call, { minLength: 1 }), name, (calls, other) => {
        const code = `={{ ${calls.join(" + ")} }}`
        const there = renameInTemplate(code, naming("A", other).naming)
        assert.notInclude(there, "'A'")
        assert.strictEqual(renameInTemplate(there, naming(other, "A").naming), code)
      })
    )
  })
})

describe("renameInNode, in templates", () => {
  it.each([
    [`={{ $('A').item.json.x }}`, `={{ $('B b').item.json.x }}`],
    [`=Dear {{ $('A').first().json.x }}, see $('A')`, `=Dear {{ $('B b').first().json.x }}, see $('A')`],
    [`={{$('A').x}} and {{ $("A").y }}`, `={{$('B b').x}} and {{ $("B b").y }}`],
    [`=\\{{ $('A') }}`, `=\\{{ $('A') }}`],
    [`={{ $('A')`, `={{ $('A')`],
    [`=$('A')`, `=$('A')`],
    [`={{ "it's" + $('A').x }} it's {{ $('A').y }}`, `={{ "it's" + $('B b').x }} it's {{ $('B b').y }}`]
  ])("follows %s", (template, expected) => assert.strictEqual(inTemplate(template), expected))

  it("keeps a name with brackets from ending the expression", () => {
    const template = inTemplate(`={{ $('A').x }}`, "A", "{{b}}")
    assert.strictEqual(template, `={{ $('{{b}\\u007d').x }}`)
    assert.strictEqual(inTemplate(template, "{{b}}", "A"), `={{ $('A').x }}`)
  })
})

describe("referencesOf", () => {
  it("finds the nodes that expressions and code name, each once", () => {
    const parameters = {
      url: "={{ $('A').item.json.x }}{{ $('B').x }}",
      literal: "$('C')",
      list: [{ value: "={{ $node.D.json }}" }, { value: "={{ $('A').y }}" }],
      jsCode: `return $items("E")`
    }
    assert.deepStrictEqual(referencesOf(node("code", parameters)), ["A", "B", "D", "E"])
  })
})

describe("renameInNode", () => {
  const ref = "{{ $('A').x }}"
  it.each([
    ["set", { assignments: { assignments: [{ value: `=${ref}` }] } }, true],
    ["set", { assignments: { assignments: [{ value: ref }] } }, false],
    ["set", { mode: "raw", jsonOutput: ref }, true],
    ["httpRequest", { url: { __rl: true, mode: "id", value: `=${ref}` } }, true],
    ["postgres", { query: `select ${ref}` }, true],
    ["noOp", { query: `select ${ref}` }, false],
    ["html", { html: `<p>${ref}</p>` }, true],
    ["form", { formFields: { values: [{ html: ref }] } }, true],
    ["code", { jsCode: "return $('A').all()" }, true],
    ["code", { language: "python", pythonCode: "return _('A').all()" }, true],
    ["code", { code: { execute: { code: "return $('A')" } } }, true],
    ["function", { functionCode: "return $items('A')" }, true],
    ["noOp", { code: "return $('A')" }, false],
    ["stickyNote", { content: "$('A') {{ $('A') }}" }, false]
  ])("%s with %j is followed: %s", (type, parameters, isFollowed) => {
    const before = node(type, parameters)
    const after = renameInNode(before, naming("A", "B").naming)
    const expected = JSON.stringify(before).replaceAll("('A')", "('B')")
    assert.strictEqual(JSON.stringify(after), isFollowed ? expected : JSON.stringify(before))
    if (!isFollowed) assert.strictEqual(after, before)
  })
})

describe("renameNode", () => {
  it("follows a node wherever it is called by name, and keeps all orders", () => {
    const workflow = {
      nodes: [{ name: "A", parameters: { x: "={{ $('A').x }}" } }, { name: "M" }, { name: "Z", odd: { A: "A" } }],
      connections: {
        M: { ai_tool: [null, [{ node: "A", type: "ai_tool", index: 0, more: "A" }]] },
        A: {
          main: [
            [
              { node: "Z", type: "main", index: 0 },
              { node: "A", type: "main", index: 1 }
            ],
            null,
            []
          ]
        }
      },
      pinData: { Z: [], A: [{ json: { A: "A" } }] },
      staticData: { "node:A": { A: 1 }, "node:AB": {}, global: { A: 2 } }
    }
    const renamed = renameNode(workflow, { from: "A", to: "B" })
    assert.strictEqual(
      JSON.stringify(renamed),
      JSON.stringify({
        nodes: [{ name: "B", parameters: { x: "={{ $('B').x }}" } }, { name: "M" }, { name: "Z", odd: { A: "A" } }],
        connections: {
          M: { ai_tool: [null, [{ node: "B", type: "ai_tool", index: 0, more: "A" }]] },
          B: {
            main: [
              [
                { node: "Z", type: "main", index: 0 },
                { node: "B", type: "main", index: 1 }
              ],
              null,
              []
            ]
          }
        },
        pinData: { Z: [], B: [{ json: { A: "A" } }] },
        staticData: { "node:B": { A: 1 }, "node:AB": {}, global: { A: 2 } }
      })
    )
    assert.strictEqual(JSON.stringify(renameNode(renamed, { from: "B", to: "A" })), JSON.stringify(workflow))
  })
})

describe("mentions", () => {
  it.each([
    [{ jsCode: "const from = 'A'; return $(from).all()" }, true],
    [{ jsCode: "return $(`A` + '').all()" }, true],
    [{ x: '={{ $prevNode.name === "A" }}' }, true],
    [{ pythonCode: "return _(f'A' if x else 'B')" }, true],
    [{ jsCode: "return $('A').first().json['A']" }, false],
    [{ jsCode: "return { 'A': 1, \"A\": 2 }" }, false],
    [{ jsCode: "return 'A B'" }, false],
    [{ x: "A" }, false]
  ])("sees a text that may mean a node in %j: %s", (parameters, isThere) => {
    assert.strictEqual(mentions(node("code", parameters), "A"), isThere)
  })
})

describe("long texts", () => {
  it.each(["$('", "{{", "/[", "`${", "/*", "f'{", '$("', "\\{{", "}}", "'"])("of %s are read in time", (piece) => {
    const text = piece.repeat(50_000)
    const since = performance.now()
    for (const language of ["javascript", "python"] as const) renameInCode(`$('A')${text}`, language, nothing)
    renameInTemplate(`=$('A')${text}`, nothing.naming)
    assert.isBelow(performance.now() - since, 3000)
  })
})
