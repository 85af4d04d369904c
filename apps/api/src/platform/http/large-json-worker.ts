// Parses one JSON text. What comes in is text of anybody, so keys that reach what objects are made of are refused, as the
// framework's own parser does, and so are more values than a message has: to take them over would hold the event loop.
import { parentPort } from 'node:worker_threads'
import type { FromJsonWorker } from './large-json.ts'

const MAX_VALUES = 10_000

parentPort?.once('message', (bytes: Uint8Array) => parentPort?.postMessage(read(bytes)))

function read(bytes: Uint8Array): FromJsonWorker {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(bytes))
    const kind = judge(value)
    return kind === 'value' ? { kind, value } : { kind }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'malformed' }
    throw error
  }
}

function judge(value: unknown): FromJsonWorker['kind'] {
  const waiting = [value]
  let count = 0
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    if (Object.hasOwn(one, '__proto__') || namesPrototype(one)) return 'malformed'
    for (const inner of Object.values(one)) {
      if (++count > MAX_VALUES) return 'overfull'
      waiting.push(inner)
    }
  }
  return 'value'
}

function namesPrototype(value: object): boolean {
  const named: unknown = Object.getOwnPropertyDescriptor(value, 'constructor')?.value
  return typeof named === 'object' && named !== null && Object.hasOwn(named, 'prototype')
}
