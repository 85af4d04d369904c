import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Writes values to a file as JSON lines, for lists that may not fit into memory. */
export async function writeJsonLines(
  filename: string,
  values: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  await pipeline(async function* () {
    for await (const value of values) yield `${JSON.stringify(value)}\n`
  }, createWriteStream(filename))
}

/** Streams the values of a JSON lines file, yielding to the event loop between them. */
export async function* readJsonLines<Value>(filename: string, signal: AbortSignal): AsyncGenerator<Value> {
  let rest = ''
  // readline would also break lines at U+2028 and U+2029, which JSON doesn't escape
  for await (const piece of createReadStream(filename, { signal, encoding: 'utf8' })) {
    const lines = (piece as string).split('\n')
    lines[0] = `${rest}${lines[0]}`
    rest = lines.pop() ?? ''
    for (const line of lines) {
      yield JSON.parse(line) as Value
      await yieldToEventLoop()
    }
  }
  if (rest !== '') yield JSON.parse(rest) as Value
}
