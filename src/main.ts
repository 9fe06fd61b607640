#!/usr/bin/env node
// The one file that works without effect, and on any Node: it loads the rest.
import nodeModule from "node:module"
import path from "node:path"

import { cacheFolder } from "./cli/files/ownFolders.ts"

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

// Node keeps what it has compiled for the next start, where only this user writes; Node 20 cannot.
try {
  nodeModule.enableCompileCache?.(path.join(cacheFolder(), "code"))
} catch {
  // A user without a home: each start compiles anew.
}

void import("./cli/command.ts").then(({ main }) => main())
