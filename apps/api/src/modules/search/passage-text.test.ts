import { describe, expect, test } from 'vitest'
import type { MomentRow } from './memory.store.ts'
import { passageText } from './passages.service.ts'

const moment = (body: string, kind: MomentRow['kind'] = 'text') => ({ body, kind }) as MomentRow
const nothingKnown = { caption: null, extractedText: null }
const around = (parts: { before?: string; after?: string; beginning?: string }) => ({
  ...{ id: 'x', before: null, after: null, beginning: null },
  ...parts,
})
const textOf = (body: string, parts: Parameters<typeof around>[0] = {}, kind: MomentRow['kind'] = 'text') =>
  passageText({ moment: moment(body, kind), matched: 'words' }, nothingKnown, around(parts))

describe('a passage is made understandable', () => {
  test('with the title of its page, the sentence before it and the sentence after it', () => {
    const text = textOf('It ends on 31 May.', {
      beginning: 'Lease of the boathouse\nBetween Anna and Ben.',
      before: 'The rent is 200. The term is two years.',
      after: 'Either may give notice. Keys are returned.',
    })
    expect(text).toBe('Lease of the boathouse\nThe term is two years.\nIt ends on 31 May.\nEither may give notice.')
  })

  test('without repeating its own beginning', () => {
    expect(
      textOf('Lease of the boathouse\nBetween Anna and Ben.', { beginning: 'Lease of the boathouse\nBetween' }),
    ).toBe('Lease of the boathouse\nBetween Anna and Ben.')
  })

  test('without a first line that is too long to be a title', () => {
    expect(textOf('The end.', { beginning: 'word '.repeat(40) })).toBe('The end.')
  })

  test('with its item’s caption and text when it’s a name or an image', () => {
    const row = { caption: 'A red bicycle', extractedText: 'BAKERY' }
    const named = { moment: moment('IMG_1.jpg', 'name'), matched: 'words' as const }
    expect(passageText(named, row, undefined)).toBe('A red bicycle\nBAKERY\nIMG_1.jpg')
    const looks = { moment: moment('A red bicycle', 'caption'), matched: 'looks' as const }
    expect(passageText(looks, row, undefined)).toBe('A red bicycle\nBAKERY')
  })

  test('also where sentences end without a space', () => {
    expect(textOf('二つ目です。', { before: '最初です。 前の文です。', after: '次の文です。 最後です。' })).toBe(
      '前の文です。\n二つ目です。\n次の文です。',
    )
  })

  test('in at most 2000 characters, none of them cut in half', () => {
    const text = textOf('🎈'.repeat(1500))
    expect(text.length).toBeLessThanOrEqual(2000)
    expect(text.isWellFormed()).toBe(true)
  })
})
