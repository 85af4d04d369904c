import { JSONParser } from '@streamparser/json'
import { ArchiveProblem } from './archive-problem.ts'

/** A file that is one object is read whole. */
const MOST_OBJECT_BYTES = 64 * 1024 * 1024
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])
const LIST_BEGINS = '['.charCodeAt(0)
const MARK = Buffer.from('\uFEFF')

/**
 * The elements of a JSON list one after the other, however long it is; a file that is one object gives that.
 * @throws ArchiveProblem when it is no JSON, or ends early.
 */
export async function* jsonValues(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const iterator = withoutLead(pieces)
  const first = await iterator.next()
  if (first.done) throw new ArchiveProblem('damaged_archive', 'the file is empty')
  if (first.value[0] === LIST_BEGINS) yield* elements(first.value, iterator)
  else yield await wholeObject(first.value, iterator)
}

async function* elements(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const found: unknown[] = []
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false })
  parser.onValue = ({ value }) => void found.push(value)
  const write = (piece: Uint8Array) => {
    try {
      parser.write(piece)
    } catch (error) {
      throw new ArchiveProblem('damaged_archive', String(error))
    }
  }
  write(first)
  yield* found.splice(0)
  for await (const piece of rest) {
    write(piece)
    yield* found.splice(0)
  }
  if (!parser.isEnded) throw new ArchiveProblem('damaged_archive', 'the list ends early')
}

async function wholeObject(first: Uint8Array, rest: AsyncIterable<Uint8Array>): Promise<unknown> {
  const whole = [first]
  let length = first.length
  for await (const piece of rest) {
    length += piece.length
    if (length > MOST_OBJECT_BYTES) throw new ArchiveProblem('too_large_archive', 'one object is too large')
    whole.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(whole).toString('utf8'))
  } catch (error) {
    throw new ArchiveProblem('damaged_archive', String(error))
  }
}

/** Without the mark and the white space that a file may begin with. */
async function* withoutLead(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isLead = true
  for await (const piece of pieces) {
    if (!isLead) {
      yield piece
      continue
    }
    let at = MARK.equals(piece.subarray(0, MARK.length)) ? MARK.length : 0
    while (at < piece.length && SPACES.has(piece[at] as number)) at++
    if (at === piece.length) continue
    isLead = false
    yield piece.subarray(at)
  }
}
