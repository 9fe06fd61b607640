import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

/** A Node, with its major version. */
interface Node {
  readonly executable: string
  readonly version: string
}

const nodeAt = (executable: string): Node | undefined => {
  const { stdout } = spawnSync(executable, ["--version"], { encoding: "utf8" })
  const version = /^v(\d+)\./.exec(stdout ?? "")?.[1]
  return version === undefined ? undefined : { executable, version }
}

export const thisNode = { executable: process.execPath, version: process.versions.node.split(".")[0] ?? "" }

/** The Node at `BENCH_NODE`, or the one that the system has, where it is another than this. */
export const anotherNode = (): Node | undefined => {
  const found = nodeAt(process.env["BENCH_NODE"] ?? "/usr/bin/node")
  return found?.version === thisNode.version ? undefined : found
}

/** The time where nobody else was at work: the lower quartile. */
export const usual = (costs: ReadonlyArray<number>) =>
  costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 4)] ?? 0

/** The usual time of each of both, measured in turns. */
export const inTurns = async (
  rounds: number,
  measure: (index: 0 | 1) => Promise<number>
): Promise<[number, number]> => {
  const taken: Readonly<Record<0 | 1, Array<number>>> = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const index of [0, 1] as const) taken[index].push(await measure(index))
  }
  return [usual(taken[0]), usual(taken[1])]
}

/**
 * Has processes share a core until they are released. What it takes to wake a process on another core is up to the machine:
 * the same two that take turns cost a third of what they do a minute later.
 */
export const onOneCore = (pids: ReadonlyArray<number | undefined>) => {
  const put = (cores: string) => {
    for (const pid of pids) {
      const { status } = spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores, `${pid}`])
      if (status !== 0)
        throw new Error(`Process ${pid} cannot be put on core ${cores} (taskset of util-linux is needed)`)
    }
  }
  const cores = availableParallelism()
  put("0")
  return () => put(`0-${cores - 1}`)
}
