import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { cutText } from '@mira/shared/constants/cut-text'
import { isPermanent } from '../../../../errors.ts'
import type { AttachedFormat, DocumentReader } from '../../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../../parsers/pdf/pdf.ts'
import type { StepContext } from '../step.ts'

/** Maximum number of characters read of an attached document. */
const MAX_ATTACHED_CHARACTERS = 500_000

interface AttachedReaders {
  documentReader: DocumentReader
  pdf: Pick<PdfReader, 'texts'>
}

/**
 * Texts of an attached document's parts, each headed by the document's name and the part's number, up to a limit; none for
 * an unreadable document.
 */
export async function* partsOfAttached(
  { name, format, filename }: { name: string; format: AttachedFormat; filename: string },
  context: Pick<StepContext, 'scratch' | 'signal'>,
  readers: AttachedReaders,
): AsyncGenerator<string> {
  let remainingCharacters = MAX_ATTACHED_CHARACTERS
  try {
    for await (const { number, text } of partsOf({ format, filename }, context, readers)) {
      const isLast = text.length >= remainingCharacters
      const excerpt = cutText(text, remainingCharacters).toWellFormed().trim()
      remainingCharacters -= excerpt.length
      if (excerpt !== '') yield `\n\n${name} (${number})\n\n${excerpt}`
      if (isLast) return
    }
  } catch (error) {
    if (!isPermanent(error)) throw error
  }
}

async function* partsOf(
  { format, filename }: { format: AttachedFormat; filename: string },
  { scratch, signal }: Pick<StepContext, 'scratch' | 'signal'>,
  { documentReader, pdf }: AttachedReaders,
): AsyncGenerator<{ number: number; text: string }> {
  if (format === 'pdf') {
    for await (const batch of pdf.texts(filename, signal))
      for (const { page, text, notes = '' } of batch) yield { number: page, text: [text, notes].join('\n\n') }
  } else {
    const folder = await mkdtemp(join(scratch, 'attached-'))
    const document = await documentReader.read({ filename, format }, { folder, signal })
    yield* document.pages(signal)
  }
}
