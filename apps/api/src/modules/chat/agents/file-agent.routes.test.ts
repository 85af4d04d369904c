import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let ana: TestAccount
let ben: TestAccount
let videoId: string

/** Inserts five documents of the user, four of them PDFs, and videos with speech; returns the ids of the videos. */
async function insertLibrary({ user }: TestAccount, videos: { name: string; speech: string; sizeBytes: number }[]) {
  const { database } = server.context
  const add = async (traits: Parameters<typeof insertMediaItem>[2], body: string, momentTraits: object = {}) => {
    const item = await insertMediaItem(database, user.id, traits)
    await insertMoment(database, item, { kind: 'name', body: item.originalFilename })
    await insertMoment(database, item, { body, position: 1, ...momentTraits })
    return item.id
  }
  const names = ['lease.pdf', 'ticket.pdf', 'bill.pdf', 'notes.txt', 'map.pdf']
  for (const [index, name] of names.entries()) {
    const contentType = name.endsWith('pdf') ? 'application/pdf' : 'text/plain'
    const createdAt = new Date(Date.UTC(2026, 0, index + 1))
    const originalFilename = `${user.username}-${name}`
    await add({ mediaType: 'document', contentType, originalFilename, createdAt }, `Words of ${user.username}`)
  }
  const ids: string[] = []
  for (const { name, speech, sizeBytes } of videos) {
    const traits = {
      mediaType: 'video',
      contentType: 'video/mp4',
      originalFilename: name,
      sizeBytes: BigInt(sizeBytes),
    } as const
    ids.push(await add(traits, speech, { kind: 'speech', startSeconds: 65, endSeconds: 70 }))
  }
  return ids
}

beforeAll(async () => {
  server = await startTestApp()
  ana = await server.createUser({ username: 'ana', can_use_agents: true, can_upload: true })
  ben = await server.createUser({ username: 'ben', can_use_agents: true, can_upload: true })
  const videos = [
    { name: 'coast.mp4', speech: 'We walked to the lighthouse in the rain', sizeBytes: 1_500_000 },
    { name: 'cake.mp4', speech: 'Now add the flour and stir', sizeBytes: 2_000_000 },
  ]
  videoId = (await insertLibrary(ana, videos))[0] as string
  await insertLibrary(ben, [{ name: 'storm.mp4', speech: 'The lighthouse stands in the storm', sizeBytes: 700 }])
})
afterAll(() => server.close())

const ask = async ({ token }: TestAccount, input: string) => {
  const agentRequest = server.request.post('/api/agents/FileAgent/run').auth(token, { type: 'bearer' })
  return (await agentRequest.send({ input }).expect(200)).body
}

test('finds what was added on a day, however old it is, and what was taken on it', async () => {
  const caro = await server.createUser({ can_use_agents: true, can_upload: true })
  const { database } = server.context
  const insert = async (originalFilename: string, takenAt: Date | null, createdAt: Date, body: string) => {
    const traits = { mediaType: 'image', originalFilename, takenAt, createdAt } as const
    const item = await insertMediaItem(database, caro.user.id, traits)
    await insertMoment(database, item, { body })
  }
  const now = new Date()
  await insert('wedding.jpg', new Date('1998-07-04T12:00:00Z'), now, 'The bride with a bouquet of peonies')
  await insert('receipt.jpg', null, now, 'Peonies, 12 euros')
  await insert('old-receipt.jpg', null, new Date('2024-03-02T12:00:00Z'), 'Peonies, 9 euros')
  const titlesFor = async (input: string) =>
    (await ask(caro, input)).data.items.map(({ title }: { title: string }) => title).toSorted()
  expect(await titlesFor('what did I upload today?')).toEqual(['receipt.jpg', 'wedding.jpg'])
  expect(await titlesFor('pictures I uploaded today that mention peonies')).toEqual(['receipt.jpg', 'wedding.jpg'])
  expect((await ask(caro, 'how many photos did I upload today?')).data.totals).toMatchObject([{ count: 2 }])
  expect(await titlesFor('photos from today')).toEqual(['receipt.jpg'])
  expect(await titlesFor('photos from July 1998')).toEqual(['wedding.jpg'])
})

test('says when the newest or oldest item of a type, or the one with a title, was added or taken', async () => {
  const eli = await server.createUser({ can_use_agents: true, can_upload: true })
  const { database } = server.context
  const insert = async (originalFilename: string, mediaType: 'image' | 'document', added: string, takenAt?: Date) => {
    const contentType = mediaType === 'image' ? 'image/jpeg' : 'application/pdf'
    const traits = { mediaType, contentType, originalFilename, createdAt: new Date(added), ...(takenAt && { takenAt }) }
    const item = await insertMediaItem(database, eli.user.id, traits)
    await insertMoment(database, item, { kind: 'name', body: originalFilename })
  }
  await insert('lease.pdf', 'document', '2025-03-01T12:00:00Z')
  await insert('map.pdf', 'document', '2025-04-01T12:00:00Z')
  await insert('wedding.jpg', 'image', '2025-06-01T12:00:00Z', new Date('2001-07-04T12:00:00Z'))
  await insert('beach.jpg', 'image', '2025-05-01T12:00:00Z', new Date('2020-08-09T12:00:00Z'))
  const answerTo = async (input: string) => {
    const { output, data } = await ask(eli, input)
    expect(data).toMatchObject({ action: 'listed', items: { length: 1 } })
    return output.replace(/\(\/gallery\/[\w-]+\)/, '')
  }
  expect(await answerTo('when did I add the lease?')).toMatch(/^\[lease\.pdf\] was added on Saturday, 1 March 2025 at/)
  expect(await answerTo('when did I last upload a PDF?')).toMatch(/^\[map\.pdf\] was added on Tuesday, 1 April 2025 at/)
  expect(await answerTo('when did I upload my last picture?')).toMatch(/^\[wedding\.jpg\] was added on .* 1 June 2025/)
  expect(await answerTo('when was my last photo taken?')).toMatch(/^\[beach\.jpg\] was taken on .* 9 August 2020/)
  expect(await answerTo('when did I upload my first picture?')).toMatch(/^\[beach\.jpg\] was added on .* 1 May 2025/)
  expect(await answerTo('when was my first photo taken?')).toMatch(/^\[wedding\.jpg\] was taken on .* 4 July 2001/)
  const { data } = await ask(eli, 'show me the first photos I uploaded')
  expect(data.items.map(({ title }: { title: string }) => title)).toEqual(['beach.jpg', 'wedding.jpg'])
})

test('lists the newest PDFs of the user only', async () => {
  const { output, data } = await ask(ana, 'the last three PDFs')
  expect(data.items.map(({ title }: { title: string }) => title)).toEqual([
    'ana-map.pdf',
    'ana-bill.pdf',
    'ana-ticket.pdf',
  ])
  expect(output).toMatch(/^3 of 4:/)
  expect(output).not.toContain('ben')
})

test('finds mentions in the user’s own videos with their timestamp', async () => {
  const { output, data } = await ask(ana, 'which films mention a lighthouse')
  const expectedItem = {
    id: videoId,
    title: 'coast.mp4',
    media_type: 'video',
    timestamp_seconds: 65,
    url: `/gallery/${videoId}?t=65&q=lighthouse`,
  }
  expect(data).toMatchObject({ kind: 'files', action: 'found', items: [expectedItem] })
  expect(data.items).toHaveLength(1)
  expect(output).toContain(`[coast.mp4](/gallery/${videoId}?t=65&q=lighthouse)`)
  expect((await ask(ben, 'which films mention flour')).data.items).toEqual([])
})

test('finds only documents in the requested format', async () => {
  const { data } = await ask(ana, 'which PDFs mention words?')
  const titles = data.items.map(({ title }: { title: string }) => title)
  expect(titles.toSorted()).toEqual(['ana-bill.pdf', 'ana-lease.pdf', 'ana-map.pdf', 'ana-ticket.pdf'])
})

test('signs the thumbnail of a found image in responses, but neither stores the signature nor sends it to a model', async () => {
  const eve = await server.createUser({ can_use_agents: true, can_upload: true })
  const upload = server.request.post('/api/media/upload').auth(eve.token, { type: 'bearer' }).field({ wait: '0' })
  await upload.attach('file', await plainImage({ width: 40 }), 'pier.png').expect(202)
  const { data } = await ask(eve, 'my newest picture')
  const { body: history } = await server.request.get('/api/agents/FileAgent/runs').auth(eve.token, { type: 'bearer' })
  for (const { items } of [data, history.runs[0].data]) {
    expect(items[0].thumbnail).toMatch(/^\/api\/media\/.+signature=/)
    expect((await server.request.get(items[0].thumbnail)).status).toBe(200)
  }
  const rows = await server.context.database.prisma.agentRun.findMany({ where: { userId: eve.user.id } })
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).toContain('/thumbnail')
  const asTool = await server.context.agents.callTool(
    'files',
    '{"input":"my newest picture"}',
    {
      ...{ userId: eve.user.id, canSearchMemory: true, canReadStored: true },
      ...{ language: 'en', timeZone: 'UTC', now: new Date() },
    },
    { countsInAnalytics: true },
  )
  expect(JSON.stringify([rows, asTool])).not.toContain('signature')
})

test('logs its searches as agent calls, not as searches of the user', async () => {
  const { token } = await server.createUser({ can_use_agents: true, can_upload: true })
  for (const input of ['which films mention a lighthouse', 'my files from today']) {
    const agentRequest = server.request.post('/api/agents/FileAgent/run').auth(token, { type: 'bearer' })
    await agentRequest.send({ input }).expect(200)
  }
  const { body } = await server.request.get('/api/memory/logs').auth(token, { type: 'bearer' }).expect(200)
  expect(body.entries.map(({ type, content }: { type: string; content: string }) => [type, content])).toEqual([
    ['agent', 'my files from today'],
    ['agent', 'which films mention a lighthouse'],
  ])
})

test('adds up the storage used by the user’s own videos', async () => {
  const { output, data } = await ask(ana, 'how much space do my videos take')
  expect([output, data.totals]).toEqual([
    '**3.5 MB** – 2 videos.',
    [{ media_type: 'video', count: 2, size_bytes: 3_500_000 }],
  ])
  expect((await ask(ben, 'how much space do my videos take')).output).toBe('**700 bytes** – 1 video.')
})

describe('files of a period', () => {
  const zone = 'America/Los_Angeles'
  let dan: TestAccount
  const askFromLosAngeles = async (input: string) => {
    const request = server.request.post('/api/agents/FileAgent/run').auth(dan.token, { type: 'bearer' })
    return (await request.set('x-time-zone', zone).send({ input }).expect(200)).body
  }

  beforeAll(async () => {
    dan = await server.createUser({ can_use_agents: true, can_upload: true })
    const insertItems = (count: number, traits: Parameters<typeof insertMediaItem>[2]) =>
      Promise.all(Array.from({ length: count }, () => insertMediaItem(server.context.database, dan.user.id, traits)))
    const documentTraits = { mediaType: 'document', contentType: 'text/plain' } as const
    // still 31 May in Los Angeles, already 1 June in UTC
    await insertItems(104, { createdAt: new Date('2026-06-01T06:59:59Z'), tags: ['Beach'] })
    await insertItems(3, { ...documentTraits, createdAt: new Date('2026-05-01T07:00:00Z') })
    await insertItems(2, {
      ...documentTraits,
      contentType: 'application/pdf',
      createdAt: new Date('2026-05-09T12:00:00Z'),
    })
    await insertItems(1, { createdAt: new Date('2026-06-01T07:00:00Z') })
    await insertItems(1, { createdAt: new Date('2026-05-01T06:59:59Z') })
    await insertItems(1, {
      ...documentTraits,
      contentType: 'application/pdf',
      createdAt: new Date('2026-04-09T12:00:00Z'),
    })
  })

  test('are all counted and added up, in the user’s time zone', async () => {
    const images = [{ media_type: 'image', count: 104, size_bytes: 104_000 }]
    const counted = await askFromLosAngeles('how many pictures do I have from May 2026')
    expect([counted.output, counted.data.totals]).toEqual(['**104** pictures.', images])
    expect(counted.data.items).toHaveLength(10)
    const measured = await askFromLosAngeles('how much space do my pictures from May 2026 take')
    expect([measured.output, measured.data.totals]).toEqual(['**104 kB** – 104 pictures.', images])
    expect((await askFromLosAngeles('how many files do I have from May 2026')).output).toMatch(/^\*\*109\*\* files\./)
    expect((await askFromLosAngeles('how many pictures are tagged beach')).data.totals).toEqual(images)
    expect((await askFromLosAngeles('my pictures from May 2026')).output).toMatch(/^10 of 104:/)
  })

  test('are limited to PDFs on request', async () => {
    expect((await askFromLosAngeles('how many PDFs do I have from May 2026')).data.totals).toEqual([
      { media_type: 'document', count: 2, size_bytes: 2000 },
    ])
    expect((await askFromLosAngeles('my PDFs from May 2026')).data.items).toHaveLength(2)
    expect((await askFromLosAngeles('how many PDFs do I have')).data.totals).toMatchObject([{ count: 3 }])
  })
})

test('returns 403 to users who may not use the memory', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const agentRequest = server.request.post('/api/agents/FileAgent/run').auth(token, { type: 'bearer' })
  const { body } = await agentRequest.send({ input: 'the last three PDFs' }).expect(403)
  expect(body.code).toBe('memory_not_allowed')
})
