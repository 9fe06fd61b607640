import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"

/** The nginx configuration of the page about several copies. */
export const documented = async () => {
  const page = await readFile(new URL("../../docs/sharing.md", import.meta.url), "utf8")
  return /```nginx\n([^]*?)```/.exec(page)?.[1] ?? ""
}

/** Runs nginx with what the page says, on other ports. */
export const startNginx = async (own: number, copies: readonly [number, number]) => {
  const folder = await mkdtemp(path.join(tmpdir(), "workflow-tool-server-nginx-"))
  await chmod(folder, 0o755)
  // In one pass: one port may hold the digits of another.
  const ports = new Map([
    ["8080", own],
    ["3456", copies[0]],
    ["3457", copies[1]]
  ])
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const config = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr notice;
events {}
http { access_log off; ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
${(await documented()).replace(/\b\d{4}\b/g, (port) => `${ports.get(port) ?? port}`)}}`
  const file = path.join(folder, "nginx.conf")
  await writeFile(file, config)
  const child = spawn("nginx", ["-c", file, "-e", "stderr"])
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text))
  const failed = Promise.race([once(child, "error"), once(child, "exit")]).then(() => {
    throw new Error(`nginx is needed for these tests (apt-get install nginx-light) and did not start: ${said}`)
  })
  failed.catch(() => {})
  while (!/start worker process \d/.test(said)) await Promise.race([once(child.stderr, "data"), failed])
  return {
    url: `http://127.0.0.1:${own}`,
    stop: async () => {
      child.kill("SIGTERM")
      if (child.exitCode === null) await once(child, "exit")
      await rm(folder, { recursive: true, force: true })
    }
  }
}
