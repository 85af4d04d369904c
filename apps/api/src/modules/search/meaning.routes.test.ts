import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { TEXTS_IN_TURN } from '../library/pipeline/plan.ts'
import type { StepContext } from '../library/pipeline/step.ts'
import { createEmbedSteps } from '../library/pipeline/steps/embed.ts'

let models: OpenAiServer
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({
    environment: { OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' },
    searchLimits: { queryTimeoutMs: 2_000, pauseMs: 50 },
  })
})
beforeEach(async () => {
  models.embeddings = { dimensions: 1024 }
  account = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const signal = new AbortController().signal

/** Stores an item with these captions, and embeds them. */
async function addItem(bodies: string[], { owner = account, embeds = true } = {}) {
  const item = await insertMediaItem(mira.context.database, owner.user.id, {})
  for (const [position, body] of bodies.entries()) {
    await insertMoment(mira.context.database, item, { body, position })
  }
  if (embeds) await mira.context.embedding.embedItem(item, signal)
  return item
}

async function searchAll(query: string, searcher = account) {
  const response = await mira.request.get('/api/media/search').query({ query }).auth(searcher.token, { type: 'bearer' })
  expect(response.status).toBe(200)
  return response.body as SearchResponseJson
}

/** Minimum score; other results are merely near. */
const LIKELY = 0.2

/** A search, with only the likely results. */
async function search(query: string, searcher = account) {
  const response = await searchAll(query, searcher)
  return { ...response, results: response.results.filter(({ similarity_score }) => similarity_score >= LIKELY) }
}

describe('with an engine for meaning', () => {
  test('finds texts in other words and languages, and reports the semantic mode', async () => {
    const dog = await addItem(['A puppy by the ocean'])
    await addItem(['The physician wrote a letter'])
    await addItem(['A house on the mountain'])
    for (const query of ['dog at the sea', 'Hund am Meer']) {
      const { results, mode } = await search(query)
      expect(results.map(({ media_id, matched }) => [media_id, matched])).toEqual([[dog.id, 'meaning']])
      expect(results[0]?.content).toBe('A puppy by the ocean')
      expect(mode).toBe('semantic')
    }
  })

  test('puts a text that matches by words and meaning first', async () => {
    const bothWays = await addItem(['A red bicycle'])
    const meaning = await addItem(['A crimson bike'])
    const { results } = await search('red bicycle')
    expect(results.map(({ media_id, matched }) => [media_id, matched])).toEqual([
      [bothWays.id, 'words'],
      [meaning.id, 'meaning'],
    ])
    expect(results[0]?.similarity_score).toBeGreaterThan(results[1]?.similarity_score ?? 1)
  })

  test.each([
    ['When do we fly to Porto?', 'and back?', /Porto.*back/],
    // a follow-up that asks for more than a time
    ['What did Ana write about Porto?', 'What did she say about it in March?', /Porto.*say/],
  ])('combines a message that can’t stand alone with the previous one: %s %s', async (before, message, expected) => {
    const traveller = await mira.createUser({ can_upload: true, can_chat: true })
    await addItem(['Our flight to Porto leaves on 8 August'], { owner: traveller })
    const say = async (content: string, sessionId?: string) => {
      const { text } = await mira.request
        .post('/api/chat/message')
        .auth(traveller.token, { type: 'bearer' })
        .send({ content, session_id: sessionId })
      return /"session_id":"([^"]+)"/.exec(text)?.[1]
    }
    const sessionId = await say(before)
    models.requests.length = 0
    await say(message, sessionId)
    const embeddedTexts = models.requests.flatMap(({ path, body }) =>
      path === '/v1/embeddings' ? [String(body.input)] : [],
    )
    expect(embeddedTexts).toEqual([expect.stringMatching(expected)])
  })

  test('lists near results without counting them as found', async () => {
    await addItem(['A red bicycle', 'A house by the sea'])
    const { results } = await searchAll('qwxz blorf')
    expect(results.map(({ certainty, similarity_score }) => [certainty, similarity_score < 0.5])).toEqual([
      ['perhaps', true],
    ])
  })

  test('finds nothing for nonsense', async () => {
    await addItem(['A red bicycle', 'A house by the sea', 'The dentist’s invoice', 'Sunset over the mountains'])
    for (const query of ['qwxz blorf', 'xyzzy', '🎉', 'blorfel snarkit wumpf']) {
      expect([query, (await search(query)).results]).toEqual([query, []])
    }
  })

  test('finds nothing for nonsense with vectors so short that any two texts are slightly similar', async () => {
    const tiny = await startOpenAiServer()
    tiny.embeddings = { dimensions: 128 }
    const other = await startTestApp({
      environment: { OPENAI_BASE_URL: tiny.baseUrl, EMBEDDING_MODEL: 'test-embedding' },
    })
    try {
      const { user, token } = await other.createUser({ can_upload: true })
      const things = ['house', 'letter', 'mountain', 'train', 'birthday', 'doctor', 'table', 'window']
      const places = ['by the sea', 'in the garden', 'at the station', 'near the old bridge', 'on a red carpet']
      for (const thing of things) {
        const item = await insertMediaItem(other.context.database, user.id, {})
        for (const [position, place] of places.entries()) {
          await insertMoment(other.context.database, item, { body: `The ${thing} ${place}`, position })
        }
        await other.context.embedding.embedItem(item, signal)
      }
      for (const query of ['qwxz blorf', 'xyzzy', 'blorfel snarkit wumpf', 'zzyx qqrt']) {
        const response = await other.request.get('/api/media/search').query({ query }).auth(token, { type: 'bearer' })
        const { results } = response.body as SearchResponseJson
        expect([query, results.filter(({ certainty }) => certainty === 'found')]).toEqual([query, []])
      }
      const response = await other.request
        .get('/api/media/search')
        .query({ query: 'home ocean' })
        .auth(token, { type: 'bearer' })
      expect((response.body as SearchResponseJson).results[0]?.content).toBe('The house by the sea')
    } finally {
      await other.close()
      await tiny.close()
    }
  })

  test('compares quoted words only literally', async () => {
    await addItem(['A puppy by the ocean'])
    expect(await search('"dog"')).toMatchObject({ results: [], mode: 'words' })
  })

  test('doesn’t find other users’ items', async () => {
    const other = await mira.createUser({ can_upload: true })
    await addItem(['A puppy by the ocean'], { owner: other })
    await addItem(['A house'])
    expect((await search('dog at the sea')).results).toEqual([])
    expect((await search('dog at the sea', other)).results).toHaveLength(1)
  })

  test('reports that nothing of the user’s is embedded yet', async () => {
    await addItem(['A puppy'], { embeds: false })
    expect(await search('dog')).toMatchObject({ results: [], mode: 'words', mode_reason_code: 'nothing_embedded' })
  })

  test('applies the same filters as a search by words', async () => {
    await addItem(['A puppy by the ocean'])
    expect((await search('dog at the sea type:video')).results).toEqual([])
    expect((await search('dog at the sea type:image')).results).toHaveLength(1)
  })
})

describe('a failing engine', () => {
  const failures = {
    'returns an error': { failure: { status: 500, message: 'out of memory' } },
    'does not respond': { failure: 'hang' as const },
    'returns nonsense': { data: [{ index: 0, embedding: 'x' }] },
  }
  test.each(Object.entries(failures))('that %s: words are searched in time, with the reason', async (name, failure) => {
    await addItem(['A lighthouse'])
    models.embeddings = failure
    const startedAt = performance.now()
    // a new query, so that no vector of it is cached
    const response = await searchAll(`lighthouse ${Object.keys(failures).indexOf(name)}`)
    expect(performance.now() - startedAt).toBeLessThan(12_000)
    expect(response).toMatchObject({ mode: 'words', mode_reason_code: 'embedding_engine_failed' })
    expect(response.mode_reason).toMatch(/model/)
    expect(response.results).toHaveLength(1)
  })

  test('is used again once it’s back', async () => {
    await addItem(['A puppy by the ocean'])
    models.embeddings = { failure: 'hang' }
    await search('something else entirely')
    models.embeddings = { dimensions: 1024 }
    await expect.poll(async () => (await search('dog at the sea')).mode).toBe('semantic')
  })
})

describe('embedding an item', () => {
  const vectorsOf = (itemId: string) =>
    mira.context.database.prisma.momentEmbedding.count({ where: { moment: { mediaItemId: itemId } } })

  test('gives each text one vector, and when repeated only those without one', async () => {
    const item = await addItem(['A dog', 'A cat'])
    await insertMoment(mira.context.database, item, { body: 'A tree', position: 2 })
    const before = models.requests.length
    const steps: number[] = []
    const outcome = await mira.context.embedding.embedItem(item, signal, { progress: (share) => steps.push(share) })
    expect(outcome).toEqual({ engine: 'remote', model: 'test-embedding' })
    expect(models.requests.slice(before).map(({ body }) => body.input)).toEqual([['A tree']])
    expect(steps).toEqual([1])
    expect(await vectorsOf(item.id)).toBe(3)
  })

  test('makes at most `max` vectors at once, and the next ones in another turn', async () => {
    const item = await addItem(['A dog', 'A cat', 'A tree', 'A house', 'A car'], { embeds: false })
    const before = models.requests.length
    const steps: number[] = []
    const embed = () =>
      mira.context.embedding.embedItem(item, signal, { max: 2, progress: (share) => steps.push(share) })
    const unfinished = { engine: 'remote', model: 'test-embedding', isUnfinished: true }
    expect([await embed(), await embed()]).toEqual([unfinished, unfinished])
    expect(await vectorsOf(item.id)).toBe(4)
    expect(await embed()).toEqual({ engine: 'remote', model: 'test-embedding' })
    const batches = models.requests.slice(before).map(({ body }) => body.input as string[])
    expect(batches.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(new Set(batches.flat()).size).toBe(5)
    expect(steps).toEqual([0.4, 0.8, 1])
  })

  test('runs in turns in the pipeline, so that a long item doesn’t block others', async () => {
    const item = await addItem(['A dog'], { embeds: false })
    const { id, userId } = item
    await mira.context.database.pool.query(
      `INSERT INTO moments (id, media_item_id, user_id, kind, body, position, engine)
       SELECT gen_random_uuid(), $1, $2, 'caption', 'Picture ' || n, n, 'built-in' FROM generate_series(1, $3) n`,
      [id, userId, TEXTS_IN_TURN],
    )
    const checkpoints: unknown[] = []
    const { embed } = createEmbedSteps({
      results: { storeCheckpoint: async (_item: unknown, state: unknown) => checkpoints.push(state) } as never,
      embedding: mira.context.embedding,
    })
    const context = { item: { id, userId }, signal, progress: () => {} } as unknown as StepContext
    expect(await embed(context)).toMatchObject({ isUnfinished: true })
    expect([await vectorsOf(id), checkpoints]).toEqual([TEXTS_IN_TURN, [{}]])
    expect(await embed(context)).not.toHaveProperty('isUnfinished')
    expect([await vectorsOf(id), checkpoints]).toEqual([TEXTS_IN_TURN + 1, [{}]])
  })

  test('is skipped with the reason when there is no text', async () => {
    const item = await addItem([], { embeds: false })
    expect(await mira.context.embedding.embedItem(item, signal)).toEqual({
      engine: null,
      model: null,
      skipped: { text: 'There’s no text in it.', sentences: [{ code: 'nothing_to_embed', params: {} }] },
    })
  })

  test('deletes the vector of a changed text', async () => {
    const item = await addItem(['A puppy by the ocean'])
    await mira.context.database.prisma.moment.updateMany({
      where: { mediaItemId: item.id },
      data: { body: 'A house on the mountain' },
    })
    expect(await vectorsOf(item.id)).toBe(0)
    expect((await search('dog at the sea')).results).toEqual([])
  })

  test('throws the engine’s error and stores no vector', async () => {
    const item = await addItem(['A dog'], { embeds: false })
    models.embeddings = { failure: { status: 500, message: 'out of memory' } }
    await expect(mira.context.embedding.embedItem(item, signal)).rejects.toThrow(/model server/)
    expect(await vectorsOf(item.id)).toBe(0)
  })

  test('skips a text that the model fails on: the item completes, and its other texts are found', async () => {
    models.embeddings = { dimensions: 1024, failsOn: 'unreadable' }
    const item = await addItem(['A puppy by the ocean', 'An unreadable passage', 'A red bicycle'], { embeds: false })
    const turn = () => mira.context.embedding.embedItem(item, signal, { max: 2 })
    expect(await turn()).toEqual({ engine: 'remote', model: 'test-embedding' })
    expect(await vectorsOf(item.id)).toBe(2)
    expect((await search('dog at the sea')).results.map(({ media_id }) => media_id)).toEqual([item.id])
  })

  test('begins a new profile when the model’s vectors change, and searches it', async () => {
    const before = await addItem(['A puppy by the ocean'])
    expect(await search('a hound on the shore')).toMatchObject({ mode: 'semantic' })
    models.embeddings = { dimensions: 512 }
    const item = await addItem(['A kitten on a tree'], { embeds: false })
    // the first response shows that the engine's vectors have changed
    expect(await search('a whelp on the coast')).toMatchObject({ mode_reason_code: 'embedding_engine_failed' })
    expect(await search('a whelp near the coast')).toMatchObject({ mode_reason_code: 'embedding_model_changed' })
    await mira.context.embedding.embedItem(item, signal)
    const profiles = await mira.context.database.prisma.embeddingProfile.findMany({ orderBy: { id: 'asc' } })
    expect(profiles.map(({ kind, model, dimensions, state }) => [kind, model, dimensions, state])).toEqual([
      ['text', 'test-embedding', 1024, 'active'],
      ['text', 'test-embedding', 512, 'filling'],
    ])
    expect((await search('Katze auf einem Baum')).results.map(({ media_id }) => media_id)).toEqual([item.id])
    expect(await vectorsOf(before.id)).toBe(1)
  })
})
