// Adds up test reports: sum-reports.mjs <broken steps> <report.json>... What broke without a failed test counts as one.
import { readFileSync } from "node:fs"

const [broken = "0", ...files] = process.argv.slice(2)
const results = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")).testResults)
const tests = results.flatMap(({ assertionResults }) => assertionResults)
const count = (status) => tests.filter((test) => test.status === status).length

const passed = count("passed")
const failed = Math.max(count("failed"), Number(broken))
console.log(`${passed} passed, ${failed} failed`)
process.exit(passed > 0 && failed === 0 ? 0 : 1)
