import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { statfs } from "node:fs/promises"
import { hostname } from "node:os"

import { Effect, FileSystem } from "effect"

/** A system command that prints the machine's id, and where to find it in the output. */
const commands: Partial<Record<NodeJS.Platform, readonly [file: string, args: ReadonlyArray<string>, number: RegExp]>> =
  {
    darwin: ["/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"], /"IOPlatformUUID" = "([0-9A-F-]{36})"/i],
    win32: [
      "reg.exe",
      ["query", String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`, "/v", "MachineGuid"],
      /MachineGuid\s+REG_SZ\s+([0-9a-f-]{36})/i
    ]
  }

/** The machine's id in the output. */
export const numberIn = (platform: NodeJS.Platform, answer: string): string | undefined =>
  commands[platform]?.[2].exec(answer)?.[1]

/** Identifies this machine: on Linux since its last start, also across containers; elsewhere by the system's id, or its name. */
export const thisMachine = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const boot = yield* Effect.orElseSucceed(fileSystem.readFileString("/proc/sys/kernel/random/boot_id"), () => "")
  const id = boot.replace(/[^0-9a-f]/g, "").slice(0, 12)
  if (id !== "") return id
  const number = yield* systemNumber
  return number === undefined
    ? `host${wordOf(hostname())}`
    : createHash("sha256").update(number).digest("hex").slice(0, 12)
})

const wordOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "")
    .slice(0, 40)

const systemNumber = Effect.callback<string | undefined>((resume) => {
  const command = commands[process.platform]
  if (command === undefined) return resume(Effect.succeed(undefined))
  const [file, args] = command
  const child = execFile(file, args, { timeout: 5000, windowsHide: true }, (error, answer) =>
    resume(Effect.succeed(error === null ? numberIn(process.platform, answer) : undefined))
  )
  return Effect.sync(() => child.kill())
})

/** File systems that cannot be shared between machines: ext, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs. */
const ofOneMachine = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e
])

/** Whether a claim belongs to another machine, on a shared disk: nobody here knows whether its process lives. */
export const isForeignAndUncertain = (folder: string, here: string, there: string) =>
  here === there
    ? Effect.succeed(false)
    : Effect.tryPromise(() => statfs(folder)).pipe(
        Effect.map(({ type }) => !ofOneMachine.has(type)),
        Effect.orElseSucceed(() => true)
      )
