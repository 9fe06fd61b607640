/** Explains an error of git, and what to do about it. */
export const explainGitError = (said: string, directory: string): string => {
  const lock = said.split("Unable to create '")[1]?.split("': File exists", 1)[0]
  if (lock?.endsWith(".lock") === true) {
    return `the repository in ${directory} is locked by another git. If none runs, delete ${lock}. (${firstLine(said)})`
  }
  const explanation = advice.find(([pattern]) => pattern.test(said))?.[1]
  return `${explanation === undefined ? `git in ${directory} failed` : explanation(directory)}. (${firstLine(said)})`
}

const advice: ReadonlyArray<readonly [RegExp, (directory: string) => string]> = [
  [
    /NotFound: FileSystem\.access/,
    (directory) => `the folder ${directory} is gone: put it back, or restart this server so that a new one is begun`
  ],
  [/could not be started/, () => "the program git is missing: install it, or leave `history` out of the configuration"],
  [
    /did not end within/,
    (directory) =>
      `git in ${directory} hangs: see whether its disk answers, as one of a network may not, and what else uses it`
  ],
  [
    /dubious ownership/,
    (directory) =>
      `the repository in ${directory} belongs to another user, who could have put anything into it: make it your own (chown -R), or allow it (git config --global --add safe.directory ${directory})`
  ],
  [
    /No space left|Out of diskspace|Disk quota|ENOSPC|EDQUOT/i,
    (directory) => `the disk that ${directory} lies on is full: make room there`
  ],
  [
    /Permission denied|PermissionDenied|Read-only file system|insufficient permission|not permitted|EACCES|EROFS|EPERM/i,
    (directory) => `${directory} cannot be written: fix its access rights`
  ],
  [
    /not uptodate|would be overwritten|unmerged|needs merge/i,
    (directory) =>
      `the work tree in ${directory} has changes of somebody else's in the way: commit, stash or discard them there`
  ],
  [
    /AlreadyExists: FileSystem\.makeDirectory|NotADirectory/,
    (directory) => `${directory} is a file, where the folder of the history should be: name another folder`
  ],
  [/Not updating/, (directory) => `another process keeps writing to ${directory}`],
  [
    /corrupt|bad object|missing (?:blob|tree|commit)|unable to read|inflate|not a valid object|invalid object|not a git repository|bad (?:tree|ref)|fatal: (?:Failed to|Not a valid)|Unexpected object/i,
    (directory) =>
      `the repository in ${directory} is damaged: \`git -C ${directory} fsck\` shows where; fetch what is missing from a clone, or move the folder away so that a new one is begun`
  ]
]

/** The line that says what went wrong, without parts that vary. */
const firstLine = (said: string): string =>
  (said.split("\n").find((line) => /fatal|error/.test(line)) ?? said.split("\n")[0] ?? "")
    .replace(/tmp_\w+/g, "tmp_…")
    .slice(0, 300)
