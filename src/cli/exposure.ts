interface Access {
  readonly mode: number
  readonly uid: number | undefined
}

/** What other users of this machine may do to a file that is meant for one alone, and how to change that. */
export const exposure = (name: string, { mode, uid }: Access): string | undefined => {
  if (process.platform === "win32") return undefined
  const deeds = [...((mode & 0o044) === 0 ? [] : ["read"]), ...((mode & 0o022) === 0 ? [] : ["changed"])]
  if (deeds.length > 0) {
    return `${name} can be ${deeds.join(" and ")} by other users of this machine. Close it: chmod 600 ${name}`
  }
  const self = process.getuid?.() ?? 0
  if (self === 0 || uid === undefined || uid === 0 || uid === self) return undefined
  return `${name} belongs to another user of this machine, who can change it. Take a file of your own`
}
