// Parses one JSON text. What comes in is text of anybody, so keys that reach what objects are made of are refused, as the
// framework's own parser does, and so are more values than a message has: to take them over would hold the event loop.
import { parentPort } from 'node:worker_threads'
import { holdsTooMuch } from './json-shape.ts'
import type { FromJsonWorker } from './large-json.ts'

parentPort?.once('message', (bytes: Uint8Array) => parentPort?.postMessage(read(bytes)))

function read(bytes: Uint8Array): FromJsonWorker {
  if (holdsTooMuch(bytes)) return { kind: 'overfull' }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(bytes))
    return reachesPrototypes(value) ? { kind: 'malformed' } : { kind: 'value', value }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'malformed' }
    throw error
  }
}

function reachesPrototypes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || namesPrototype(value) || Object.values(value).some(reachesPrototypes)
}

function namesPrototype(value: object): boolean {
  const named: unknown = Object.getOwnPropertyDescriptor(value, 'constructor')?.value
  return typeof named === 'object' && named !== null && Object.hasOwn(named, 'prototype')
}
