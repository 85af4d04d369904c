import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { plainPicture } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let ana: TestAccount
let ben: TestAccount
let film: string

/** Stores what a person has: five documents, of which four are PDFs, and films that are about something. */
async function fill({ user }: TestAccount, films: { name: string; speech: string; sizeBytes: number }[]) {
  const { database } = server.context
  const add = async (traits: Parameters<typeof insertMediaItem>[2], body: string, place: object = {}) => {
    const item = await insertMediaItem(database, user.id, traits)
    await insertMoment(database, item, { kind: 'name', body: item.originalFilename })
    await insertMoment(database, item, { body, position: 1, ...place })
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
  for (const { name, speech, sizeBytes } of films) {
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
  const films = [
    { name: 'coast.mp4', speech: 'We walked to the lighthouse in the rain', sizeBytes: 1_500_000 },
    { name: 'cake.mp4', speech: 'Now add the flour and stir', sizeBytes: 2_000_000 },
  ]
  film = (await fill(ana, films))[0] as string
  await fill(ben, [{ name: 'storm.mp4', speech: 'The lighthouse stands in the storm', sizeBytes: 700 }])
})
afterAll(() => server.close())

const ask = async ({ token }: TestAccount, input: string) => {
  const agentRequest = server.request.post('/api/agents/FileAgent/run').auth(token, { type: 'bearer' })
  return (await agentRequest.send({ input }).expect(200)).body
}

test('The newest PDFs of a person are listed, and nobody else’s', async () => {
  const { output, data } = await ask(ana, 'the last three PDFs')
  expect(data.items.map(({ title }: { title: string }) => title)).toEqual([
    'ana-map.pdf',
    'ana-bill.pdf',
    'ana-ticket.pdf',
  ])
  expect(output).toMatch(/^3 of 4:/)
  expect(output).not.toContain('ben')
})

test('Films that mention something are found at their second, and nobody else’s', async () => {
  const { output, data } = await ask(ana, 'which films mention a lighthouse')
  const place = {
    id: film,
    title: 'coast.mp4',
    media_type: 'video',
    timestamp_seconds: 65,
    url: `/gallery/${film}?t=65&q=lighthouse`,
  }
  expect(data).toMatchObject({ kind: 'files', action: 'found', items: [place] })
  expect(data.items).toHaveLength(1)
  expect(output).toContain(`[coast.mp4](/gallery/${film}?t=65&q=lighthouse)`)
  expect((await ask(ben, 'which films mention flour')).data.items).toEqual([])
})

test('Of documents about something, only those of a format that is asked for are found', async () => {
  const { data } = await ask(ana, 'which PDFs mention words?')
  const titles = data.items.map(({ title }: { title: string }) => title)
  expect(titles.toSorted()).toEqual(['ana-bill.pdf', 'ana-lease.pdf', 'ana-map.pdf', 'ana-ticket.pdf'])
})

test('A picture that was found opens in the page, and what opens it is neither kept nor told to a model', async () => {
  const eve = await server.createUser({ can_use_agents: true, can_upload: true })
  const upload = server.request.post('/api/media/upload').auth(eve.token, { type: 'bearer' }).field({ wait: '0' })
  await upload.attach('file', await plainPicture({ width: 40 }), 'pier.png').expect(202)
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
    { inAnalytics: true },
  )
  expect(JSON.stringify([rows, asTool])).not.toContain('signature')
})

test('What the agent looks for is logged as its call, not as a search of the person', async () => {
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

test('What the films of a person take is added up, without anybody else’s', async () => {
  const { output, data } = await ask(ana, 'how much space do my videos take')
  expect([output, data.totals]).toEqual([
    '**3.5 MB** – 2 videos.',
    [{ media_type: 'video', count: 2, size_bytes: 3_500_000 }],
  ])
  expect((await ask(ben, 'how much space do my videos take')).output).toBe('**700 bytes** – 1 video.')
})

describe('What is of some days', () => {
  const zone = 'America/Los_Angeles'
  let dan: TestAccount
  const askThere = async (input: string) => {
    const request = server.request.post('/api/agents/FileAgent/run').auth(dan.token, { type: 'bearer' })
    return (await request.set('x-time-zone', zone).send({ input }).expect(200)).body
  }

  beforeAll(async () => {
    dan = await server.createUser({ can_use_agents: true, can_upload: true })
    const keep = (count: number, traits: Parameters<typeof insertMediaItem>[2]) =>
      Promise.all(Array.from({ length: count }, () => insertMediaItem(server.context.database, dan.user.id, traits)))
    const ofDocuments = { mediaType: 'document', contentType: 'text/plain' } as const
    // the evening of 31 May there, and the first of June
    await keep(104, { createdAt: new Date('2026-06-01T06:59:59Z'), tags: ['Beach'] })
    await keep(3, { ...ofDocuments, createdAt: new Date('2026-05-01T07:00:00Z') })
    await keep(2, { ...ofDocuments, contentType: 'application/pdf', createdAt: new Date('2026-05-09T12:00:00Z') })
    await keep(1, { createdAt: new Date('2026-06-01T07:00:00Z') })
    await keep(1, { createdAt: new Date('2026-05-01T06:59:59Z') })
    await keep(1, { ...ofDocuments, contentType: 'application/pdf', createdAt: new Date('2026-04-09T12:00:00Z') })
  })

  test('is counted and added up whole, on the clock of the person', async () => {
    const images = [{ media_type: 'image', count: 104, size_bytes: 104_000 }]
    const counted = await askThere('how many pictures do I have from May 2026')
    expect([counted.output, counted.data.totals]).toEqual(['**104** pictures.', images])
    expect(counted.data.items).toHaveLength(10)
    const measured = await askThere('how much space do my pictures from May 2026 take')
    expect([measured.output, measured.data.totals]).toEqual(['**104 kB** – 104 pictures.', images])
    expect((await askThere('how many files do I have from May 2026')).output).toMatch(/^\*\*109\*\* files\./)
    expect((await askThere('how many pictures are tagged beach')).data.totals).toEqual(images)
    expect((await askThere('my pictures from May 2026')).output).toMatch(/^10 of 104:/)
  })

  test('is PDFs alone where they are asked for', async () => {
    expect((await askThere('how many PDFs do I have from May 2026')).data.totals).toEqual([
      { media_type: 'document', count: 2, size_bytes: 2000 },
    ])
    expect((await askThere('my PDFs from May 2026')).data.items).toHaveLength(2)
    expect((await askThere('how many PDFs do I have')).data.totals).toMatchObject([{ count: 3 }])
  })
})

test('Those who may not use the memory are told so', async () => {
  const { token } = await server.createUser({ can_use_agents: true })
  const agentRequest = server.request.post('/api/agents/FileAgent/run').auth(token, { type: 'bearer' })
  const { body } = await agentRequest.send({ input: 'the last three PDFs' }).expect(403)
  expect(body.code).toBe('memory_not_allowed')
})
