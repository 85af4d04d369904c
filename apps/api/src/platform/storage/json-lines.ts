import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
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
  const input = createReadStream(filename, { signal })
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    yield JSON.parse(line) as Value
    await giveWay()
  }
}
