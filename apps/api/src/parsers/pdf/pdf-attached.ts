import { writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { attachedFormatOf } from '../office/papers.ts'
import { decodeText } from '../text-decoder.ts'
import type { PdfAttachment } from './pdf.ts'

/** A file inside a PDF as the library hands it out. */
export interface EmbeddedFile {
  filename?: string
  content?: Uint8Array
}

const MAX_FILES = 50
const MAX_BYTES = 20 * 1024 * 1024
const MAX_TEXT_CHARACTERS = 500_000
const texts = new Set(['.xml', '.txt', '.csv', '.md', '.json'])

/** Extracts documents inside a PDF into a folder; texts and invoices are read immediately, other files only named. */
export async function writeEmbedded(files: EmbeddedFile[], folder: string): Promise<PdfAttachment[]> {
  const attachments: PdfAttachment[] = []
  let remainingBytes = MAX_BYTES
  for (const [at, { filename = '', content }] of files.slice(0, MAX_FILES).entries()) {
    const name = filename.replace(/^.*[/\\]/s, '').trim() || `${at + 1}`
    const isTaken = content !== undefined && content.length <= remainingBytes
    if (isTaken) remainingBytes -= content.length
    const ending = extname(name).toLowerCase()
    const format = attachedFormatOf(ending.slice(1))
    if (isTaken && format !== undefined) {
      const attachmentFile = join(folder, `attached-${at + 1}`)
      await writeFile(attachmentFile, content)
      attachments.push({ name, format, filename: attachmentFile })
    } else attachments.push({ name, text: isTaken && texts.has(ending) ? await textOf(content, ending) : '' })
  }
  return attachments
}

async function textOf(content: Uint8Array, ending: string): Promise<string> {
  if (ending === '.xml') {
    // few PDFs need it
    const { invoiceIn } = await import('../office/invoice.ts')
    return (await invoiceIn(content).catch(() => null)) ?? ''
  }
  return decodeText(content).slice(0, MAX_TEXT_CHARACTERS).toWellFormed().replaceAll('\0', '')
}
