import { HISTORY_MESSAGE_MAX_CHARACTERS } from '@mira/shared'
import { expect, test } from 'vitest'
import { processorMs } from '../../../../test/fastest.ts'
import { urlsIn } from './web-tools.ts'

test('finds URLs in a user’s text, with and without a scheme and trailing punctuation', () => {
  const text = 'See https://Example.org/a?b=1, (mira.example/x). And münchen.de! Not this: v1.'
  expect(new Set(urlsIn([text]))).toEqual(
    new Set(['example.org/a?b=1,', 'example.org/a?b=1', 'mira.example/x).', 'mira.example/x', 'xn--mnchen-3ya.de']),
  )
})

const LENGTH = HISTORY_MESSAGE_MAX_CHARACTERS
test.each(['a', 'a.', 'a-', '.', '1', 'https://', 'a.b/.', 'a.b/?', '-', 'http://a', 'é'])(
  'a message of the maximum length made of %j is searched for URLs within 50 ms',
  async (unit) => {
    const texts = [unit.repeat(LENGTH / unit.length), `${unit.repeat(LENGTH / unit.length - 1)}\u0000`]
    urlsIn(texts)
    // two messages
    expect(await processorMs(() => urlsIn(texts))).toBeLessThan(100)
  },
)
