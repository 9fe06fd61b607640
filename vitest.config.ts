import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/clients/**", "test/engine/**"],
    testTimeout: 30_000
  }
})
