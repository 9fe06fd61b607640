import manifest from "workflow-tool-server/package.json" with { type: "json" }

/** The version of this package; `package.json` is its one source. */
export const version: string = manifest.version
