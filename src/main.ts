#!/usr/bin/env node
const oldest = "20.20"
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const [wantedMajor = 0, wantedMinor = 0] = oldest.split(".").map(Number)
if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
  process.stderr.write(
    `workflow-tool-server needs Node ${oldest} or later, this is ${process.versions.node} (${process.execPath}). ` +
      "Install a newer one from https://nodejs.org, or name one in your client's configuration as the command.\n"
  )
  process.exit(1)
}
// Asked for here rather than imported: what an import needs would be loaded before this can keep it.
process.getBuiltinModule("node:module").enableCompileCache?.()
void import("./cli/command.ts")
