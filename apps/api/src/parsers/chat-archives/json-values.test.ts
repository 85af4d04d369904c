import { expect, test } from 'vitest'
import { jsonValues } from './json-values.ts'

/** Values parsed from a text that arrives in pieces of `pieceBytes` bytes. */
async function read(text: string, pieceBytes = 1_000_000): Promise<unknown[]> {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let index = 0; index < bytes.length; index += pieceBytes) yield bytes.subarray(index, index + pieceBytes)
  }
  const values: unknown[] = []
  for await (const value of jsonValues(pieces())) values.push(value)
  return values
}

test.each([1, 2, 3, 7, 1000])(
  'reads a list with any characters in its strings, in chunks of %d bytes',
  async (pieceBytes) => {
    const list = [
      { text: 'a "quoted" word, ] and } and [', 'a key, "odd"': ['\\', '\\\\', '"\\"', 'é — 🙂', ''] },
      [1, [2, [3]], {}],
      'text',
      -1.5e3,
      null,
      true,
      { last: '\\' },
    ]
    expect(await read(JSON.stringify(list), pieceBytes)).toEqual(list)
    expect(await read(` \n${JSON.stringify(list, null, 2)}\n`, pieceBytes)).toEqual(list)
  },
)

test('reads a list after a byte order mark and white space', async () => {
  expect(await read('\uFEFF [1]')).toEqual([1])
})

test('yields nothing for an empty list, and a single object as one value', async () => {
  expect(await read('[ \n ]')).toEqual([])
  expect(await read('{"one": [1]}')).toEqual([{ one: [1] }])
})

test('reads an element that is too large to be buffered', async () => {
  const large = { text: `"${'x'.repeat(33 * 1024 * 1024)}`, after: [1, 2] }
  expect(await read(JSON.stringify([{ small: 1 }, large, { small: 2 }]))).toEqual([{ small: 1 }, large, { small: 2 }])
})

test.each([
  '',
  '[',
  '[{"a": 1}',
  '[{"a": 1},',
  '[{"a": 1},]',
  '[,]',
  '[{"a": 1}] []',
  '[{"a": 1]}',
  '[}',
  '[{"a": "unended]',
  '[{"a": 1} {"b": 2}]',
  '{"a": ',
])('refuses an incomplete or invalid list: %s', async (text) => {
  await expect(read(text)).rejects.toMatchObject({ code: 'damaged_archive' })
})
