import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { SEAM, searchedForm } from '../../platform/lib/searched-form.ts'

// words that are written differently from how they are typed into a search box
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const cases: [query: string, body: string, marked: string][] = [
  ['orchestra', 'The orches-\ntra played', 'The ‹orches- tra› played'],
  ['Bücherregal', 'Das Bücher-\r\nregal steht', 'Das ‹Bücher- regal› steht'],
  ['Donaudampfschiff', 'ein Donau-\ndampf-\nschiff', 'ein ‹Donau- dampf- schiff›'],
  ['well-known', 'a well-\nknown cat', 'a ‹well-› ‹known› cat'],
  ['wellknown', 'a well-\nknown cat', 'a ‹well- known› cat'],
  ['“well-known cat”', 'a well-\nknown cat', 'a ‹well- known cat›'],
  ['“orchestra played”', 'The orches-\ntra played', 'The ‹orches- tra played›'],
  ['dampfschiff', 'ein Dampf\u00adschiff', 'ein ‹Dampf\u00adschiff›'],
  ['“ein Dampfschiff”', 'da ein Dampf\u00adschiff', 'da ‹ein Dampf\u00adschiff›'],
  ['catalogue', 'a cata\u200blogue\u2060', 'a ‹cata\u200blogue›\u2060'],
  ['office', 'the oﬃce', 'the ‹oﬃce›'],
  ['oﬃce', 'the office', 'the ‹office›'],
  ['ABC123', 'No ＡＢＣ１２３', 'No ‹ＡＢＣ１２３›'],
  ['café', 'a cafe\u0301', 'a ‹cafe\u0301›'],
  ['ガイド', 'ｶﾞｲﾄﾞ', '‹ｶﾞｲﾄﾞ›'],
  ['自行車', '紅色自行\n車在', '紅色‹自行 車在›'],
  ['น้ำมัน', 'ราคาน้ำมันแพง', 'ราคา‹น้ำมัน›แพง'],
  ['میخواهم', 'من می\u200cخواهم', 'من ‹می\u200cخواهم›'],
  ['می\u200cخواهم', 'من می\u200cخواهم', 'من ‹می›\u200c‹خواهم›'],
  ['كتاب', 'هذا كتـــاب', 'هذا ‹كتـــاب›'],
  ['Umsatz', 'Der Umsatz² stieg', 'Der ‹Umsatz›² stieg'],
  ['caterpillar', 'quoted:\n> the cater-\n> pillar', 'quoted: > the ‹cater- > pillar›'],
]

describe('a text that writes a word differently', () => {
  test.each(cases)('is found by %j, and shown as written: %j', async (query, body, marked) => {
    const { addItem, snippets } = searchesOf(mira, account)
    await addItem({}, [{ kind: 'text', body }])
    const texts = (await snippets(query)).map((one) => one.replaceAll('› ‹', ' ').replaceAll('‹‹', '‹'))
    const asMarked = (text: string) => text.replaceAll('› ‹', ' ')
    expect(texts.map(asMarked)).toEqual([asMarked(marked)])
  })

  // the gallery searches for scripts without spaces and punctuation literally
  const singleWords = cases.filter(([query]) => /^[\p{L}\p{N}\p{M}]+$/u.test(query) && !/[自ガ]/.test(query))
  test.each(singleWords)('is found in the gallery by %j', async (query, body) => {
    const { addItem } = searchesOf(mira, account)
    const { id } = await addItem({}, [{ kind: 'text', body }])
    await addItem({}, ['something else'])
    const response = await mira.request
      .get('/api/media/library')
      .query({ query })
      .auth(account.token, { type: 'bearer' })
    expect(response.body.media_items.map((item: { id: string }) => item.id)).toEqual([id])
  })
})

test('the database normalises texts in the same way as the product normalises queries', async () => {
  const texts = [
    ...cases.flat(),
    'E\u0301cole, 3½ cups¹, 10² m², Umsatz³ №5 ™ … ① ㎏',
    'one -\ntwo 1990-\n1995 COVID-\n19 e\u2011mail',
    'ﷺ ﻛﺘﺎﺏ کتاب‌ها क्‍ष ﾊﾟﾊﾟ 각 \u1100\u1161\u11a8 \ufeffBOM\ufeff',
    'x\u00ad-\ny Ⅻ ſ µ Ω Å ǆ',
    'ein Haus-\nund Hof; « mot\u00a0! » d’ac-\ncord',
  ]
  const { rows } = await mira.context.database.pool.query<{ form: string }>(
    'SELECT searched_form(text) AS form FROM unnest($1::text[]) WITH ORDINALITY AS t (text, at) ORDER BY at',
    [texts],
  )
  const visible = (form: string) => form.replaceAll(SEAM, '⏎')
  expect(rows.map(({ form }) => visible(form))).toEqual(texts.map((text) => visible(searchedForm(text).text)))
})
