import { randomUUID } from 'node:crypto'
import type { Language, LibraryQuery, MediaItem, SearchResult } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import type { AgentContext } from '../agent-kind.ts'
import { createFile, type FileTools } from './file.ts'

const caller = (language: Language = 'en'): AgentContext => ({
  ...{ userId: 'a person', canSearchMemory: true, canReadStored: true, language, timeZone: 'Europe/Madrid' },
  now: new Date('2026-06-10T12:00:00Z'),
})

const item = (original_filename: string, content_type: string) =>
  ({
    id: randomUUID(),
    media_type: content_type === 'image/png' ? 'image' : 'document',
    timestamp: new Date('2026-06-01T00:00:00Z'),
    thumbnail: null,
    metadata: {
      ...{ original_filename, content_type, size_bytes: 1500, taken_local: null },
      created_at: new Date('2026-06-03T22:30:00Z'),
    },
  }) as MediaItem

const result = {
  ...{ id: randomUUID(), media_id: randomUUID(), media_type: 'video', original_filename: 'coast.mp4', thumbnail: null },
  ...{
    content: 'a lighthouse [at] night',
    highlights: [] as [number, number][],
    timestamp: new Date('2026-05-02T00:00:00Z'),
  },
  ...{ page: null, frame_number: 3, timestamp_seconds: 6.5, url: '/gallery/x?t=6.5', certainty: 'found' },
} as SearchResult

/** Agent with a fake memory that records its requests. */
function agentOver(
  results: SearchResult[] | ((types?: string[]) => SearchResult[]) = [result],
  items = ['d.pdf', 'c.txt', 'b.pdf', 'a.pdf', '0.pdf'].map((name) =>
    item(name, name.endsWith('pdf') ? 'application/pdf' : 'text/plain'),
  ),
) {
  const requests: string[] = []
  const tools: FileTools = {
    seesPictures: () => false,
    media: {
      list: async (_userId, { media_type, sort, limit }: LibraryQuery, { tag, contentTypes, period } = {}) => {
        const span = period && `${period.from.toISOString().slice(0, 16)}–${period.to.toISOString().slice(0, 16)}`
        requests.push(['list', media_type, sort, tag, span].filter(Boolean).join(' '))
        const matches = items.filter(({ metadata }) => contentTypes?.includes(metadata.content_type) ?? true)
        return { media_items: matches.slice(0, limit), next_cursor: null, total: matches.length }
      },
      sizes: async () => [
        { mediaType: 'image', count: 1, sizeBytes: 1_200 },
        { mediaType: 'video', count: 3, sizeBytes: 4_500_000 },
      ],
    },
    memory: {
      search: async ({ contentTypes }, { query, media_types: types, from }) => {
        requests.push(
          ['search', query, types && `in ${types}`, contentTypes, from?.slice(0, 10)].filter(Boolean).join(' '),
        )
        const isInPeriod = from === undefined || !from.startsWith('2023')
        const searchResults = typeof results === 'function' ? results(types) : results
        return { search_id: randomUUID(), results: isInPeriod ? searchResults : [], took_ms: 1, mode: 'words' }
      },
    },
  }
  return { agent: createFile(tools), requests }
}

describe('a question about the memory', () => {
  test.each<[Language, string, string]>([
    ['en', 'the last three PDFs', 'list document newest'],
    ['en', 'show my oldest 5 pictures', 'list image oldest'],
    ['en', 'my largest videos', 'list video largest'],
    ['en', 'which films mention a lighthouse?', 'search lighthouse in video'],
    ['en', 'what files are about the summer holiday', 'search summer holiday'],
    ['en', 'pictures from last May', 'list image newest 2026-04-30T22:00–2026-05-31T22:00'],
    ['en', 'my photos from yesterday', 'list image newest 2026-06-08T22:00–2026-06-09T22:00'],
    ['en', 'documents of December 2025', 'list document newest 2025-11-30T23:00–2025-12-31T23:00'],
    ['en', 'find the letter from the bank', 'search letter from the bank'],
    ['en', 'Please find me pictures of a dog.', 'search dog in image'],
    ['en', 'find my last pictures', 'list image newest'],
    ['en', 'find pictures of last May', 'list image newest 2026-04-30T22:00–2026-05-31T22:00'],
    ['en', 'a letter from the bank', ''],
    ['en', 'how many pictures are tagged beach', 'list image newest beach'],
    ['es', 'los últimos tres PDF', 'list document newest'],
    ['es', '¿qué películas mencionan un faro?', 'search faro in video'],
    ['es', 'mis fotos de mayo', 'list image newest 2026-04-30T22:00–2026-05-31T22:00'],
    ['es', '¿Dónde está el contrato?', 'search contrato'],
    ['fr', 'cherche des photos de la plage', 'search plage in image'],
    ['de', 'Suche nach dem Vertrag', 'search Vertrag'],
    ['de', 'Wo sind meine Bilder von der Hochzeit?', 'search Hochzeit in image'],
    ['fr', 'les trois derniers PDF', 'list document newest'],
    ['fr', 'quels films mentionnent un phare ?', 'search phare in video'],
    ['de', 'die letzten drei PDFs', 'list document newest'],
    ['de', 'Welche Filme erwähnen einen Leuchtturm?', 'search Leuchtturm in video'],
    ['de', 'meine Bilder von letzter Woche', 'list image newest 2026-05-31T22:00–2026-06-07T22:00'],
    ['en', 'What have I uploaded today?', 'list added 2026-06-09T22:00–2026-06-10T22:00'],
    ['es', '¿Qué subí hoy?', 'list added 2026-06-09T22:00–2026-06-10T22:00'],
    ['fr', 'Qu’est-ce que j’ai ajouté hier ?', 'list added 2026-06-08T22:00–2026-06-09T22:00'],
    ['de', 'Was habe ich heute hochgeladen?', 'list added 2026-06-09T22:00–2026-06-10T22:00'],
    ['en', 'how many photos did I take last weekend?', 'list image newest 2026-06-05T22:00–2026-06-07T22:00'],
    ['en', 'my photos from Christmas 2025', 'list image newest 2025-12-23T23:00–2025-12-26T23:00'],
    ['en', 'my pictures of the last 3 days', 'list image newest 2026-06-06T22:00–2026-06-10T22:00'],
    ['en', 'my videos since May', 'list video newest 2026-04-30T22:00–9998-12-31T23:00'],
    ['en', 'my PDFs 2024', 'list document newest 2023-12-31T23:00–2024-12-31T23:00'],
    ['en', 'which films mention a lighthouse last summer', 'search lighthouse in video 2025-05-31'],
    ['en', 'which PDFs mention the club?', 'search club in document application/pdf'],
    ['de', 'Was ist die größte Datei?', 'list largest'],
    ['de', 'Wie viele Fotos habe ich diese Woche gemacht?', 'list image newest 2026-06-07T22:00–2026-06-14T22:00'],
    ['de', 'zeig mir die Bilder hier', 'list image newest'],
    ['fr', 'combien de photos ai-je prises lundi ?', 'list image newest 2026-06-07T22:00–2026-06-08T22:00'],
    ['es', '¿cuántas fotos hice el fin de semana pasado?', 'list image newest 2026-06-05T22:00–2026-06-07T22:00'],
    ['en', 'how many pictures of a dog do I have?', 'search dog in image'],
    ['de', 'Wie viele Fotos von der Hochzeit habe ich?', 'search Hochzeit in image'],
    ['fr', 'combien de photos de la plage ai-je ?', 'search plage in image'],
    ['es', '¿cuántas fotos de la boda tengo?', 'search boda in image'],
  ])('becomes a list or search request in %s: %s', async (language, question, expected) => {
    const { agent, requests } = agentOver()
    if (expected === '') {
      await expect(agent.run(question, caller(language))).rejects.toMatchObject({ code: 'not_a_file_question' })
      return
    }
    await agent.run(question, caller(language))
    expect(requests).toEqual([expected])
  })

  test('isn’t limited to a month by a word that only looks like one', async () => {
    const { agent, requests } = agentOver()
    expect((await agent.run('how many files may I upload', caller())).output).toMatch(/^\*\*4\*\* files/)
    expect(requests).toEqual([])
  })

  test('is answered with links to the results and marked as quoting others', async () => {
    const { output, data, quotesOthers } = await agentOver().agent.run('the last three PDFs', caller())
    expect(output).toMatch(/^3 of 4:\n\n- \[d\.pdf\]\(\/gallery\/[\w-]+\)\n- \[b\.pdf\].*\n- \[a\.pdf\]/)
    expect(data).toMatchObject({
      kind: 'files',
      action: 'listed',
      items: [{ title: 'd.pdf', size_bytes: 1500 }, {}, {}],
    })
    expect(quotesOthers).toBe(true)
    const searchResult = await agentOver().agent.run('which films mention a lighthouse', caller())
    expect(searchResult.output).toBe(
      '1 passage about “lighthouse”:\n\n- [coast.mp4](/gallery/x?t=6.5): a lighthouse \\[at\\] night',
    )
    expect(searchResult.data).toMatchObject({ action: 'found', items: [{ frame_number: 3, timestamp_seconds: 6.5 }] })
    const nothing = await agentOver([]).agent.run('which films mention a lighthouse', caller())
    expect(nothing.output).toBe('Nothing in your memory is about “lighthouse”.')
  })

  test.each<[Language, string, RegExp]>([
    ['en', 'how much space do my videos take', /^\*\*4\.5 MB\*\* – 3 videos\.$/],
    ['en', 'how many videos do I have', /^\*\*3\*\* videos\.$/],
    ['en', 'how many files do I have', /^\*\*4\*\* files\.\n\n- 1 picture: 1\.2 kB/],
    ['es', '¿cuánto espacio ocupan mis vídeos?', /^\*\*4,5 MB\*\* – 3 vídeos\.$/],
    ['fr', 'combien de place prennent mes vidéos', /^\*\*4,5\sMo\*\* – 3 vidéos\.$/],
    ['de', 'wie viel Platz brauchen meine Videos', /^\*\*4,5\sMB\*\* – 3 Videos\.$/],
  ])('about sizes and counts is answered in %s: %s', async (language, question, expected) => {
    const { output, data } = await agentOver().agent.run(question, caller(language))
    expect(output).toMatch(expected)
    expect(data).toMatchObject({ kind: 'files', action: 'counted' })
  })

  test.each<[Language, string, string, string]>([
    ['en', 'when did I last upload a PDF?', 'list document added', 'was added on Thursday, 4 June 2026 at 00:30.'],
    [
      'es',
      '¿cuándo subí un PDF por última vez?',
      'list document added',
      'se añadió el jueves, 4 de junio de 2026, 0:30.',
    ],
    [
      ...(['fr', 'quand ai-je ajouté mon dernier PDF ?', 'list document added'] as const),
      'a été ajouté le jeudi 4 juin 2026 à 00:30.',
    ],
    [
      ...(['de', 'Wann habe ich zuletzt ein PDF hochgeladen?', 'list document added'] as const),
      'wurde am Donnerstag, 4. Juni 2026 um 00:30 hinzugefügt.',
    ],
    // Without a capture time.
    ['en', 'when was my last photo taken?', 'list image taken', 'was added on Thursday, 4 June 2026 at 00:30.'],
    ['en', 'when did I first upload a PDF?', 'list document oldest', 'was added on Thursday, 4 June 2026 at 00:30.'],
  ])('about a date is answered in %s: %s', async (language, question, request, expected) => {
    const { agent, requests } = agentOver()
    const { output, summary, data } = await agent.run(question, caller(language))
    expect(requests).toEqual([request])
    expect(output).toMatch(/^\[d\.pdf\]\(\/gallery\/[\w-]+\) /)
    expect(output.replace(/\s/g, ' ').replace(/^\S+ /, '')).toBe(expected)
    expect(summary).toMatch(/^d\.pdf /)
    expect(data).toMatchObject({ action: 'listed', items: [{ title: 'd.pdf' }] })
  })

  test.each<[Language, string]>([
    ['en', 'was taken on Friday, 1 May 2026 at 09:28.'],
    ['es', 'se tomó el viernes, 1 de mayo de 2026, 9:28.'],
    ['fr', 'a été pris le vendredi 1 mai 2026 à 09:28.'],
    ['de', 'wurde am Freitag, 1. Mai 2026 um 09:28 aufgenommen.'],
  ])('about a capture time is answered in %s with the local time', async (language, expected) => {
    const photo = item('beach.png', 'image/png')
    photo.metadata.taken_local = '2026-05-01T09:28:00'
    const { agent } = agentOver([result], [photo])
    const { output } = await agent.run('when was my last photo taken?', caller(language))
    expect(output.replace(/\s/g, ' ').replace(/^\S+ /, '')).toBe(expected)
  })

  test('about the date of a topic is answered from the best match, or from the newest one', async () => {
    const { agent, requests } = agentOver()
    expect((await agent.run('when did I add the lease?', caller())).output).toMatch(/was added on/)
    await agent.run('when did I last add a video of Anna?', caller())
    expect(requests).toEqual(['search lease', 'list newest', 'search Anna in video', 'list video added'])
    const nothing = await agentOver([]).agent.run('when did I add the lease?', caller())
    expect(nothing.output).toBe('Nothing in your memory is about “lease”.')
  })

  test('falls back to other times, and mentions that images aren’t described yet', async () => {
    const other = agentOver()
    const { output } = await other.agent.run('show me letters about rent in my documents from 2024', caller())
    expect(other.requests.at(-1)).toBe('search letters about rent from 2024 in document')
    expect(output).toMatch(/^Nothing from that time is about “letters about rent”\. This is from other times:/)
    const unseen = await agentOver([]).agent.run('show me photos with a lighthouse', caller())
    expect(unseen.output).toMatch(/^Nothing .* about “lighthouse”\.\n\nPictures aren’t described here yet/)
    expect(unseen.summary).toBe('Nothing in your memory is about “lighthouse”.')
  })

  const hits = (certainties: SearchResult['certainty'][]) => certainties.map((certainty) => ({ ...result, certainty }))
  const uncertainHits = hits(Array.from({ length: 97 }, () => 'perhaps'))
  test.each<[Language, string, SearchResult[], RegExp, number]>([
    ['en', 'how many pictures of a dog do I have', hits(['found', 'perhaps', 'found']), /^2 passages about “dog”:/, 2],
    [
      'en',
      'how many pictures of a dog do I have',
      hits(['perhaps']),
      /^Nothing .* clearly about “dog”\. This comes/,
      1,
    ],
    [
      'en',
      'how many pictures of a dog do I have',
      [...hits(['found', 'found', 'found']), ...uncertainHits],
      /^At least 3 passages about “dog”:/,
      3,
    ],
    [
      'de',
      'Wie viele Fotos von der Hochzeit habe ich?',
      [...uncertainHits, ...hits(['found', 'found', 'found'])],
      /^Mindestens 3 S/,
      3,
    ],
    ['en', 'which films mention a lighthouse', hits(['found', 'perhaps']), /^2 passages/, 2],
  ])(
    'is answered in %s with the number of certain results: %s',
    async (language, question, results, expected, items) => {
      const { output, data } = await agentOver(results).agent.run(question, caller(language))
      expect(output).toMatch(expected)
      expect(data).toMatchObject({ items: { length: items } })
    },
  )

  test('is answered from other files, with a note, when none of the requested kind matches', async () => {
    const { agent, requests } = agentOver((types) => (types === undefined ? [{ ...result, certainty: 'found' }] : []))
    const { output } = await agent.run('which PDFs mention a lighthouse', caller())
    expect(output).toMatch(/^None of these files is about “lighthouse”\. This is in others:\n\n- \[coast\.mp4\]/)
    expect(requests).toEqual(['search lighthouse in document application/pdf', 'search lighthouse'])
    const pictures = await agent.run('show me pictures of the lighthouse', caller())
    expect(pictures.output).toMatch(/coast\.mp4[\s\S]*Pictures aren’t described here yet/)
  })

  test('requires access to the memory and words about files', async () => {
    const withoutMemory = { ...caller('de'), canSearchMemory: false }
    await expect(agentOver().agent.run('my pictures', withoutMemory)).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/^Dein Konto darf/),
    })
    const { agent } = agentOver()
    await expect(agent.run('hello', caller())).rejects.toMatchObject({ code: 'not_a_file_question', status: 400 })
    const fileQuestions = [
      'the last three PDFs',
      'which films mention a lighthouse',
      'how much space do my videos take',
      'pictures from last May',
      '¿Qué subí hoy?',
    ]
    expect(fileQuestions.map((text) => agent.confidence(text, caller()) >= 0.8)).toEqual(fileQuestions.map(() => true))
    const unrelatedSentences = [
      'what is a film?',
      'how many pictures did Picasso paint?',
      'tell me a joke',
      '15% of 80',
    ]
    expect(unrelatedSentences.map((text) => agent.confidence(text, caller()) >= 0.8)).toEqual(
      unrelatedSentences.map(() => false),
    )
  })
})
