// Adds up test reports: sum-reports.mjs <broken steps> <report.json>... What broke without a failed test counts as one.
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const [broken = "0", ...files] = process.argv.slice(2)
const results = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")).testResults)
const hasFailedTest = ({ assertionResults }) => assertionResults.some(({ status }) => status === "failed")
const tests = results.flatMap(({ assertionResults, name }) => assertionResults.map((test) => ({ ...test, file: name })))
const count = (status) => tests.filter((test) => test.status === status).length

// Said again at the end, where a log that was cut still has it.
for (const { file, fullName, failureMessages } of tests.filter((test) => test.status === "failed"))
  console.log(`FAILED ${relative(process.cwd(), file)}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}\n`)

for (const { message, name } of results.filter((file) => file.status === "failed" && !hasFailedTest(file)))
  console.log(`FAILED ${relative(process.cwd(), name)}: ${message.slice(0, 1500)}\n`)

const passed = count("passed")
const failed = Math.max(count("failed"), Number(broken))
console.log(`${passed} passed, ${failed} failed`)
process.exit(passed > 0 && failed === 0 ? 0 : 1)
