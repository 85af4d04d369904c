import { expect, test } from 'vitest'
import { plainName, titleFileName } from './title-file-name.ts'

test.each(['a', 'ä', '花', '🌻'])(
  'a long name of %s is cut to a length that every file system accepts, by whole characters',
  (letter) => {
    const long = letter.repeat(300)
    const names = [plainName(`${long}.jpeg`), titleFileName(long, 'md', 'Note')]
    // Leaves room for dates and ids, which are added to names.
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThan(230)
    expect(names.map((name) => name.replaceAll(letter, ''))).toEqual(['.jpeg', '.md'])
  },
)

test.each([
  ['AUX.wav', 'AUX_.wav'],
  ['con.tar.gz', 'con_.tar.gz'],
  ['NUL', 'NUL_'],
  ['Mr. Smith..', 'Mr. Smith'],
  ['console.jpg', 'console.jpg'],
])('%s gets a name that Windows accepts', (name, plain) => expect(plainName(name)).toBe(plain))
