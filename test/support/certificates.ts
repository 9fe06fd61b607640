import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The file of one of the certificates, or of its key (`loopback.key`), that tests of TLS use. */
export const certificateFile = (name: string) =>
  fileURLToPath(new URL(`../internal/http/certificates/${name}.pem`, import.meta.url))

/** A certificate with its key, as servers of Node take them. */
export const identity = (name: string) => ({
  key: readFileSync(certificateFile(`${name}.key`)),
  cert: readFileSync(certificateFile(name))
})
