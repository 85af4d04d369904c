import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type MediaItemJson, mediaItemSchema, type SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { markedSnippet } from '../../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  anna = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, { token }: TestAccount = anna) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })
const write = async (note: object, account = anna): Promise<MediaItemJson> =>
  (await call('post', '/notes', account).send(note).expect(201)).body
const search = async (query: string) => {
  const { body } = await call('get', '/media/search').query({ query }).expect(200)
  return (body as SearchResponseJson).results
    .filter(({ certainty }) => certainty === 'found')
    .map(({ media_id }) => media_id)
}

test('stores a note as a searchable document, and returns it as written', async () => {
  const text = '- **Serviced** in May\n- the valve drips\n\n<script>alert(1)</script>'
  const item = await write({ title: 'Boiler: room/2', text })
  expect(() => mediaItemSchema.parse(item)).not.toThrow()
  expect(item).toMatchObject({
    media_type: 'document',
    processing_status: 'completed',
    content: expect.stringContaining('the valve drips'),
    metadata: {
      original_filename: 'Boiler room 2.md',
      content_type: 'text/plain',
      source: { kind: 'note', url: null },
      created_at: expect.any(String),
    },
  })
  expect(await search('valve')).toEqual([item.id])
  expect((await call('get', `/notes/${item.id}`).expect(200)).body).toMatchObject({ title: 'Boiler: room/2', text })
  const file = await mira.request.get(item.url).expect(200)
  expect(file.text).toBe(`# Boiler: room/2\n\n${text}\n`)
  // It can be edited, so browsers mustn't cache it.
  expect(file.headers['cache-control']).toBe('private, no-cache')
  expect(file.headers['content-disposition']).toMatch(/^attachment/)
  const again = await call('post', '/notes').send({ title: 'Boiler: room/2', text }).expect(200)
  expect(again.body.id).toBe(item.id)
})

test('quotes a note without Markdown and with highlighted matches, also when the only match is in a link’s address', async () => {
  const text =
    '## Getting there\n\n- The **ferry** leaves at *nine*, see [the timetable](https://lighthouse.example/times).\n- Take `cash`.'
  const item = await write({ title: 'Island', text })
  const snippetFor = async (query: string) => {
    const { body } = await call('get', '/media/search').query({ query }).expect(200)
    const result = (body as SearchResponseJson).results.find(({ media_id }) => media_id === item.id)
    return result && markedSnippet(result)
  }
  expect(await snippetFor('ferry')).toBe(
    'Island Getting there The ‹ferry› leaves at nine, see the timetable. Take cash.',
  )
  expect(await snippetFor('lighthouse')).toContain('‹lighthouse›')
  expect((await call('get', `/notes/${item.id}`).expect(200)).body.text).toBe(text)
})

test('stores text that looks like another file format as a note', async () => {
  for (const text of ['{\\rtf1 }', '%PDF-1.4', '<!doctype html><p>x']) {
    expect((await write({ title: text, text })).metadata.content_type).toBe('text/plain')
  }
})

test('an edited note is found only by its new text, and its previous file is deleted', async () => {
  const item = await write({ title: 'Garden', text: 'Plant the tulips in October.' })
  const files = () => readdirSync(join(mira.context.config.dataDir, 'files'), { recursive: true }).map(String)
  expect(files().some((name) => name.endsWith(item.metadata.sha256))).toBe(true)
  // The user's correction of the previous text goes with it.
  await call('patch', `/media/${item.id}`).send({ extracted_text: 'Plant the crocuses.' }).expect(200)
  const { body } = await call('patch', `/notes/${item.id}`)
    .send({ text: 'Plant the daffodils in November.' })
    .expect(200)
  expect(body).toMatchObject({
    id: item.id,
    processing_status: 'completed',
    metadata: { original_filename: 'Garden.md' },
  })
  expect(body.content).toContain('daffodils')
  expect(body.content).not.toMatch(/tulips|crocuses/)
  expect([await search('tulips'), await search('crocuses'), await search('daffodils')]).toEqual([[], [], [item.id]])
  await call('patch', `/notes/${item.id}`).send({ title: 'Orchard' }).expect(200)
  expect((await call('get', `/notes/${item.id}`)).body).toMatchObject({
    title: 'Orchard',
    text: 'Plant the daffodils in November.',
  })
  expect(await search('orchard')).toEqual([item.id])
  await vi.waitFor(() => expect(files().some((name) => name.endsWith(item.metadata.sha256))).toBe(false), 10_000)
})

test('rejects an edit based on an outdated version, and applies every concurrent edit that it accepts', async () => {
  const { id } = await write({ title: 'List', text: 'milk' })
  const { body: original } = await call('get', `/notes/${id}`).expect(200)
  await call('patch', `/notes/${id}`).send({ text: 'milk, bread', based_on: original.sha256 }).expect(200)
  const { body } = await call('patch', `/notes/${id}`)
    .send({ text: 'milk, eggs', based_on: original.sha256 })
    .expect(409)
  expect(body.code).toBe('note_changed')
  expect((await call('get', `/notes/${id}`)).body.text).toBe('milk, bread')
  // A retry after a lost response.
  await call('patch', `/notes/${id}`).send({ text: 'milk, bread', based_on: original.sha256 }).expect(200)

  const responses = await Promise.all(
    [{ title: 'Shopping' }, { text: 'milk, bread, tea' }].map((changes) => call('patch', `/notes/${id}`).send(changes)),
  )
  const { body: after } = await call('get', `/notes/${id}`)
  const [renamed, rewritten] = responses.map(({ status }) => status === 200)
  expect(after).toMatchObject({
    title: renamed ? 'Shopping' : 'List',
    text: rewritten ? 'milk, bread, tea' : 'milk, bread',
  })
})

test('rejects an edit that would duplicate another note, also one in the trash', async () => {
  const one = await write({ title: 'Twin', text: 'one' })
  const other = await write({ title: 'Twin', text: 'other' })
  const { body } = await call('patch', `/notes/${other.id}`).send({ text: 'one' }).expect(409)
  expect(body.code).toBe('same_content')
  expect((await call('get', `/notes/${other.id}`)).body.text).toBe('other')
  expect((await mira.request.get(one.url).expect(200)).text).toContain('one')
  await call('post', '/media/trash')
    .send({ ids: [one.id] })
    .expect(200)
  const { body: inTrash } = await call('patch', `/notes/${other.id}`).send({ text: 'one' }).expect(409)
  expect(inTrash).toMatchObject({
    code: 'same_content_in_trash',
    detail: expect.stringContaining('“Twin.md” in the trash'),
  })
})

test('rejects empty, untitled and overlong notes, notes of another user, and users who can’t upload', async () => {
  await call('post', '/notes').send({ title: 'Empty', text: ' \n ' }).expect(422)
  await call('post', '/notes').send({ title: ' ', text: 'words' }).expect(422)
  await call('post', '/notes')
    .send({ title: 'Long', text: 'x'.repeat(500_001) })
    .expect(422)
  const ben = await mira.createUser({ can_upload: true })
  const { id } = await write({ title: 'Mine', text: 'private words' })
  await call('get', `/notes/${id}`, ben).expect(404)
  await call('patch', `/notes/${id}`, ben).send({ text: 'theirs' }).expect(404)
  const guest = await mira.createUser({ can_upload: false })
  await call('post', '/notes', guest).send({ title: 'No', text: 'no' }).expect(403)
})
