/**
 * Reads reports of vitest for `.ci/run`: `sum <broken steps> <report.json>...` adds them up, where what broke without a failed
 * test counts as one, and `repeatable <report.json>` names the files whose tests may run once more.
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

/** More failures than these in one suite are no accident. */
const mostRepeated = 5

const testsOf = (report) =>
  JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(({ assertionResults, message, name, status }) => {
    const file = relative(process.cwd(), name)
    const tests = assertionResults.map((test) => ({ file, ...test }))
    // A hook, or the file itself.
    if (status !== "failed" || tests.some((test) => test.status === "failed")) return tests
    return [...tests, { file, fullName: "as a whole", status: "failed", failureMessages: [message] }]
  })
const isFailed = ({ status }) => status === "failed"
const wordsOf = ({ failureMessages, file, fullName }) =>
  `${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}\n`

/** A counterexample of a property would not be drawn again. */
const isCounterexample = ({ failureMessages }) => failureMessages.some((text) => text.includes("Property failed"))

const repeatable = (report) => {
  const failures = testsOf(report).filter(isFailed)
  if (failures.length > mostRepeated || failures.some(isCounterexample)) return
  for (const file of new Set(failures.map(({ file }) => file))) console.log(file)
}

const sum = (broken, reports) => {
  const isAgain = (report) => report.endsWith(".again.json")
  const again = reports.filter(isAgain).flatMap(testsOf)
  const first = reports.filter((report) => !isAgain(report)).flatMap(testsOf)
  const [once, repeated] = [false, true].map((is) =>
    first.filter(({ file }) => again.some((test) => test.file === file) === is)
  )
  const failsAgain = ({ file, fullName }) =>
    again.some((test) => isFailed(test) && test.file === file && test.fullName === fullName)
  const flaky = repeated.filter((test) => isFailed(test) && !failsAgain(test))
  const tests = [...once, ...again]

  // Said at the end, where a log that was cut still has it.
  for (const test of flaky) console.log(`FLAKY (passed when repeated) ${wordsOf(test)}`)
  for (const test of tests.filter(isFailed)) console.log(`FAILED ${wordsOf(test)}`)
  if (flaky.length > 0) console.log(`${flaky.length} failed at first and passed when repeated`)
  const passed = tests.filter(({ status }) => status === "passed").length
  const failed = Math.max(tests.filter(isFailed).length, broken)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = passed > 0 && failed === 0 ? 0 : 1
}

const [task, ...rest] = process.argv.slice(2)
if (task === "repeatable") repeatable(rest[0])
else sum(Number(rest[0]), rest.slice(1))
