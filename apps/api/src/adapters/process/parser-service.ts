import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createOpenCage, type ProcessLink } from './cage.ts'
import { type FromService, MOST_MESSAGE_BYTES, type ProcessOrder, type ToService } from './cage-service.ts'
import type { Desk } from './lent-folders.ts'
import { readMessages, writeMessage } from './message-stream.ts'

const source = resolve(import.meta.dirname, '../..')
/** Modules that serve tasks are called so; nothing else is started. */
const TASK_MODULE = /(^|[/-])process\.ts$/

/**
 * Starts processes for a server in another container, one for each connection, and ends them with it.
 * @param socket where to listen.
 */
export async function startParserService(socket: string): Promise<Server> {
  // left by a service that was killed
  await rm(socket, { force: true })
  const cage = createOpenCage(mkdtempSync(join(tmpdir(), 'desks-')))

  const serve = (connection: Socket) => {
    let process: ProcessLink | undefined
    const tell = (message: FromService) => writeMessage(connection, message)
    const begin = (order: ProcessOrder) => {
      const { module, made, settings, heapLimitMb, environment } = order
      const what = { module: moduleOf(module), settings, heapLimitMb, environment, reads: [], desk: deskOf(made) }
      return cage.start(what, {
        onMessage: (message) => tell({ kind: 'message', message }),
        onSaid: (text) => tell({ kind: 'said', text }),
        onEnd: (end) => {
          tell({ kind: 'end', end })
          connection.end()
        },
      })
    }
    connection.on('error', () => connection.destroy())
    connection.on('close', () => process?.kill())
    readMessages(connection, MOST_MESSAGE_BYTES, (message) => {
      const asked = message as ToService
      try {
        if (asked.kind === 'start') process ??= begin(asked.what)
        else process?.send(asked.message)
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error)
        tell({ kind: 'end', end: { code: null, signal: null, said, isUnstartable: true } })
        connection.end()
      }
    })
  }

  const server = createServer(serve)
  await new Promise<void>((listening, fail) => server.on('error', fail).listen(socket, listening))
  return server
}

function moduleOf(name: string): URL {
  const path = resolve(source, name)
  if (!path.startsWith(`${source}${sep}`) || !TASK_MODULE.test(path)) throw new Error(`${name} serves no tasks.`)
  return pathToFileURL(path)
}

/** The server made it, and clears it. */
function deskOf(made: string): Desk {
  const refuse = async (): Promise<never> => {
    throw new Error('Desks are the business of the server.')
  }
  return { lent: made, made, lend: refuse, take: refuse, clear: refuse, remove: refuse }
}
