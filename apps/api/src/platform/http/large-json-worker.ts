// Parses one untrusted JSON text. Refuses prototype pollution, as Fastify's own parser does, and too many or too deeply nested
// values, because receiving them would block the event loop.
import { parentPort } from 'node:worker_threads'
import { exceedsLimits } from './json-shape.ts'
import type { FromJsonWorker } from './large-json.ts'

parentPort?.once('message', (bytes: Uint8Array) => parentPort?.postMessage(read(bytes)))

function read(bytes: Uint8Array): FromJsonWorker {
  if (exceedsLimits(bytes)) return { kind: 'overfull' }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(bytes))
    return pollutesPrototype(value) ? { kind: 'malformed' } : { kind: 'value', value }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'malformed' }
    throw error
  }
}

function pollutesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || hasPrototypeKey(value) || Object.values(value).some(pollutesPrototype)
}

function hasPrototypeKey(value: object): boolean {
  const propertyValue: unknown = Object.getOwnPropertyDescriptor(value, 'constructor')?.value
  return typeof propertyValue === 'object' && propertyValue !== null && Object.hasOwn(propertyValue, 'prototype')
}
