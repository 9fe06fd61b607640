import { useFleet } from "../fleet.ts"
import { Ago, Problem } from "../parts.tsx"

/** The instances that do not answer, with the reason and the time of their last answer: the others are shown all the same. */
export const Silences = () => {
  const { instances } = useFleet()
  return (
    <>
      {instances.map(({ heardAt, name, silence }) =>
        silence === undefined ? null : (
          <Problem key={name}>
            <strong>{name}</strong> {silence.word.toLowerCase()}: {silence.text}
            {heardAt === undefined ? null : (
              <>
                {" Last heard "}
                <Ago at={heardAt} />.
              </>
            )}
          </Problem>
        )
      )}
    </>
  )
}
