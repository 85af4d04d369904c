import { setImmediate as giveWay } from 'node:timers/promises'
import { Parser } from 'htmlparser2'
import { PaperProblem } from './paper-problem.ts'
import { createUsualNames } from './usual-names.ts'

export type Attributes = Record<string, string>

/** What is done with the elements of a file; names of XML have the prefixes that most programs write, others are as written. */
export interface ElementReader {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Elements lie in one another less deep than this in anything that was written by people. */
const DEEPEST = 2_000
/** A thousand pages have some hundred thousand elements, large tables a few million. */
const MOST_ELEMENTS = 8_000_000

/**
 * Reads XML or HTML as it comes, without keeping it. Entities that a file declares itself, files that it names and
 * instructions in it are passed over.
 * @throws whatever the reader throws.
 */
export async function readElements(
  pieces: AsyncIterable<Uint8Array | string>,
  kind: 'xml' | 'html',
  reader: ElementReader,
  encoding = 'utf-8',
): Promise<void> {
  let depth = 0
  let elements = 0
  const names = kind === 'xml' ? createUsualNames() : null
  const parser = new Parser(
    {
      onopentag: (written, attributes) => {
        if (++elements > MOST_ELEMENTS)
          throw new PaperProblem('too_large_document', 'it has more elements than are read')
        if (++depth > DEEPEST) throw new Error('its elements lie too deep in one another')
        const { name, attributes: named } = names?.open(written, attributes) ?? { name: written, attributes }
        reader.open?.(name, named)
      },
      ontext: (text) => reader.text?.(text),
      onclosetag: (written) => {
        depth--
        reader.close?.(names?.close(written) ?? written)
      },
    },
    { xmlMode: kind === 'xml', decodeEntities: true },
  )
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of pieces) {
    if (typeof piece === 'string') parser.write(piece)
    else {
      decoder ??= new TextDecoder(kind === 'xml' ? encodingOfXml(piece) : encoding)
      parser.write(decoder.decode(piece, { stream: true }))
    }
    await giveWay()
  }
  if (decoder !== undefined) parser.write(decoder.decode())
  parser.end()
}

/** Office programs write UTF-8; what says otherwise at its beginning is believed. */
function encodingOfXml(beginning: Uint8Array): string {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return 'utf-16le'
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return 'utf-16be'
  const declared = /^<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(
    Buffer.from(beginning.subarray(0, 200)).toString('latin1'),
  )
  try {
    return new TextDecoder(declared?.[1] ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}

/** A paragraph of a book has a few thousand characters. */
const LONGEST_TEXT = 100_000

/** Collects the text of elements, when it is wanted. @param spill takes what is collected when it grows too long. */
export function createTextCollector(spill: (text: string) => void) {
  let text = ''
  let isOpen = false
  return {
    begin() {
      text = ''
      isOpen = true
    },
    add(more: string) {
      if (!isOpen) return
      text += more
      if (text.length < LONGEST_TEXT) return
      const spilled = text
      text = ''
      spill(spilled)
    },
    /** What was collected since it began; '' when it has not. */
    end(): string {
      const all = isOpen ? text : ''
      isOpen = false
      text = ''
      return all
    },
    isOpen: () => isOpen,
  }
}
