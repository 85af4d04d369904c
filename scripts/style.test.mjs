import { expect, test } from 'vitest'
import { rejectedDocstrings, rejectedSubjects } from './style.mjs'

test('a docstring that opens with a clause is rejected, a noun phrase or an imperative is not', () => {
  const source = [
    '/** What is done with a picture. */',
    '/** Steps for an image. */',
    '  /**',
    '   * Whether it runs.',
    '   */',
    "const glob = 'src/**/*.ts' // What",
  ].join('\n')
  expect(rejectedDocstrings(source)).toEqual([
    { line: 1, text: 'What is done with a picture.' },
    { line: 3, text: 'Whether it runs.' },
  ])
})

test('a commit subject names its area and has at most 72 characters', () => {
  const subjects = ['search: rank guesses last', 'Let the guesses be last', `web: ${'x'.repeat(80)}`]
  expect(rejectedSubjects(subjects)).toEqual(subjects.slice(1))
})
