import type { TestResult } from "./runTests.ts"
import { problemLines } from "./testReport.ts"

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

/** XML has no place at all for most control characters and halves of characters: these are spelt out. */
export const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (mark) => entities[mark] ?? mark)
    .replace(
      // oxlint-disable-next-line no-control-regex -- These are what is looked for.
      /[\u0000-\u0008\u000B\u000C\r\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g,
      (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
