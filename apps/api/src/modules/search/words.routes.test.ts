import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

type Searches = ReturnType<typeof searchesOf>
const addItem: Searches['addItem'] = (traits, moments) => searchesOf(mira, account).addItem(traits, moments)
const search: Searches['search'] = (query, more) => searchesOf(mira, account).search(query, more)
const snippets: Searches['snippets'] = (query, more) => searchesOf(mira, account).snippets(query, more)
const foundSnippets: Searches['foundSnippets'] = (query) => searchesOf(mira, account).foundSnippets(query)

describe('words', () => {
  test('are found in any form, in the language of the text', async () => {
    await addItem({}, [{ body: 'The invoices of the plumbers', language: 'english' }])
    await addItem({}, [{ body: 'Las facturas de la electricidad', language: 'spanish' }])
    await addItem({}, [{ body: 'Les élections municipales à Lyon', language: 'french' }])
    await addItem({}, [{ body: 'Die Häuser am Hafen', language: 'german' }])
    expect(await snippets('invoice')).toEqual(['The ‹invoices› of the plumbers'])
    expect(await snippets('factura')).toEqual(['Las ‹facturas› de la electricidad'])
    expect(await snippets('élection')).toEqual(['Les ‹élections› municipales à Lyon'])
    expect(await snippets('Haus')).toEqual(['Die ‹Häuser› am Hafen'])
  })

  test('that are function words in several languages have no weight when the language is unknown', async () => {
    await addItem({}, [{ body: 'Le prix de la maison', language: 'french' }])
    await addItem({}, [{ body: 'Una playa al atardecer', language: 'spanish' }])
    expect(await foundSnippets('la playa')).toEqual(['Una playa al atardecer'])
  })

  test('in the name of a video show its speech, not a clock in its picture', async () => {
    const clock = { body: '00:00:00 .000', frameNumber: 0, startSeconds: 0 }
    const speech = { kind: 'speech', body: 'The captain asks', startSeconds: 1, endSeconds: 2 } as const
    await addItem({ mediaType: 'video' }, [{ kind: 'name', body: 'harbour.mp4' }, clock, speech])
    expect(await snippets('harbour')).toEqual(['The captain asks'])
  })

  test('are found when they are misspelled in the query or are part of a compound', async () => {
    await addItem({}, ['Dinner at the restaurant Brasserie Georges'])
    await addItem({}, ['Der Stromrechnungsbetrag ist fällig'])
    await addItem({}, ['L’école élémentaire'])
    expect(await snippets('restaurnt')).toEqual(['Dinner at the ‹restaurant› Brasserie Georges'])
    expect(await snippets('Stromrechnugsbetrag')).toEqual(['Der ‹Stromrechnungsbetrag› ist fällig'])
    expect(await snippets('rechnung')).toEqual(['Der ‹Stromrechnungsbetrag› ist fällig'])
    expect(await snippets('élémentair')).toEqual(['L’école ‹élémentaire›'])
  })

  test('with a number match exactly, and similar ones only when no text has the typed one', async () => {
    const night = 'The keeper wrote a line about the ships each night. '.repeat(8)
    for (const letter of 'xo') await addItem({}, [`It was sent as order4711${letter}.\n${night}`])
    for (const letter of 'abcdef') await addItem({}, [{ kind: 'name', body: `order4711${letter}.jpg` }])
    const markedWords = async (query: string) =>
      (await snippets(query)).flatMap((text) => /‹(\w+)›/.exec(text)?.[1] ?? [])
    expect(await markedWords('order4711x')).toEqual(['order4711x'])
    // Spanish stemming would ignore the final vowel
    expect(await markedWords('order4711o')).toEqual(['order4711o'])
    expect((await markedWords('order4711z')).toSorted()).toContain('order4711a')
  })

  test('are found while the last one is incomplete', async () => {
    await addItem({}, ['The Leuchtturm of Warnemünde'])
    expect(await snippets('warnemünde leucht')).toEqual(['The ‹Leuchtturm› of ‹Warnemünde›'])
    expect(await snippets('leu warnemünde')).toEqual(['The Leuchtturm of ‹Warnemünde›'])
  })

  test.each([
    ['Where is the picture with the red bicycle?', 'en'],
    ['¿Dónde está la foto de la bicycle red?', 'es'],
    ['Où est la photo avec le bicycle red ?', 'fr'],
    ['Wo ist das Bild mit dem bicycle red?', 'de'],
  ])('of a question don’t affect its content words: %s', async (question, language) => {
    await addItem({}, ['A red bicycle at the station'])
    for (let times = 0; times < 5; times++) {
      await addItem({}, [
        { body: `Where is the picture ${times}? Dónde está la foto? Où est la photo? Wo ist das Bild?` },
      ])
    }
    const response = await mira.request
      .get('/api/media/search')
      .query({ query: question })
      .set('Accept-Language', language)
      .auth(account.token, { type: 'bearer' })
    const { results } = response.body as SearchResponseJson
    expect(results[0]).toMatchObject({
      content: 'A red bicycle at the station',
      highlights: [
        [2, 5],
        [6, 13],
      ],
      certainty: 'found',
    })
    expect(results.slice(1).map(({ certainty }) => certainty)).not.toContain('found')
  })

  test('are searched for even if all are question words', async () => {
    await addItem({}, [{ body: 'The Who', language: 'simple' }])
    expect(await snippets('the who')).toEqual(['‹The› ‹Who›'])
  })

  test('in quotes are found literally, across lines, and not inside other words', async () => {
    await addItem({}, ['To be or not\nto be, that is the question'])
    await addItem({}, ['not to beat about the bush, or to be'])
    expect(await snippets('"or not to be"')).toEqual(['To be ‹or not to be›, that is the question'])
    expect(await snippets('"not to be"')).toEqual(['To be or ‹not to be›, that is the question'])
    expect((await snippets('"to be" question'))[0]).toBe('‹To be› or not ‹to be›, that is the ‹question›')
  })

  test('quoted in a question are searched for individually when no text has the phrase', async () => {
    await addItem({}, ['He wants a treasure for friends of anime'])
    const question = 'What exactly is the "anime treasure" that he wanted to buy for a friend?'
    expect((await snippets(question))[0]).toMatch(/‹treasure›.*‹anime›/)
    expect(await snippets('friend "anime treasure"')).toEqual([])
  })

  test('without meaning find nothing', async () => {
    await addItem({}, ['A floral blouse and a quartz clock', { kind: 'name', body: 'IMG_1234.jpg · IMG 1234' }])
    for (const query of ['qwxz blorf', 'xyzzy', 'zzzz', '🎉', '"qwxz blorf"', 'blorf floral-qwxz']) {
      expect([query, await foundSnippets(query)]).toEqual([query, []])
    }
  })

  test('count more the rarer and the more numerous they are', async () => {
    const all = await addItem({}, ['A red bicycle in front of a bakery'])
    const some = await addItem({}, ['A bicycle at the bakery'])
    for (let times = 0; times < 20; times++) await addItem({}, ['Something red'])
    const { results } = await search('red bicycle bakery')
    expect(results.slice(0, 2).map(({ media_id }) => media_id)).toEqual([all.id, some.id])
    expect(results[0]?.similarity_score).toBeGreaterThan(0.9)
    expect(results[2]?.certainty).toBe('perhaps')
  })

  test('with a minus exclude items that contain them anywhere', async () => {
    await addItem({}, ['A dog in the garden'])
    await addItem({}, ['A dog on the beach', { kind: 'text', body: 'Beware of snowstorms' }])
    expect(await snippets('dog -snowstorm')).toEqual(['A ‹dog› in the garden'])
  })
})

describe('texts in scripts without spaces', () => {
  test('are found by their words, by one character, and among Latin words', async () => {
    const texts = [
      '房屋租赁合同将于三月到期，租金每月五千元。',
      '冷蔵庫の保証書は台所の引き出しに入っています。',
      'กุญแจสำรองของรถอยู่ในลิ้นชักห้องครัว',
      '겨울 휴가 때 찍은 사진을 할머니께 보냈다.',
      'The guest Wi-Fi is called 东京塔 and has a long password',
    ]
    for (const body of texts) await addItem({}, [{ body, language: 'simple' }])
    for (const [query, textIndex] of [
      ['租金', 0],
      ['租赁合同什么时候到期', 0],
      ['保証書はどこ', 1],
      ['冷', 1],
      ['กุญแจสำรอง', 2],
      ['할머니', 3],
      ['东京塔', 4],
      ['wi-fi 东京塔', 4],
    ] as const) {
      const { results } = await search(query)
      expect({ query, content: results[0]?.content }).toEqual({
        query,
        content: texts[textIndex],
      })
    }
  })
})
