import { assert, it } from "vitest"

import { ownCommand } from "../../src/cli/terminal.ts"

it.each([
  ["/usr/local/bin/workflow-tool-server", "workflow-tool-server"],
  ["/srv/node_modules/workflow-tool-server/dist/main.js", "workflow-tool-server"],
  ["C:\\npm\\node_modules\\workflow-tool-server\\dist\\main.js", "workflow-tool-server"],
  ["/home/ann/clone/dist/main.js", "node /home/ann/clone/dist/main.js"],
  ["/home/ann/my clone/dist/main.js", 'node "/home/ann/my clone/dist/main.js"'],
  [undefined, "workflow-tool-server"]
])("the command that %s was started as is %s", (main, command) => {
  assert.strictEqual(ownCommand(main), command)
})
