import { expect, test } from 'vitest'
import { safeFileName, titleFileName } from './title-file-name.ts'

test.each(['a', 'ä', '花', '🌻'])(
  'a long name of %s is cut to a length that every file system accepts, by whole characters',
  (letter) => {
    const long = letter.repeat(300)
    const names = [safeFileName(`${long}.jpeg`), titleFileName(long, 'md', 'Note')]
    // Leaves room for dates and ids, which are added to names.
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThan(230)
    expect(names.map((name) => name.replaceAll(letter, ''))).toEqual(['.jpeg', '.md'])
  },
)

test('a long name isn’t cut within an emoji or before an accent', () => {
  expect(safeFileName(`${'x'.repeat(79)}🇫🇷.jpg`)).toBe(`${'x'.repeat(79)}.jpg`)
  expect(safeFileName(`x${'e\u0301'.repeat(70)}.jpg`)).toMatch(/^x(?:e\u0301)+\.jpg$/)
})

test.each([
  ['AUX.wav', 'AUX_.wav'],
  ['con.tar.gz', 'con_.tar.gz'],
  ['NUL', 'NUL_'],
  ['Mr. Smith..', 'Mr. Smith'],
  ['console.jpg', 'console.jpg'],
])('%s gets a name that Windows accepts', (name, plain) => expect(safeFileName(name)).toBe(plain))
