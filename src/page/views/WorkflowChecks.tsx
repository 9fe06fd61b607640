import { useState } from "preact/hooks"

import { objectOf, objectsOf } from "../../internal/schema/JsonObject.ts"
import { Act } from "../Act.tsx"
import { countOf } from "../fleet.ts"
import { numberOf, textOf, textsOf } from "../json.ts"
import { Answer, Badge, Choice, Empty, type Place, useTool, Words } from "../parts.tsx"
import { href } from "../route.ts"
import { useServer } from "../server.ts"
import { Lines } from "./Preview.tsx"

/** The differences from another instance, or from the version before. */
export const Comparison = ({ id, instance }: Place) => {
  const { instances } = useServer()
  const others = instances.filter((name) => name !== instance)
  const [other, setOther] = useState(others[0] ?? "")
  const args =
    other === "" ? { a: id, versionA: "previous", instances: [instance] } : { a: id, instances: [instance, other] }
  const { outcome } = useTool("compare_workflows", args)
  return (
    <>
      <Choice
        label="Compare with"
        value={other}
        choices={[...others.map((name) => [name, `${name}, by its name`] as const), ["", "the version before"]]}
        onChoice={setOther}
      />
      <Answer outcome={outcome} what="the difference">
        {(value) => {
          const b = objectOf(value.b)
          return (
            <section class="card" aria-label="Differences">
              {textOf(value.guidance) === "" ? (
                <>
                  <p>
                    From {other === "" ? "the version before to this one" : `${instance} to ${other}`}:{" "}
                    {textOf(b.id) === "" || other === "" ? null : (
                      <a href={href(["workflow", other, textOf(b.id)])}>{textOf(b.name) || textOf(b.id)}</a>
                    )}
                  </p>
                  <Lines lines={value.same === true ? [] : textsOf(value.differences)} note={textOf(value.note)} />
                </>
              ) : (
                <p>
                  <Words>{textOf(value.guidance)}</Words>
                </p>
              )}
            </section>
          )
        }}
      </Answer>
    </>
  )
}

/** The mistakes in a workflow before it runs, and how they are mended. */
export const Checks = ({ id, instance }: Place) => {
  const { again, outcome } = useTool("check_workflow", { instance, id })
  return (
    <Answer outcome={outcome} what="what is wrong">
      {(value) => {
        const findings = objectsOf(value.findings)
        return (
          <>
            <p class="row">
              {value.ok === true ? <Badge tone="good">No errors</Badge> : null}
              {numberOf(value.errors) > 0 ? <Badge tone="bad">{countOf(numberOf(value.errors), "error")}</Badge> : null}
              {numberOf(value.warnings) > 0 ? (
                <Badge tone="warn">{countOf(numberOf(value.warnings), "warning")}</Badge>
              ) : null}
              <button type="button" class="quiet push" onClick={again}>
                Check again
              </button>
            </p>
            {findings.length === 0 ? <Empty>Nothing is wrong with it.</Empty> : null}
            <ul class="list">
              {findings.map((finding, at) => (
                <li key={at} class="card">
                  <Badge tone={finding.level === "error" ? "bad" : "warn"}>{textOf(finding.level)}</Badge>{" "}
                  <strong>{textOf(finding.node)}</strong> <code class="soft">{textOf(finding.field)}</code>{" "}
                  <Words>{textOf(finding.problem)}</Words>
                  {textOf(finding.fix) === "" ? null : (
                    <div class="soft">
                      <Words>{textOf(finding.fix)}</Words>
                    </div>
                  )}
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Answer>
  )
}

/** The recorded tests of a workflow: they are run, and made of its last success. */
export const Tests = ({ id, instance, workflow }: Place) => {
  const [report, setReport] = useState<ReturnType<typeof objectOf>>()
  const [recorded, setRecorded] = useState("")
  const { canChange } = useServer()
  const name = textOf(workflow.name) || id
  return (
    <>
      {canChange("run_tests", instance) ? null : (
        <Empty>Tests run in temporary copies, for which an instance has to take changes.</Empty>
      )}
      <p class="row">
        <Act
          isDisabled={!canChange("run_tests", instance)}
          label="Run its tests…"
          class="main"
          title={`Run the tests of “${name}” on ${instance}?`}
          action="Run the tests"
          calls={() => [{ tool: "run_tests", args: { instance, id } }]}
          onDone={([value]) => setReport(value)}
        >
          <p>Temporary copies run without acting outside, and are deleted afterwards.</p>
        </Act>
        <Act
          label="Make a test of its last success…"
          title={`Make a test of the last success of “${name}” on ${instance}?`}
          action="Make the test"
          calls={() => [{ tool: "record_test", args: { instance, workflow: id } }]}
          onDone={([value]) => setRecorded(textOf(value?.file) || "The test is made.")}
        >
          <p>It keeps the input of that run, and what its nodes gave out. It is a file of the folder of tests.</p>
        </Act>
      </p>
      <div role="status">
        {recorded === "" ? null : <p class="soft">{recorded}</p>}
        {report === undefined ? null : (
          <section class="card" aria-label="Result of the tests">
            <p class="row">
              <Badge tone={numberOf(report.passed) === numberOf(report.total) ? "good" : "bad"}>
                {`${numberOf(report.passed)} of ${numberOf(report.total)} passed`}
              </Badge>
              <span>
                <Words>{textOf(report.guidance) || textOf(report.summary)}</Words>
              </span>
            </p>
            <ul class="plain">
              {objectsOf(report.notPassed).map((test) => (
                <li key={textOf(test.file)}>
                  <strong>{textOf(test.name) || textOf(test.file)}</strong>
                  <Lines lines={[...textsOf(test.problems), textOf(test.problem)].filter((line) => line !== "")} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  )
}
