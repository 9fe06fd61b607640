import type { Socket } from "node:net"

const opening = Buffer.from("HTTP/1.1 100")
const end = Buffer.from("\r\n\r\n")

/**
 * Leaves out of what a socket reads each `100 Continue` before an answer, which a server may send unasked: undici takes
 * that for a broken connection. An answer can only begin after something was written.
 */
export const withoutContinue = <S extends Socket>(socket: S): S => {
  const write = socket.write.bind(socket)
  const read = socket.read.bind(socket)
  let isAwaited = false
  let held: Buffer = Buffer.alloc(0)

  const written = new Proxy(write, {
    apply: (target, self, args) => {
      isAwaited = true
      return Reflect.apply(target, self, args)
    }
  })
  const filtered = new Proxy(read, {
    apply: (target, self, args) => {
      for (;;) {
        const chunk: unknown = Reflect.apply(target, self, args)
        if (!isAwaited) return chunk
        if (!Buffer.isBuffer(chunk)) return chunk
        held = withoutInterim(Buffer.concat([held, chunk]))
        if (isInterim(held)) continue
        const whole = held
        held = Buffer.alloc(0)
        if (whole.length === 0) continue
        isAwaited = false
        return whole
      }
    }
  })
  socket.write = written
  socket.read = filtered
  return socket
}

/** Whether these bytes are the beginning of an interim answer, as far as they go. */
const isInterim = (bytes: Buffer): boolean => {
  const length = Math.min(bytes.length, opening.length)
  return length > 0 && bytes.subarray(0, length).equals(opening.subarray(0, length))
}

const withoutInterim = (bytes: Buffer): Buffer => {
  if (bytes.length < opening.length || !isInterim(bytes)) return bytes
  const at = bytes.indexOf(end)
  return at < 0 ? bytes : withoutInterim(bytes.subarray(at + end.length))
}
