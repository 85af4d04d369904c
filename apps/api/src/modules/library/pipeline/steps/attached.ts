import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { isLasting } from '../../../../errors.ts'
import type { AttachedFormat, Papers } from '../../../../parsers/office/papers.ts'
import type { Pdf } from '../../../../parsers/pdf/pdf.ts'
import type { StepContext } from '../step.ts'

/** Characters read of an attached document. */
const MAX_ATTACHED_CHARACTERS = 500_000

interface AttachedReaders {
  papers: Papers
  pdf: Pick<Pdf, 'texts'>
}

/** Texts of an attached document's parts, each headed by its name, up to a limit; none for an unreadable document. */
export async function* partsOfAttached(
  { name, format, filename }: { name: string; format: AttachedFormat; filename: string },
  context: Pick<StepContext, 'scratch' | 'signal'>,
  readers: AttachedReaders,
): AsyncGenerator<string> {
  let remainingCharacters = MAX_ATTACHED_CHARACTERS
  try {
    for await (const { number, text } of partsOf({ format, filename }, context, readers)) {
      const excerpt = text.slice(0, remainingCharacters).toWellFormed().trim()
      remainingCharacters -= excerpt.length
      if (excerpt !== '') yield `\n\n${name} (${number})\n\n${excerpt}`
      if (remainingCharacters <= 0) return
    }
  } catch (error) {
    if (!isLasting(error)) throw error
  }
}

async function* partsOf(
  { format, filename }: { format: AttachedFormat; filename: string },
  { scratch, signal }: Pick<StepContext, 'scratch' | 'signal'>,
  { papers, pdf }: AttachedReaders,
): AsyncGenerator<{ number: number; text: string }> {
  if (format === 'pdf') {
    for await (const batch of pdf.texts(filename, signal))
      for (const { page, text, notes = '' } of batch) yield { number: page, text: [text, notes].join('\n\n') }
  } else {
    const folder = await mkdtemp(join(scratch, 'attached-'))
    const paper = await papers.read({ filename, format }, { folder, signal })
    yield* paper.pages(signal)
  }
}
