import { expect, test } from 'vitest'
import { plainMarkdown } from './markdown.ts'

test.each([
  ['# Ferry\n\n## Times', 'Ferry\n\nTimes'],
  ['- [ ] **Tickets** for _two_\n  * a *window* seat', 'Tickets for two\na window seat'],
  [
    'See [the timetable](https://ferry.example/times?a=1 "Times") and ![the pier](pier.jpg).',
    'See the timetable and the pier.',
  ],
  ['> It leaves ~~at eight~~ at `nine`.', 'It leaves at eight at nine.'],
  ['| Day | Time |\n|-----|:----:|\n| Mon | 9 |', '| Day | Time |\n| Mon | 9 |'],
  ['Before\n\n---\n\nAfter', 'Before\n\n\nAfter'],
  ['Run it:\n```sh\n# a comment\nls *_file*\n```\nDone', 'Run it:\n# a comment\nls *_file*\nDone'],
  // not markup
  ['snake_case_name, 3 * 4 = 12, #tag, C# and 1. first', 'snake_case_name, 3 * 4 = 12, #tag, C# and 1. first'],
  ['5 \\* 3', '5 * 3'],
])('%j is quoted without its markup', (markdown, plain) => {
  expect(plainMarkdown(markdown)).toBe(plain)
})
