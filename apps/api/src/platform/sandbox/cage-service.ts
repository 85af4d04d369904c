import { connect } from 'node:net'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cage, ProcessEnd, ProcessLink, ProcessListener, ProcessToStart } from './cage.ts'
import { apiFolder } from './compiled-readers.ts'
import { type FromProcess, readMessages, requireMessage, type ToProcess, writeMessage } from './process-protocol.ts'

/** Messages to a parser service: first the process to start, then its messages. */
export type ToService = { kind: 'start'; what: ProcessOrder } | { kind: 'send'; message: ToProcess }

/** A process as it is asked for by name: the service starts nothing but what the product has. */
export interface ProcessOrder extends Omit<ProcessToStart, 'module' | 'taskFolder' | 'reads'> {
  /** Path below the API's folder: src/parsers/pdf/pdf-process.ts, or dist/pdf-process.mjs. */
  module: string
  /** Folder of input files, made by the server. */
  inputFolder: string
  /** Folder for its results, which the service makes and removes. */
  outputFolder: string
}

export type FromService =
  | { kind: 'message'; message: FromProcess }
  | { kind: 'said'; text: string }
  | { kind: 'end'; end: ProcessEnd }

/** Decoded pictures are the largest. */
export const MAX_MESSAGE_BYTES = 1_000_000_000
const SILENT: ProcessEnd = {
  code: null,
  signal: null,
  errorOutput: 'The parser service does not answer.',
  isUnstartable: true,
}

/**
 * Processes that another container starts, which has no network, no secret, and of people's files only what lies on the
 * task folders: for systems that allow no namespaces inside of containers.
 * @param socket where that service listens.
 */
export function createServiceCage({ directory, socket: path }: { directory: string; socket: string }): Cage {
  return {
    kind: 'service',
    directory,
    socket: path,
    start(
      { module, taskFolder, settings, heapLimitMb, environment }: ProcessToStart,
      listener: ProcessListener,
    ): ProcessLink {
      const socket = connect(path)
      let end: ProcessEnd = SILENT
      readMessages(socket, MAX_MESSAGE_BYTES, (message) => {
        const serviceMessage = message as FromService
        if (serviceMessage.kind === 'message') listener.onMessage(requireMessage(serviceMessage.message))
        else if (serviceMessage.kind === 'said') listener.onOutput(serviceMessage.text)
        else end = serviceMessage.end
      })
      socket.on('connect', () => {
        end = { ...SILENT, errorOutput: 'The parser service ended.', isUnstartable: false }
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
      // `close` follows, and reports it
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
        // the service kills what belongs to a connection that goes
        kill: () => socket.destroy(),
        rest: () => socket.unref(),
        wake: () => socket.ref(),
      }
    },
  }
}
