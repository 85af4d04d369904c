import type { MediaDetailJson, MediaItemJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bookOf, mailOf, mailWith, readOfficeFile, wordOf } from '../../../../test/document-files.ts'
import { scannedPdf, textPdf } from '../../../../test/pdf-files.ts'
import { searchesOf } from '../../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { textImage } from '../../../../test/written-pictures.ts'

// OCR of an image takes a second, and several on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  ana = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

async function upload(content: Buffer, name: string): Promise<MediaItemJson> {
  const request = mira.request.post('/api/media/upload').auth(ana.token, { type: 'bearer' })
  return (await request.attach('file', content, name).expect(201)).body
}

async function detailOf({ id }: MediaItemJson): Promise<MediaDetailJson> {
  return (await mira.request.get(`/api/media/${id}`).auth(ana.token, { type: 'bearer' }).expect(200)).body
}

const find = async (query: string) => {
  const request = mira.request.get('/api/media/search').query({ query }).auth(ana.token, { type: 'bearer' })
  return (await request.expect(200)).body.results
}

const stepOf = ({ processing_steps }: MediaItemJson, stepName: string) =>
  processing_steps.find(({ name }) => name === stepName)

describe('an image of a sign', () => {
  test('is read word by word, and its text is stored as a passage', async () => {
    const item = await upload(await textImage(['Harbour office', 'closed on Sundays']), 'sign.png')
    expect(stepOf(item, 'read')).toMatchObject({ status: 'completed', engine: 'built-in', error: null })
    expect(item.extracted_text).toBe('Harbour office\nclosed on Sundays')
    const { words } = await detailOf(item)
    expect(words.map(({ text }) => text)).toEqual(['Harbour', 'office', 'closed', 'on', 'Sundays'])
    const { rows } = await mira.context.database.pool.query(
      `SELECT body, box FROM moments WHERE media_item_id = $1 AND kind = 'text'`,
      [item.id],
    )
    expect(rows).toEqual([{ body: item.extracted_text, box: [0, 0, 0, 0].map(() => expect.any(Number)) }])
  })
})

describe('a PDF', () => {
  const sentence = (page: number) => `The contract of page ${page} ends in March.`

  test('labels its pages as printed', async () => {
    const pages = ['Foreword of the beekeeper', 'Thanks', 'The hives in April'].map((line) => ({ lines: [line] }))
    const item = await upload(await textPdf(pages, { romanPages: 2 }), 'bees.pdf')
    expect((await detailOf(item)).pages.map(({ page, title }) => [page, title])).toEqual([
      [1, 'i'],
      [2, 'ii'],
      [3, '1'],
    ])
    expect(await find('hives in April')).toContainEqual(
      expect.objectContaining({ media_id: item.id, page: 3, page_title: '1', url: expect.stringContaining('page=3') }),
    )
  })

  test('with text has the text and a thumbnail of each page', async () => {
    const pages = [1, 2, 3].map((page) => ({ lines: [sentence(page)] }))
    const item = await upload(await textPdf(pages, { info: { Title: 'Contract' } }), 'contract.pdf')
    expect(item).toMatchObject({
      processing_status: 'completed',
      metadata: { pages: 3, details: { title: 'Contract' } },
    })
    const detail = await detailOf(item)
    expect(detail.pages.map(({ page, text }) => [page, text.trim()])).toEqual(
      [1, 2, 3].map((page) => [page, sentence(page)]),
    )
    for (const { width, height } of detail.pages) expect(Number(width) / Number(height)).toBeCloseTo(595 / 842, 2)
    for (const address of [item.thumbnail, ...detail.pages.map(({ thumbnail }) => thumbnail)]) {
      expect((await mira.request.get(address ?? '').expect(200)).type).toBe('image/webp')
    }
    expect(item.thumbhash).not.toBeNull()
  })

  test('that was scanned is read page by page with OCR', async () => {
    const pages = await Promise.all(
      ['Rent for April', 'Rent for May'].map((line) => textImage([line], { width: 1000, height: 1415 })),
    )
    const item = await upload(await scannedPdf(pages), 'scan.pdf')
    expect(stepOf(item, 'read')).toMatchObject({ status: 'completed', engine: 'built-in', error: null })
    expect((await detailOf(item)).pages.map(({ text }) => text.trim())).toEqual(['Rent for April', 'Rent for May'])
  })

  test('with text and images has the text of both, each once', async () => {
    const picture = await textImage(['', '', 'Lighthouse valve 1887'], { width: 1000, height: 1415 })
    const item = await upload(await textPdf([{ lines: [sentence(1)], picture }]), 'manual.pdf')
    const [page] = (await detailOf(item)).pages
    expect(page?.text).toContain(sentence(1))
    expect(page?.text.match(/contract of page/g)).toHaveLength(1)
    expect(page?.text).toContain('Lighthouse valve 1887')
  })

  test('with a password fails with that reason', async () => {
    const locked = await textPdf([{ lines: ['secret'] }], { userPassword: 'x', ownerPassword: 'y' })
    const item = await upload(locked, 'locked.pdf')
    expect(item).toMatchObject({
      processing_status: 'failed',
      error: expect.stringContaining('password'),
      error_told: [{ code: 'content_locked', params: { kind: 'pdf' } }],
    })
  })

  test('with invalid content fails with that reason', async () => {
    const item = await upload(Buffer.from(`%PDF-1.7\n${'junk '.repeat(500)}`), 'junk.pdf')
    expect(item).toMatchObject({ processing_status: 'failed', error: expect.stringMatching(/damaged|cannot be read/) })
  })
})

describe('a text file', () => {
  test('in a legacy encoding is read, previewed as plain text, and split into passages', async () => {
    const paragraph = 'Die Brücke über den Fluss wird im März geöffnet, sagte die Bürgermeisterin. '
    const text = Array.from({ length: 8 }, () => `${paragraph.repeat(5)}\n\n`).join('')
    const item = await upload(Buffer.from(text, 'latin1'), 'notizen.txt')
    expect(item).toMatchObject({
      processing_status: 'completed',
      metadata: { details: { encoding: 'windows-1252', characters: text.length } },
    })
    const { text: previewText, type } = await mira.request.get(item.preview_url ?? '').expect(200)
    expect({ shown: previewText, type }).toEqual({ shown: text, type: 'text/plain' })
    const { rows } = await mira.context.database.pool.query<{
      body: string
      character_offset: number
      language: string
    }>(
      `SELECT body, character_offset, language FROM moments WHERE media_item_id = $1 AND kind = 'text' ORDER BY position`,
      [item.id],
    )
    expect(rows.length).toBeGreaterThan(2)
    for (const { body, character_offset, language } of rows)
      expect([text.startsWith(body, character_offset), language]).toEqual([true, 'de'])
    expect(rows.map(({ body }) => body).join('')).toBe(text)
    expect(stepOf(item, 'pages')).toMatchObject({ status: 'skipped' })
  })

  test('with an address book shows its contacts', async () => {
    const card =
      'BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A4the Qu=\r\nibble\r\nEND:VCARD\r\n'
    const item = await upload(Buffer.from(card), 'contacts.vcf')
    expect(item.content).toBe('Käthe Quibble')
    expect((await mira.request.get(item.preview_url ?? '').expect(200)).text).toBe('Käthe Quibble')
  })
})

describe('a document', () => {
  test('has its sheets as pages, which search results name', async () => {
    const item = await upload(readOfficeFile('household.xlsx'), 'household.xlsx')
    expect(item).toMatchObject({
      media_type: 'document',
      processing_status: 'completed',
      metadata: { pages: 2, details: { title: 'Household 2025' } },
    })
    expect(item.metadata.details).not.toHaveProperty('page_titles')
    const noPicture = { thumbnail: null, width: null, height: null }
    expect((await detailOf(item)).pages).toEqual([
      { page: 1, title: 'Income', text: 'Income\n\nSource | Amount\nSalary | 3200', ...noPicture, is_locked: false },
      {
        page: 2,
        title: 'Budget',
        text: expect.stringContaining('Kindergarten | 412.5'),
        ...noPicture,
        is_locked: false,
      },
    ])
    expect(await find('Kindergarten')).toContainEqual(
      expect.objectContaining({
        media_id: item.id,
        page: 2,
        page_kind: 'sheet',
        page_title: 'Budget',
        url: expect.stringContaining('page=2'),
      }),
    )
  })

  test('is previewed as blocks of its text', async () => {
    const item = await upload(readOfficeFile('letter.docx'), 'letter.docx')
    const { body, headers } = await mira.request.get(item.preview_url ?? '').expect(200)
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ is_cut: false, pages: [{ number: 1, title: null, blocks: expect.any(Array) }] })
    expect(body.pages[0].blocks).toContainEqual({ kind: 'item', text: 'Three months of rent' })
    expect(item.metadata.pages).toBeNull()
    expect(item.content).toContain('Signed at the harbour.')
  })

  test('can be a book, whose chapters are found', async () => {
    const book = await bookOf([
      { title: 'The storm', text: 'The lamp went out at four.' },
      { title: 'The morning after', text: 'Bread and herring.' },
    ])
    const item = await upload(book, 'lighthouse.epub')
    expect(await find('herring')).toContainEqual(
      expect.objectContaining({ media_id: item.id, page: 2, page_kind: 'chapter', page_title: 'The morning after' }),
    )
  })

  test('can be an email, or a web page that is served only as a download', async () => {
    const mail = await upload(Buffer.from(mailOf({ subject: 'Boiler', text: 'It drips.' })), 'boiler.eml')
    expect(mail.metadata).toMatchObject({ content_type: 'message/rfc822', details: { title: 'Boiler' } })
    const page = await upload(Buffer.from('<html><script>alert(1)</script><p>Knead the dough'), 'bread.html')
    expect(page).toMatchObject({ content: 'Knead the dough', metadata: { content_type: 'text/html' } })
    const { headers } = await mira.request.get(page.url).expect(200)
    expect(headers['content-disposition']).toMatch(/^attachment/)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('attached to an email is found in it by its words under its file name, also next to broken attachments', async () => {
    const pages = ['The boiler costs 4711 euros', 'Payable within a fortnight'].map((line) => ({ lines: [line] }))
    const word = await wordOf(
      '<w:document><w:body><w:p><w:r><w:t>The chimney is swept</w:t></w:r></w:p></w:body></w:document>',
    )
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const mail = mailWith({ subject: 'Heating', text: 'All of it is attached.' }, [
      { name: 'bill.pdf', type: 'application/pdf', content: await textPdf(pages) },
      { name: 'broken.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1.7 nothing') },
      { name: 'report.docx', type: 'application/octet-stream', content: word },
      { name: 'broken.docx', type: docx, content: Buffer.from('PK nothing') },
      { name: 'program.exe', type: 'application/octet-stream', content: Buffer.from('MZ') },
    ])
    const item = await upload(mail, 'heating.eml')
    expect(stepOf(item, 'read')).toMatchObject({ status: 'completed', error: null })
    const { snippets } = searchesOf(mira, ana)
    for (const [query, name] of [
      ['boiler costs 4711', 'bill.pdf (1)'],
      ['payable within a fortnight', 'bill.pdf (2)'],
      ['chimney swept', 'report.docx (1)'],
    ] as const) {
      expect((await snippets(query))[0]?.replaceAll(/[‹›]/g, '')).toContain(name)
    }
    const lines = item.extracted_text?.slice(item.extracted_text.indexOf('All of it')).split(/\n+/)
    expect(lines).toEqual([
      'All of it is attached.',
      ...['bill.pdf (1)', 'The boiler costs 4711 euros', 'bill.pdf (2)', 'Payable within a fortnight'],
      ...['report.docx (1)', 'The chimney is swept'],
    ])
  })

  test('named .eml is an email if it has any header, and otherwise a text', async () => {
    const words = Buffer.from('It drips since Tuesday.').toString('base64')
    const mailPart = `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${words}\r\n`
    const mail = await upload(Buffer.from(mailPart), 'draft.eml')
    expect(mail).toMatchObject({ content: 'It drips since Tuesday.', metadata: { content_type: 'message/rfc822' } })
    const letter = await upload(Buffer.from('Dear Bo: it drips. Yours, Ana'), 'letter.eml')
    expect(letter).toMatchObject({ content: 'Dear Bo: it drips. Yours, Ana', metadata: { content_type: 'text/plain' } })
  })

  test('named .txt stays a text, even if it looks like an email', async () => {
    const item = await upload(Buffer.from(mailOf({ subject: 'Boiler', text: 'Two of them.' })), 'boiler.txt')
    expect(item.metadata.content_type).toBe('text/plain')
  })
})
