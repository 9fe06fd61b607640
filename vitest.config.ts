import { defineConfig } from "vitest/config"

/** Suites that need more than this process: started by a script of their own. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000 }

/** Suites that break what is relied on, or kill processes at one moment after the other: they take as long as half of the rest. */
const killing = [
  "test/contract/promoting-embedded.test.ts",
  "test/engine/embedded/{faults,lock}.test.ts",
  "test/engine/history/{faults,hangingGit,hostileRepository,spool,together}.test.ts",
  "test/engine/operator/killedRun.test.ts",
  "test/engine/plans/{foreignAnswers,kill}.test.ts",
  "test/marketplace/{kill,migration}.test.ts",
  "test/simulation/broken.test.ts"
]

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          setupFiles: ["test/support/purePrototypes.ts"],
          include: ["{examples,test}/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            ...killing,
            "test/clients/**",
            "test/docs/commands.test.ts",
            "test/faults/**",
            "test/page/**/*.browser.test.ts",
            "test/real/**",
            "test/shared/**"
          ],
          testTimeout: 30_000,
          // Half of the time goes into waiting for processes, which two can do at once on a machine of two cores.
          maxWorkers: 2,
          // No test leaves anything behind, so the files of a worker can share what they import.
          isolate: false
        }
      },
      {
        extends: true,
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts", ...killing],
          // Most of them wait for half a minute, which they can do together.
          maxConcurrency: 30,
          ...patient,
          testTimeout: 300_000
        }
      },
      { extends: true, test: { name: "shared", include: ["test/shared/**/*.test.ts"], ...patient } },
      { extends: true, test: { name: "docs", include: ["test/docs/commands.test.ts"], ...patient } },
      { extends: true, test: { name: "page", include: ["test/page/**/*.browser.test.ts"], ...patient } },
      { extends: true, test: { name: "clients", include: ["test/clients/**/*.test.ts"], ...patient } },
      {
        extends: true,
        test: {
          name: "engine",
          include: ["test/real/**/*.test.ts"],
          globalSetup: ["test/real/globalSetup.ts"],
          fileParallelism: false,
          ...patient
        }
      }
    ]
  }
})
