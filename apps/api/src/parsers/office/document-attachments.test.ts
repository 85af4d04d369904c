import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailWith } from '../../../test/document-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { createDocumentReader } from './document-reader.ts'
import type { DocumentReader } from './document-types.ts'

let folder: string
let documentReader: DocumentReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-attachments-'))
  documentReader = createDocumentReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await documentReader.close()
  rmSync(folder, { recursive: true, force: true })
})

const signal = new AbortController().signal
const mail = { subject: 'The boiler', text: 'It drips since Tuesday.' }

test('returns the small documents attached in a mailbox, with the number of their mail', async () => {
  const attached = (name: string, type: string, kilobytes = 1) => ({
    name,
    type,
    content: Buffer.alloc(kilobytes * 1024, name),
  })
  const mails = [
    mailWith(mail, [attached('bill.pdf', 'application/pdf'), attached('huge.pdf', 'application/pdf', 600)]),
    mailWith(mail, [
      attached('Plan.ODT', 'application/vnd.oasis.opendocument.text'),
      attached('a.exe', 'application/octet-stream'),
    ]),
  ]
  const box = Buffer.concat(
    mails.flatMap((mail) => [
      Buffer.from('From ana@example.org Tue Nov 24 10:00:00 2026\r\n'),
      mail,
      Buffer.from('\r\n'),
    ]),
  )
  const filename = join(folder, 'box.mbox')
  writeFileSync(filename, box)
  const { attachments } = await documentReader.read({ filename, format: 'mbox', maxAttachments: 5 }, { folder, signal })
  expect(
    attachments.map(({ filename: path, ...attachment }) => ({ ...attachment, content: readFileSync(path) })),
  ).toEqual([
    { page: 1, name: 'bill.pdf', format: 'pdf', content: attached('bill.pdf', '').content },
    { page: 2, name: 'Plan.ODT', format: 'odt', content: attached('Plan.ODT', '').content },
  ])
  const firstParts = await documentReader.read({ filename, format: 'mbox', maxAttachments: 1 }, { folder, signal })
  expect(firstParts.attachments.map(({ name }) => name)).toEqual(['bill.pdf'])
  expect((await documentReader.read({ filename, format: 'mbox' }, { folder, signal })).attachments).toEqual([])
})

test('reads a mail with hundreds of thousands of parts within its memory limit', async () => {
  const filename = join(folder, 'parts.eml')
  const head = 'From: ana@example.org\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nIt drips.\n'
  writeFileSync(filename, head + '--x\n'.repeat(500_000))
  const { pages } = await documentReader.read({ filename, format: 'eml' }, { folder, signal })
  const texts: string[] = []
  for await (const { text } of pages(signal)) texts.push(text)
  expect(texts.join()).toContain('It drips.')
})
