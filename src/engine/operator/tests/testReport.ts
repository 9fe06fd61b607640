import { clipped } from "../../../internal/foreignText.ts"
import { truncateValue } from "../explain/truncate.ts"
import type { Problem } from "./checkExpectations.ts"
import type { TestResult } from "./runTests.ts"

/** A problem in one line: node, item, field, the expected and the actual value. */
export const problemText = (problem: Problem): string => {
  const { node, what } = problem
  const place = [...(node === undefined ? [] : [clipped(node, 80)]), ...placesOf(problem)].join(", ")
  if (what !== undefined) return place === "" ? what : `${place}: ${what}`
  return `${place}: ${[...comparison(problem)].join(", ")}`
}

const placesOf = ({ item, output, path = "", run }: Problem): ReadonlyArray<string> => [
  ...(run === undefined ? [] : [`run ${run + 1}`]),
  ...(output === undefined ? [] : [`output ${output + 1}`]),
  ...(item === undefined ? [] : [`item ${item + 1}`]),
  ...(path === "" ? [] : [clipped(path, 120)])
]

/** The expected and the actual value, in words. */
const comparison = ({ expected, got, of, path = "" }: Problem): readonly [expected: string, got: string] => {
  if (of !== undefined) return [`expected ${counted(Number(expected), of)}`, `got ${String(got)}`]
  const name = path.split(/[.[]/).at(-1) ?? ""
  return [
    expected === undefined ? "expected nothing" : `expected ${valueText(expected, name)}`,
    got === undefined ? "got nothing" : `got ${valueText(got, name)}`
  ]
}

const counted = (count: number, of: "items" | "runs") => `${count} ${count === 1 ? of.slice(0, -1) : of}`

const valueText = (value: unknown, name: string): string =>
  clipped(JSON.stringify(truncateValue(value, { text: 160, fields: 8, depth: 3 }, name)), 240)

/** Problems that are listed one by one at most. */
const mostProblems = 8

/** The result of a test in lines, the first problem marked as such. */
export const resultLines = ({ file, name, verdict: { notice, outcome, problems, seconds, workflow } }: TestResult) => [
  `${marks[outcome]} ${file}${name === undefined ? "" : `  ${clipped(name, 100)}`}${
    workflow === undefined ? "" : `  (${clipped(workflow.name, 60)})`
  }  ${seconds.toFixed(1)} s${outcome === "passed" || outcome === "failed" ? "" : `  ${outcome}`}`,
  ...problemLines(problems).map((line) => `    ${line}`),
  ...(notice === undefined ? [] : [`    ${notice}`])
]

const marks = { passed: "✓", failed: "✗", refused: "✗", error: "✗", skipped: "-" } as const

/** A line for each problem, up to a limit, then how many more there are. */
const problemLines = (problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  const more = problems.length - mostProblems
  return [
    ...problems
      .slice(0, mostProblems)
      .map((problem, index) => `${index === 0 && problems.length > 1 ? "first: " : ""}${problemText(problem)}`),
    ...(more > 0 ? [`and ${more} more`] : [])
  ]
}

/** A one-line summary of all results: `3 passed, 1 failed`. */
export const countsText = (results: ReadonlyArray<TestResult>): string => {
  const parts = (["passed", "failed", "refused", "error", "skipped"] as const)
    .map((outcome) => [outcome, results.filter(({ verdict }) => verdict.outcome === outcome).length] as const)
    .filter(([outcome, count]) => count > 0 || outcome === "passed")
  return parts.map(([outcome, count]) => `${count} ${words[outcome]}`).join(", ")
}

const words = {
  passed: "passed",
  failed: "failed",
  refused: "refused",
  error: "not run to the end",
  skipped: "not run"
} as const

/** The result of a test as data, without secrets. */
export const resultData = ({ file, name, verdict: { problems, ...verdict } }: TestResult) => ({
  file,
  ...(name === undefined ? {} : { name }),
  ...verdict,
  problems: problemLines(problems)
})

/** Results as JUnit XML, as CI systems read it: a case for each file, under the workflow that it is of. */
export const junitXml = (suite: string, results: ReadonlyArray<TestResult>): string => {
  const count = (...outcomes: ReadonlyArray<TestResult["verdict"]["outcome"]>) =>
    results.filter(({ verdict }) => outcomes.includes(verdict.outcome)).length
  const seconds = results.reduce((sum, { verdict }) => sum + verdict.seconds, 0)
  const counts = {
    tests: results.length,
    failures: count("failed", "refused"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds.toFixed(3)
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: "workflow-tool-server", ...counts })}>`,
    `  <testsuite${attributes({ name: suite, ...counts })}>`,
    ...results.flatMap(caseLines).map((line) => `    ${line}`),
    "  </testsuite>",
    "</testsuites>",
    ""
  ].join("\n")
}

const caseLines = ({ file, name = file, verdict: { notice, outcome, problems, seconds, workflow } }: TestResult) => {
  const head = attributes({ name, classname: workflow?.name ?? "unknown workflow", file, time: seconds.toFixed(3) })
  const lines = problemLines(problems)
  const text = escaped([...lines, ...(notice === undefined ? [] : [notice])].join("\n"))
  if (outcome === "passed")
    return [
      notice === undefined ? `<testcase${head}/>` : `<testcase${head}><system-err>${text}</system-err></testcase>`
    ]
  const [message = ""] = lines
  if (outcome === "skipped") return [`<testcase${head}><skipped${attributes({ message })}/></testcase>`]
  const tag = outcome === "error" ? "error" : "failure"
  return [`<testcase${head}>`, `  <${tag}${attributes({ message, type: outcome })}>${text}</${tag}>`, "</testcase>"]
}

const attributes = (all: Readonly<Record<string, number | string>>): string =>
  Object.entries(all)
    .map(
      ([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\n\t]/g, (mark) => `&#${mark.charCodeAt(0)};`)}"`
    )
    .join("")

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** Escapes a text for XML; control characters and lone surrogates, which XML cannot hold, are spelt out. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (mark) => entities[mark] ?? mark)
    .replace(
      // oxlint-disable-next-line no-control-regex -- These are what is looked for.
      /[\u0000-\u0008\u000B\u000C\r\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g,
      (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
