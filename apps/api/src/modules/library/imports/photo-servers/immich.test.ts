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

/** Reads the files of a fake server with these response bodies by path, and an empty page for other paths. */
async function read(responses: Record<string, string | Buffer>, limits: { maxIds?: number } = {}) {
  const page = JSON.stringify({ assets: { items: [], nextPage: null } })
  const fetch = (async (url: string) => {
    const content = responses[new URL(url).pathname.replace('/api/', '')] ?? page
    const bytes = Buffer.from(content as string)
    let offset = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (offset >= bytes.length) return controller.close()
        controller.enqueue(new Uint8Array(bytes.subarray(offset, offset + 65_521)))
        offset += 65_521
      },
    })
    return new Response(body)
  }) as typeof globalThis.fetch
  const signal = new AbortController().signal
  const options = { folder, maxFileBytes: 1e9, signal }
  const listing = await createImmich({ fetch, ...limits }).list(
    { url: 'https://photos.example.org', key: 'key' },
    options,
  )
  const files = []
  for await (const file of listing.files(signal)) files.push(file)
  return files
}

const bomb = (element: string, begin = '[', end = ']') =>
  Buffer.concat([Buffer.from(begin), Buffer.alloc(MAX_BYTES - 200, `${element},`), Buffer.from(`0${end}`)])
const pageOf = (items: Buffer) => Buffer.concat([Buffer.from('{"assets":{"items":'), items, Buffer.from('}}')])
const album = { id: randomUUID(), albumName: 'Boats' }
const twoMegabytesOf = (element: string) => Buffer.from(`[${Array(600_000).fill(element).join()}]`)

test.each([
  ['too many albums', { albums: bomb('{}') }],
  ['deeply nested lists', { albums: Buffer.alloc(MAX_BYTES - 1, '[') }],
  ['an album that is a huge list', { albums: bomb('[]', '[[', ']]') }],
  ['too many albums with ids', { albums: bomb(JSON.stringify(album)) }],
  [
    'an album with too many assets',
    { albums: JSON.stringify([album]), [`albums/${album.id}`]: bomb('{}', '{"assets":[', ']}') },
  ],
  ['a huge page', { 'search/metadata': pageOf(bomb('{}')) }],
  ['a page of two megabytes with too many assets', { 'search/metadata': pageOf(twoMegabytesOf('{}')) }],
])('rejects a server with %s without running out of memory', async (_name, responses) => {
  await expect(read(responses)).rejects.toMatchObject({ sentences: [{ code: 'import_server_other' }] })
})

test('reads an album of an older server element by element, whatever its strings contain', async () => {
  const asset = { id: randomUUID(), originalFileName: 'harbour.png', exifInfo: { description: 'x"assets":[{' } }
  const others = Array.from({ length: 9_000 }, () => ({ ...asset, id: randomUUID(), tags: [{ a: ['}', ']', '\\'] }] }))
  const responses = {
    albums: ` ${JSON.stringify([album, { ...album, id: randomUUID(), albumName: ' ' }])}\n`,
    [`albums/${album.id}`]: JSON.stringify({ assetsCount: [1], users: [{ assets: [] }], assets: [...others, asset] }),
    'search/metadata': JSON.stringify({ assets: { items: [asset] } }),
  }
  expect(await read(responses)).toMatchObject([{ sourceId: asset.id, name: 'harbour.png', tags: ['Boats'] }])
})

test('reads an album of an older server with the details of very many pictures', async () => {
  const detailed = () => ({ id: randomUUID(), exifInfo: { description: 'x'.repeat(200_000) } })
  const picture = { id: randomUUID(), originalFileName: 'harbour.png' }
  const responses = {
    albums: JSON.stringify([album]),
    [`albums/${album.id}`]: JSON.stringify({ assets: [...Array.from({ length: 350 }, detailed), picture] }),
    'search/metadata': JSON.stringify({ assets: { items: [picture] } }),
  }
  expect(await read(responses)).toMatchObject([{ sourceId: picture.id, tags: ['Boats'] }])
})

test('counts the assets of a server that ignores the visibility once against the limit', async () => {
  const assets = ['bow.png', 'stern.png'].map((originalFileName) => ({ id: randomUUID(), originalFileName }))
  const responses = { albums: '[]', 'search/metadata': JSON.stringify({ assets: { items: assets } }) }
  expect(await read(responses, { maxIds: 2 })).toMatchObject([{ name: 'bow.png' }, { name: 'stern.png' }])
  await expect(read(responses, { maxIds: 1 })).rejects.toMatchObject({ sentences: [{ code: 'import_server_other' }] })
})
