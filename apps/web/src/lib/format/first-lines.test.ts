import { expect, it } from 'vitest'
import { firstLines } from './note-text.ts'

it('the first lines of a Markdown text omit its marks and URLs', () => {
  const text = [
    '# Ferry to [Aero](https://ferry.example/timetable?day=monday "Times")',
    '',
    '- [ ] buy **two** tickets, _window_ seats',
    '> leaves at `nine`, ~~eight~~',
    '---',
    'Ask for snake_case_name, 3 * 4',
  ].join('\n')
  expect(firstLines(text, 'Ferry.md')).toBe(
    'Ferry to Aero\nbuy two tickets, window seats\nleaves at nine, eight\nAsk for snake_case_name, 3 * 4',
  )
})

it('a long URL at the beginning doesn’t hide the text after it', () => {
  const text = `[Here](https://ferry.example/${'a'.repeat(900)}) it leaves`
  expect(firstLines(text, 'Ferry.MARKDOWN')).toBe('Here it leaves')
})

it('code in a Markdown text keeps its special characters', () => {
  expect(firstLines('Run:\n```sh\n# all of *_file*\n```', 'how.md')).toBe('Run:\n# all of *_file*')
})

it('a text with another extension keeps its brackets and single marks', () => {
  expect(firstLines('# Plan\n\nx[1](2) = *p', 'plan.txt')).toBe('Plan\nx[1](2) = *p')
  expect(firstLines('\n \n', 'empty.md')).toBeNull()
  expect(firstLines(null, 'none.md')).toBeNull()
})
