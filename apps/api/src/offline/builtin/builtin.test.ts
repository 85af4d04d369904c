import type { Language } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import type { EngineEvent, Question, RecalledPassage } from '../../engines/chat-engine.ts'
import { createBuiltin } from './builtin.ts'

const dentist: RecalledPassage = {
  sessionId: '0199a1b2-0000-7000-8000-000000000001',
  messageId: '0199a1b2-0000-7000-8000-000000000002',
  sessionName: 'Appointments',
  role: 'user',
  snippet: 'the dentist is on Tuesday at nine',
  createdAt: new Date('2026-03-12T23:30:00Z'),
}

async function ask(
  content: string,
  language: Language = 'en',
  recollections: RecalledPassage[] = [],
  overrides: Partial<Question> = {},
) {
  const searched: string[] = []
  const question: Question = {
    instructions: '',
    turns: [{ role: 'user', content }],
    language,
    timeZone: 'Europe/Berlin',
    assistantName: 'Mira',
    memory: 'closed',
    passages: [],
    recall: async (query) => {
      searched.push(query)
      return recollections
    },
    tools: [],
    toolFor: () => null,
    callTool: async () => ({ isError: true, text: '' }),
    ...overrides,
  }
  const events: EngineEvent[] = []
  for await (const event of createBuiltin().answer(question, new AbortController().signal)) events.push(event)
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
  return { text, events, searched, sources: events.find((event) => event.type === 'sources')?.sources }
}

describe('the built-in engine', () => {
  test.each<[Language, string, RegExp]>([
    ['en', 'Hello!', /^Hello\. I’m Mira, running without a language model.*\/admin\?tab=settings/s],
    ['es', '¡Hola, buenos días!', /^Hola\. Soy Mira y funciono sin modelo de lenguaje.*\/admin\?tab=settings/s],
    ['fr', 'Bonjour', /^Bonjour\. Je suis Mira et je fonctionne sans modèle de langage.*\/admin\?tab=settings/s],
    ['de', 'Guten Morgen', /^Hallo\. Ich bin Mira und laufe ohne Sprachmodell.*\/admin\?tab=settings/s],
    ['en', 'What can you do?', /^I’m Mira.*search your earlier conversations.*administrator/s],
    ['es', '¿Qué puedes hacer?', /^Soy Mira.*administrador/s],
    ['fr', 'Que peux-tu faire ?', /^Je suis Mira.*administrateur/s],
    ['de', 'Was kannst du?', /^Ich bin Mira.*Administrator/s],
    [
      'en',
      'How do I connect a model?',
      /^An administrator connects a language model in \[Admin → Settings\]\(\/admin\?tab=settings\)/,
    ],
    ['de', 'Wie kann ich ein Modell einrichten?', /^Ein Administrator verbindet ein Sprachmodell/],
    ['es', '¿Cómo conecto un modelo?', /^Un administrador conecta un modelo de lenguaje/],
    ['fr', 'Comment connecter un modèle ?', /^Un administrateur connecte un modèle de langage/],
    ['en', 'how do I add a user?', /^An administrator can add people under \[Admin → User Management\]\(\/admin\)/],
    ['es', '¿Dónde están mis ajustes?', /^Tus ajustes están en \[Panel → Ajustes\]\(\/dashboard\?tab=settings\)\.$/],
    [
      'fr',
      'Comment supprimer mon compte ?',
      /\(\/dashboard\?tab=settings#data\).*Un administrateur peut supprimer le compte/,
    ],
    ['de', 'Kannst du PDFs lesen?', /^PDFs, Office-Dokumente.*\[Medien hochladen\]\(\/upload\)/],
    ['en', 'thank you very much', /^You’re welcome\.$/],
    ['es', 'muchas gracias', /^De nada\.$/],
    ['fr', 'merci beaucoup', /^Je vous en prie\.$/],
    ['de', 'Vielen Dank', /^Gern geschehen\.$/],
    ['en', 'well hello there', /^Hello\. I’m Mira/],
    ['en', "that's all I need, thanks!", /^You’re welcome\.$/],
    ['en', 'hi, how are you doing today?', /^I’m fine/],
    ['en', 'thanks for your help, goodbye!', /^You’re welcome\.$|^Goodbye!$/],
    ['en', 'who made you?', /^I’m Mira/],
    ['en', 'what kinds of things can you do', /^I’m Mira/],
    ['en', 'are you a real person or a computer', /^I’m Mira/],
    ['en', 'What is the time?', /^It’s \d\d:\d\d on /],
    ['es', '¿Cómo te llamas?', /^Soy Mira/],
    ['es', '¿Cómo estás?', /^Muy bien/],
    ['es', 'hasta luego', /^¡Hasta luego!$/],
    ['fr', 'Comment ça va ?', /^Très bien/],
    ['fr', 'Qui t’a créé ?', /^Je suis Mira/],
    ['fr', 'au revoir', /^Au revoir/],
    ['de', 'Wie geht es dir?', /^Gut, danke/],
    ['de', 'Wer hat dich gemacht?', /^Ich bin Mira/],
    ['de', 'Tschüss, bis morgen', /^Auf Wiedersehen!$/],
  ])('answers in %s: "%s"', async (language, message, expected) => {
    const { text, searched } = await ask(message, language)
    expect(text).toMatch(expected)
    expect(searched).toEqual([])
  })

  test.each<[Language, string, boolean, string]>([
    ['en', '15% of 80', false, '15% of 80 = **12**'],
    ['de', '9^9^9^9', true, 'Das hat nicht geklappt. Das Ergebnis hat zu viele Stellen.'],
    ['es', '9^9^9^9', true, 'No ha funcionado. El resultado tiene demasiadas cifras.'],
    ['fr', '9^9^9^9', true, 'Cela n’a pas fonctionné. Le résultat a trop de chiffres.'],
    ['en', '9^9^9^9', true, 'That didn’t work. The result has too many digits.'],
  ])('shows the result of the requested tool in %s: "%s"', async (language, message, isError, expected) => {
    const calls: string[][] = []
    const { text, searched } = await ask(message, language, [], {
      toolFor: () => 'calculator',
      callTool: async (...call) => {
        calls.push(call.slice(0, 2) as string[])
        return { isError, text: expected.split('. ').at(-1) ?? '' }
      },
    })
    expect(text).toBe(expected)
    expect(calls).toEqual([['calculator', JSON.stringify({ input: message })]])
    expect(searched).toEqual([])
  })

  test('mentions calculating only to users who have the calculator', async () => {
    const calculator = { name: 'calculator', description: '', parameters: {} }
    for (const language of ['en', 'es', 'fr', 'de'] as const) {
      expect((await ask('', language, [], { tools: [calculator] })).text).toMatch(/15\s?%/)
      expect((await ask('', language)).text).not.toMatch(/15\s?%/)
    }
  })

  test('mentions searching files only to users who may add some', async () => {
    const added = {
      en: 'what you’ve added',
      es: 'lo que has añadido',
      fr: 'ce que vous avez ajouté',
      de: 'was du hinzugefügt',
    }
    for (const language of ['en', 'es', 'fr', 'de'] as const) {
      expect((await ask('', language, [], { memory: 'unasked' })).text).toContain(added[language])
      expect((await ask('', language)).text).not.toContain(added[language])
    }
  })

  test('quotes passages from memory before earlier conversations, each with its number', async () => {
    const source = {
      ...{ n: 1, media_id: dentist.sessionId, media_type: 'video', title: 'visit.mp4', snippet: 'Tuesday *at* nine' },
      ...{ timestamp_seconds: 3845.7, frame_number: 4, thumbnail: null, url: '/gallery/x?t=3845.7' },
    }
    const { text, sources } = await ask('When is the dentist?', 'de', [dentist], {
      memory: 'searched',
      passages: [{ source, text: 'Tuesday *at* nine', certainty: 'found' }],
    })
    expect(text).toBe(
      [
        'Das habe ich in dem gefunden, was du hinzugefügt hast:',
        '',
        '1. visit.mp4, bei 1:04:05: „Tuesday \\*at\\* nine“ [1]',
        '',
        'Das habe ich in deinen früheren Unterhaltungen gefunden:',
        '',
        '2. 13. März 2026, du schriebst: „the dentist is on Tuesday at nine“ (Appointments)',
        '',
        'Es ist kein Sprachmodell verbunden, daher kann ich nur zitieren.',
      ].join('\n'),
    )
    expect(sources).toEqual([source, expect.objectContaining({ n: 2, media_type: 'chat' })])
  })

  test('shows the three closest passages when none surely matches the question', async () => {
    const passages = ['boat.jpg', 'lease.pdf', 'cellar.pdf', 'roof.pdf'].map((title, index) => ({
      source: {
        ...{ n: index + 1, media_id: null, media_type: 'document', title, snippet: `place ${index + 1}` },
        ...{ thumbnail: null, url: '/gallery/x' },
      },
      ...{ text: '', certainty: 'perhaps' as const },
    }))
    const { text, sources } = await ask('Where is the anchor?', 'en', [], { memory: 'searched', passages })
    expect(text).toBe(
      [
        'The closest I found:',
        '1. boat.jpg: “place 1” [1]\n2. lease.pdf: “place 2” [2]\n3. cellar.pdf: “place 3” [3]',
        'No language model is connected, so I can only quote.',
      ].join('\n\n'),
    )
    expect(sources).toHaveLength(3)
  })

  test('numbers quotes in the order they are shown, near matches after earlier conversations', async () => {
    const source = { n: 1, media_id: null, media_type: 'document', title: 'boat.pdf', snippet: 'a mooring' }
    const passage = {
      source: { ...source, thumbnail: null, url: '/gallery/x' },
      text: '',
      certainty: 'perhaps' as const,
    }
    const { text, sources } = await ask('When is the dentist?', 'en', [dentist], {
      memory: 'searched',
      passages: [passage],
    })
    expect(text.match(/^\d+\. .*$/gmu)).toEqual([
      '1. March 13, 2026, you wrote: “the dentist is on Tuesday at nine” (Appointments)',
      '2. boat.pdf: “a mooring” [2]',
    ])
    expect(sources?.map(({ n, title }) => [n, title])).toEqual([
      [1, 'Appointments'],
      [2, 'boat.pdf'],
    ])
  })

  test('says that memory couldn’t be searched, not that there is nothing', async () => {
    const { text } = await ask('Where is the anchor?', 'en', [], { memory: 'silent' })
    expect(text).toContain('couldn’t be searched in time')
    expect(text).not.toContain('found nothing')
  })

  test('searches nothing for a message that doesn’t need memory', async () => {
    const { text, searched } = await ask('Write a poem', 'en', [dentist], { memory: 'unasked' })
    expect([text, searched]).toEqual([expect.stringMatching(/^No language model is connected/), []])
  })

  test('numbers quotes without gaps when it leaves out passages', async () => {
    const passages = ['lease.pdf', 'lease.pdf', 'lease.pdf', 'boat.jpg'].map((title, index) => ({
      source: {
        ...{ n: index + 1, media_id: null, media_type: 'document', title, snippet: `place ${index + 1}` },
        ...{ thumbnail: null, url: '/gallery/x' },
      },
      ...{ text: '', certainty: 'found' as const },
    }))
    const lease = { title: 'lease.pdf', mediaType: 'document' as const, isInLastMessage: true, hasMatch: true }
    const { text, sources } = await ask('When does it end?', 'en', [], {
      memory: 'searched',
      passages,
      attached: [{ ...lease, pending: [], missing: [], isComplete: true, passages: [1, 2, 3], bestPassages: [3, 1] }],
    })
    expect(text).toContain('1. lease.pdf: “place 3” [1]\n2. lease.pdf: “place 1” [2]\n')
    expect(text).toContain('3. boat.jpg: “place 4” [3]')
    expect(sources?.map(({ n, snippet }) => [n, snippet])).toEqual([
      [1, 'place 3'],
      [2, 'place 1'],
      [3, 'place 4'],
    ])
  })

  test('answers a question with quotes, their dates in the user’s time zone, and links', async () => {
    const { text, sources, searched } = await ask('When is the dentist?', 'en', [
      dentist,
      { ...dentist, role: 'assistant', snippet: 'your dentist is Dr. Roth', sessionName: 'People' },
    ])
    expect(searched).toEqual(['When is the dentist?'])
    expect(text).toBe(
      [
        'I found 2 passages in your earlier conversations:',
        '',
        '1. March 13, 2026, you wrote: “the dentist is on Tuesday at nine” (Appointments)',
        '2. March 13, 2026, I answered: “your dentist is Dr. Roth” (People)',
        '',
        'No language model is connected, so I can only quote.',
      ].join('\n'),
    )
    expect(sources).toEqual([
      {
        n: 1,
        media_id: null,
        media_type: 'chat',
        session_id: dentist.sessionId,
        message_id: dentist.messageId,
        title: 'Appointments',
        snippet: 'the dentist is on Tuesday at nine',
        thumbnail: null,
        url: '/chat?session=0199a1b2-0000-7000-8000-000000000001',
      },
      expect.objectContaining({ n: 2, title: 'People' }),
    ])
  })

  test('writes dates in the language of the answer', async () => {
    const { text } = await ask('Wann ist der Zahnarzt?', 'de', [dentist])
    expect(text).toContain('1. 13. März 2026, du schriebst: „the dentist is on Tuesday at nine“ (Appointments)')
  })

  test('says so when it finds nothing', async () => {
    const { text, sources } = await ask('Who won the world cup?')
    expect(text).toMatch(
      /^I found nothing about this in your earlier conversations\.\n\nNo language model is connected/,
    )
    expect(sources).toBe(undefined)
  })

  test.each([
    ...['what do you put in chili', 'can I change your name to Bob', 'what is this song called', 'how old are you'],
    ...[
      'hey, play some country music',
      "what's up with my order",
      'are you a cat person',
      'thanks, where is my ticket?',
    ],
    ...['good night stories', 'Anna said thanks', 'letter with many thanks', 'thanks giving dinner', 'hey jude'],
    ...['good morning vietnam', 'how is everything at home'],
  ])('treats “%s” as neither small talk nor a question about itself', async (message) => {
    expect((await ask(message, 'en', [], { memory: 'unasked' })).text).toMatch(/^No language model/)
  })

  test.each<[Language, string]>([
    ['de', 'Gute Nacht Geschichten'],
    ['de', 'bis morgen Abend muss ich was abgeben'],
    ['fr', 'bonne nuit les petits'],
  ])('in %s, doesn’t treat “%s” as a goodbye', async (language, message) => {
    expect((await ask(message, language, [dentist], { memory: 'searched' })).searched).toHaveLength(1)
  })

  test.each<[Language, string, RegExp]>([
    ['en', 'hello my friend', /^Hello/],
    ['en', 'how is everything going with you today', /^I’m fine/],
    ['en', 'good night, sleep well', /^Goodbye!$/],
    ['de', 'Gute Nacht, bis morgen', /^Auf Wiedersehen!$/],
  ])('recognises small talk in %s with extra words: “%s”', async (language, message, expected) => {
    expect((await ask(message, language)).text).toMatch(expected)
  })

  test('gives the time itself, even when the question resembles a tool’s', async () => {
    const { text } = await ask('What time is it in London?', 'en', [], { toolFor: () => 'weather' })
    expect(text).toMatch(/^London: \d\d:\d\d, /)
  })

  test('searches when a greeting precedes a question', async () => {
    expect((await ask('Hi, when is the dentist?')).searched).toHaveLength(1)
  })

  test('streams in pieces and is labelled built-in, without invented usage', async () => {
    const { events } = await ask('Hello')
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(10)
    expect(events.at(-1)).toEqual({ type: 'end', model: 'built-in', usage: null })
  })
})
