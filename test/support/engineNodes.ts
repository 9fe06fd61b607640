/** Nodes as engines have them. */

export const doNothing = (id: string, name: string) => ({
  id,
  name,
  type: "n8n-nodes-base.noOp",
  typeVersion: 1,
  position: [0, 0],
  parameters: {}
})

/** The first node of a workflow that others call: it hands on what they give. */
export const passthroughTrigger = {
  name: "In",
  type: "n8n-nodes-base.executeWorkflowTrigger",
  typeVersion: 1.1,
  position: [0, 0],
  parameters: { inputSource: "passthrough" }
}
