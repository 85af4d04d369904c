import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createImmich } from './immich.ts'

const MAX_BYTES = 64 * 1024 * 1024
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-immich-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Reads a server that answers these paths; an empty page to all else. */
async function read(answers: Record<string, string | Buffer>) {
  const page = JSON.stringify({ assets: { items: [], nextPage: null } })
  const fetch = (async (url: string) => {
    const answer = answers[new URL(url).pathname.replace('/api/', '')] ?? page
    const bytes = Buffer.from(answer as string)
    let from = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (from >= bytes.length) return controller.close()
        controller.enqueue(new Uint8Array(bytes.subarray(from, from + 65_521)))
        from += 65_521
      },
    })
    return new Response(body)
  }) as typeof globalThis.fetch
  const signal = new AbortController().signal
  const options = { folder, maxFileBytes: 1e9, signal }
  const listed = await createImmich({ fetch }).read({ url: 'https://photos.example.org', key: 'key' }, options)
  const files = []
  for await (const file of listed.files(signal)) files.push(file)
  return files
}

const bomb = (element: string, begin = '[', end = ']') =>
  Buffer.concat([Buffer.from(begin), Buffer.alloc(MAX_BYTES - 200, `${element},`), Buffer.from(`0${end}`)])
const pageOf = (items: Buffer) => Buffer.concat([Buffer.from('{"assets":{"items":'), items, Buffer.from('}}')])
const album = { id: randomUUID(), albumName: 'Boats' }
const small = (element: string) => Buffer.from(`[${Array(600_000).fill(element).join()}]`)

test.each([
  ['albums', { albums: bomb('{}') }],
  ['nested lists', { albums: Buffer.alloc(MAX_BYTES - 1, '[') }],
  ['an album that is a list', { albums: bomb('[]', '[[', ']]') }],
  ['albums with ids', { albums: bomb(JSON.stringify(album)) }],
  [
    'an album with anything',
    { albums: JSON.stringify([album]), [`albums/${album.id}`]: bomb('{}', '{"assets":[', ']}') },
  ],
  ['pages', { 'search/metadata': pageOf(bomb('{}')) }],
  ['pages of two megabytes', { 'search/metadata': pageOf(small('{}')) }],
])('a server with %s without an end is refused before it takes the memory', async (_name, answers) => {
  await expect(read(answers)).rejects.toMatchObject({ told: [{ code: 'import_server_other' }] })
})

test('an album of an older server is read element by element, whatever its texts hold', async () => {
  const asset = { id: randomUUID(), originalFileName: 'harbour.png', exifInfo: { description: 'x"assets":[{' } }
  const others = Array.from({ length: 9_000 }, () => ({ ...asset, id: randomUUID(), tags: [{ a: ['}', ']', '\\'] }] }))
  const answers = {
    albums: ` ${JSON.stringify([album, { ...album, id: randomUUID(), albumName: ' ' }])}\n`,
    [`albums/${album.id}`]: JSON.stringify({ assetsCount: [1], users: [{ assets: [] }], assets: [...others, asset] }),
    'search/metadata': JSON.stringify({ assets: { items: [asset] } }),
  }
  expect(await read(answers)).toMatchObject([{ sourceId: asset.id, name: 'harbour.png', tags: ['Boats'] }])
})
