import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentMetadata, DocumentParser } from '../src/parsers/office/document-parser.ts'
import { createDocumentWriter } from '../src/parsers/office/document-writer.ts'

/** Reads a document of one kind; its pages are lists of lines that aren't empty. */
export async function parseDocument(kind: DocumentParser, content: string | Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'mira-paper-'))
  const writer = createDocumentWriter()
  let facts: DocumentMetadata = {}
  try {
    await writeFile(join(folder, 'file'), content)
    await kind(join(folder, 'file'), writer, (reported) => {
      facts = reported
    })
  } finally {
    await rm(folder, { recursive: true })
  }
  const pages = writer.pages().map(({ text }) => text.split('\n').filter((line) => line !== ''))
  return {
    facts,
    pages,
    lines: pages.flat(),
    pictures: writer.pictures().length,
    attachments: writer.attachments(),
    names: writer.attachments().map(({ name }) => name),
    isDamaged: writer.isDamaged(),
  }
}

export const linesOf = async (kind: DocumentParser, content: string | Buffer) =>
  (await parseDocument(kind, content)).lines

/** HTML elements that are nested too deeply. */
export const deeplyNestedHtml = '<div>'.repeat(2_001)

/** Relationship of a part of an Office document to another one. */
export const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`
