import { connect } from 'node:net'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiFolder } from './compiled-readers.ts'
import { type FromProcess, readMessages, requireMessage, type ToProcess, writeMessage } from './process-protocol.ts'
import type { ProcessEnd, ProcessLink, ProcessListener, ProcessToStart, Sandbox } from './sandbox.ts'

/** Messages to a parser service: first the process to start, then its messages. */
export type ToService = { kind: 'start'; what: ProcessOrder } | { kind: 'send'; message: ToProcess }

/** A process to start, by name: the service only starts the product's own modules. */
export interface ProcessOrder extends Omit<ProcessToStart, 'module' | 'taskFolder' | 'reads'> {
  /** Path below the API's folder: src/parsers/pdf/pdf-process.ts, or dist/pdf-process.mjs. */
  module: string
  /** Folder of input files, created by the server. */
  inputFolder: string
  /** Folder for its results, created and removed by the service. */
  outputFolder: string
}

export type FromService =
  | { kind: 'message'; message: FromProcess }
  | { kind: 'said'; text: string }
  | { kind: 'end'; end: ProcessEnd }

/** Limit of one message; pictures are the largest. */
export const MAX_MESSAGE_BYTES = 1_000_000_000
const UNREACHABLE: ProcessEnd = {
  code: null,
  signal: null,
  errorOutput: 'The parser service does not respond.',
  isUnstartable: true,
}

/**
 * Sandbox of processes in another container, which has no network, no secrets, and of users' files only the task folders.
 * It's for systems that don't allow namespaces inside containers.
 * @param socket path of the socket on which the parser service listens.
 */
export function createServiceSandbox({ directory, socket: path }: { directory: string; socket: string }): Sandbox {
  return {
    kind: 'service',
    directory,
    socket: path,
    start(
      { module, taskFolder, settings, heapLimitMb, environment }: ProcessToStart,
      listener: ProcessListener,
    ): ProcessLink {
      const socket = connect(path)
      let end: ProcessEnd = UNREACHABLE
      readMessages(socket, MAX_MESSAGE_BYTES, (message) => {
        const serviceMessage = message as FromService
        if (serviceMessage.kind === 'message') listener.onMessage(requireMessage(serviceMessage.message))
        else if (serviceMessage.kind === 'said') listener.onOutput(serviceMessage.text)
        else end = serviceMessage.end
      })
      socket.on('connect', () => {
        end = { ...UNREACHABLE, errorOutput: 'The parser service ended.', isUnstartable: false }
        const name = relative(apiFolder, fileURLToPath(module))
        send({
          kind: 'start',
          what: {
            module: name,
            inputFolder: taskFolder.inputFolder,
            outputFolder: taskFolder.outputFolder,
            settings,
            heapLimitMb,
            environment,
          },
        })
      })
      // `close` follows and reports it
      socket.on('error', (error) => {
        end = { ...end, errorOutput: error.message }
      })
      socket.on('close', () => listener.onEnd(end))
      const send = (message: ToService) => writeMessage(socket, message)
      const waiting: ToProcess[] = []
      socket.on('connect', () => {
        for (const message of waiting.splice(0)) send({ kind: 'send', message })
      })
      return {
        pid: 0,
        send: (message) => {
          if (socket.connecting) waiting.push(message)
          else send({ kind: 'send', message })
        },
        // the service kills a connection's process when the connection closes
        kill: () => socket.destroy(),
        unref: () => socket.unref(),
        ref: () => socket.ref(),
      }
    },
  }
}
