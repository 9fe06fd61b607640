import { readdirSync, readFileSync } from "node:fs"

const statusOf = (pid: number | undefined, field: string) => {
  const text = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024
}

/** Memory that a process has now. */
export const residentBytes = (pid: number | undefined): number => statusOf(pid, "VmRSS")

/** The most that it ever had. */
export const peakBytes = (pid: number | undefined): number => statusOf(pid, "VmHWM")

/** Milliseconds for which a process has worked, however long that took beside others; counted in hundredths of a second. */
export const workedMillis = (pid: number | undefined): number => {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number)
  return (user + system) * 10
}

/** Files and sockets that a process has open. */
export const descriptors = (pid: number | undefined): number => readdirSync(`/proc/${pid}/fd`).length
