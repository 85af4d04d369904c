import { expect, it } from 'vitest'
import { csvText } from './chart-card.tsx'

it('writes CSV for spreadsheets and escapes formulas', () => {
  const rows = [
    ['Date', 'Chat, all', 'Note "x"'],
    ['2026-11-20', -3, null],
    ['=1+1', 0.5, 'two\nlines'],
    ['@home', '-1', '+1'],
  ]
  expect(csvText(rows)).toBe(
    '\uFEFFDate,"Chat, all","Note ""x"""\r\n2026-11-20,-3,\r\n\'=1+1,0.5,"two\nlines"\r\n\'@home,\'-1,\'+1\r\n',
  )
})
