import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { hostname } from 'node:os'

export interface SyslogTarget {
  protocol: 'udp' | 'tcp'
  host: string
  port: number
}

interface SyslogMessage {
  at: Date
  id: string
  text: string
}

const TIMEOUT_MS = 10_000
/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5
const APP_NAME = 'mira'

/**
 * Sends messages in the format of RFC 5424: one datagram each over UDP (RFC 5426), octet counting over TCP (RFC 6587).
 * @throws Error when the receiver can't be reached within ten seconds.
 */
export async function sendToSyslog(target: SyslogTarget, messages: SyslogMessage[]): Promise<void> {
  const frames = messages.map((message) => Buffer.from(format(message)))
  if (target.protocol === 'tcp') return sendOverTcp(target, frames)
  const socket = createSocket(target.host.includes(':') ? 'udp6' : 'udp4')
  try {
    for (const frame of frames) {
      await new Promise<void>((resolve, reject) => {
        socket.send(frame, target.port, target.host, (error) => (error ? reject(error) : resolve()))
      })
    }
  } finally {
    socket.close()
  }
}

async function sendOverTcp({ host, port }: SyslogTarget, frames: Buffer[]): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const socket = connect({ host, port, signal })
  try {
    await once(socket, 'connect', { signal })
    socket.end(Buffer.concat(frames.flatMap((frame) => [Buffer.from(`${frame.length} `), frame])))
    // receivers that refuse a message close the connection with an error
    await once(socket.resume(), 'close', { signal })
  } finally {
    socket.destroy()
  }
}

function format({ at, id, text }: SyslogMessage): string {
  // header fields are printable ASCII without spaces
  const host = hostname().replace(/[^\x21-\x7e]/g, '') || '-'
  return `<${PRIORITY}>1 ${at.toISOString()} ${host} ${APP_NAME} ${process.pid} ${id} - ${text}`
}
