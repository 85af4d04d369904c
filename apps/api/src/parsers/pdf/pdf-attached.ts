import { writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { cutText } from '@mira/shared/constants/cut-text'
import { attachedFormatOf } from '../office/document-types.ts'
import { decodeText } from '../text-decoder.ts'
import type { PdfAttachment } from './pdf.ts'

/** A file inside a PDF, as pdf.js returns it. */
export interface EmbeddedFile {
  filename?: string
  content?: Uint8Array
}

const MAX_FILES = 50
const MAX_BYTES = 20 * 1024 * 1024
const MAX_TEXT_CHARACTERS = 500_000
const textExtensions = new Set(['.xml', '.txt', '.csv', '.md', '.json'])

/** Extracts documents inside a PDF into a folder. Texts and invoices are read immediately; other files are only listed. */
export async function writeEmbedded(files: EmbeddedFile[], folder: string): Promise<PdfAttachment[]> {
  const attachments: PdfAttachment[] = []
  let remainingBytes = MAX_BYTES
  for (const [index, { filename = '', content }] of files.slice(0, MAX_FILES).entries()) {
    const name = filename.replace(/^.*[/\\]/s, '').trim() || `${index + 1}`
    const fits = content !== undefined && content.length <= remainingBytes
    if (fits) remainingBytes -= content.length
    const extension = extname(name).toLowerCase()
    const format = attachedFormatOf(extension.slice(1))
    if (fits && format !== undefined) {
      const attachmentFile = join(folder, `attached-${index + 1}`)
      await writeFile(attachmentFile, content)
      attachments.push({ name, format, filename: attachmentFile })
    } else
      attachments.push({ name, text: fits && textExtensions.has(extension) ? await textOf(content, extension) : '' })
  }
  return attachments
}

async function textOf(content: Uint8Array, extension: string): Promise<string> {
  if (extension === '.xml') {
    // Loaded on demand, since few PDFs contain an invoice.
    const { invoiceIn } = await import('../office/invoice.ts')
    return (await invoiceIn(content).catch(() => null)) ?? ''
  }
  return cutText(decodeText(content), MAX_TEXT_CHARACTERS).toWellFormed().replaceAll('\0', '')
}
