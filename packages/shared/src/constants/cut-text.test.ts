import { describe, expect, test } from 'vitest'
import { appendUncut, cutText } from './cut-text.ts'

describe('a text', () => {
  test.each([
    ['that fits stays as it is', 'abc🙂', 5, 'abc🙂'],
    ['is cut to the length', 'abcdef', 3, 'abc'],
    ['is never cut within a surrogate pair', 'abc🙂', 4, 'abc'],
    ['is never cut within a family emoji', 'ab👨‍👩‍👧c', 6, 'ab'],
    ['is never cut before an accent', 'abe\u0301c', 3, 'ab'],
    ['is never cut within a flag', `${'x'.repeat(60)}🇫🇷`, 62, 'x'.repeat(60)],
    ['may end with an emoji', 'ab🙂c', 4, 'ab🙂'],
    [
      'that is a single long character is cut between code points',
      `🙂${'\u0301'.repeat(100)}`,
      50,
      `🙂${'\u0301'.repeat(48)}`,
    ],
    ['can be cut to nothing', '🙂', 1, ''],
  ])('%s', (_, text, maxUnits, expected) => expect(cutText(text, maxUnits)).toBe(expected))
})

test('a text collected in pieces is cut as if it were whole', () => {
  const collected = [...'ab👨‍👩‍👧', 'cd'].reduce((text, more) => appendUncut(text, more, 6), '')
  expect(collected).toHaveLength(8)
  expect(cutText(collected, 6)).toBe('ab')
})
