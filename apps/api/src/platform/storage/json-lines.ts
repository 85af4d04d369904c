import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setImmediate as giveWay } from 'node:timers/promises'

/** Writes values into a file, a line of JSON each, for lists that may be longer than memory should be. */
export async function writeJsonLines(
  filename: string,
  values: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  await pipeline(async function* () {
    for await (const value of values) yield `${JSON.stringify(value)}\n`
  }, createWriteStream(filename))
}

/** The values of such a file, one after the other; between them others have their turn. */
export async function* readJsonLines<Value>(filename: string, signal: AbortSignal): AsyncGenerator<Value> {
  let rest = ''
  // readline would also end lines at U+2028 and U+2029, which JSON leaves inside of texts
  for await (const piece of createReadStream(filename, { signal, encoding: 'utf8' })) {
    const lines = (piece as string).split('\n')
    lines[0] = `${rest}${lines[0]}`
    rest = lines.pop() ?? ''
    for (const line of lines) {
      yield JSON.parse(line) as Value
      await giveWay()
    }
  }
  if (rest !== '') yield JSON.parse(rest) as Value
}
