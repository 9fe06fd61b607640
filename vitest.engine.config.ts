import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/engine/**/*.test.ts"],
    globalSetup: ["test/engine/globalSetup.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
