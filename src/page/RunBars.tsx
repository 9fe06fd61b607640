import { isFailed, type Run } from "./fleet.ts"
import { toneOf } from "./status.ts"

const most = 14
const [width, height, gap] = [6, 18, 2]

/** The last runs as a small bar each, the newest on the right: what failed is the highest. */
export const RunBars = ({ runs }: { readonly runs: ReadonlyArray<Run> }) => {
  if (runs.length === 0) return <span class="soft">–</span>
  const last = runs.slice(0, most).toReversed()
  const failed = last.filter(isFailed).length
  return (
    <svg
      class="bars"
      role="img"
      aria-label={`${failed === 0 ? "None" : failed} of the last ${last.length} runs failed`}
      width={most * (width + gap)}
      height={height}
    >
      {last.map((run, at) => {
        const size = isFailed(run) ? height : height - 6
        return (
          <rect
            key={run.id}
            class={toneOf(run.status)}
            x={(most - last.length + at) * (width + gap)}
            y={height - size}
            width={width}
            height={size}
            rx={1.5}
          />
        )
      })}
    </svg>
  )
}
