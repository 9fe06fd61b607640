import { Parser } from "acorn"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

import { boundedParser } from "../../../src/engine/nodes/check/javaScript.ts"
import { freeReferences } from "../../../src/engine/upgrade/freeReferences.ts"

const parse = boundedParser({ Parser })

const namesIn = (code: string) =>
  freeReferences(Result.getOrThrow(parse(code))).map(({ isAssigned, isCalled, name, path }) =>
    [name, ...path].join(".").concat(isCalled ? "()" : "", isAssigned ? "=" : "")
  )

describe("free references", () => {
  it.each<[code: string, names: ReadonlyArray<string>]>([
    ["$env.KEY", ["$env.KEY"]],
    ['$env["KEY"].length', ["$env.KEY.length"]],
    ["$env[`KEY`]", ["$env.KEY"]],
    ["$env[key]", ["$env", "key"]],
    ["a?.b?.()", ["a.b()"]],
    ["process.env.X = 1", ["process.env.X="]],
    ["f($env).g.h()", ["f()", "$env"]],
    ["'$env'; /* $env */ // $env", []],
    ["const $env = {}; $env.X", []],
    ["function f() { return $env } var $env", []],
    ["{ let $env = 1; $env } $env", ["$env"]],
    ["items.map(($env) => $env.x)", ["items.map()"]],
    ["items.map(({ a: { $env = b }, ...rest }) => $env + rest)", ["items.map()", "b"]],
    ["try { x() } catch ($env) { $env.message }", ["x()"]],
    ["for (const $env of items) $env.x; $env", ["items", "$env"]],
    ["class $env { static x = $env }", []],
    ["({ $env: 1, [$env]: 2 }).$env", ["$env"]],
    ["({ $env })", ["$env"]],
    ["x.$env.y", ["x.$env.y"]],
    ["$env: for (;;) { break $env }", []],
    ["this.helpers.a(); () => this.b; function f() { return this.c }", ["this.helpers.a()", "this.b"]],
    ["class A { m() { return this.x } y = this.z }", []],
    ["class A { [this.x]() {} [this.y] = this.z; static { this.a } }", ["this.x", "this.y"]],
    ["switch (a) { case 1: let $env; default: $env }", ["a"]],
    ["typeof process; typeof $env.A; !process", ["$env.A", "process"]],
    ["[$env.A, b] = c", ["$env.A=", "b=", "c"]],
    ["function f() { arguments; if (1) { var $env } return $env }", []],
    ["\\u0024env.X", ["$env.X"]]
  ])("of %j are %j", (code, names) => {
    assert.deepStrictEqual(namesIn(code), names)
  })
})
