import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Parser } from 'htmlparser2'
import { DocumentError } from './document-types.ts'

/** Office's own prefix for each namespace, in both variants of the standard (ISO/IEC 29500 Transitional and Strict). */
const usualPrefixes: [RegExp, string][] = [
  [/\/spreadsheetml\/(?:2006\/)?main$/, ''],
  [/\/wordprocessingml\/(?:2006\/)?main$/, 'w'],
  [/\/presentationml\/(?:2006\/)?main$/, 'p'],
  [/\/drawingml\/(?:2006\/)?main$/, 'a'],
  [/\/officeDocument\/(?:2006\/)?relationships$/, 'r'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  [/\/officeDocument\/(?:2006\/)?math$/, 'm'],
]

/** Mapping to the usual prefixes while an element is open. */
interface Scope {
  depth: number
  usualByWritten: Map<string, string>
}

/**
 * Translates XML names to Office's prefixes. A program may choose any prefix for a namespace: in workbooks, many programs
 * write `x:row` for `row`.
 */
function createUsualNames() {
  const scopes: Scope[] = [{ depth: 0, usualByWritten: new Map() }]
  let depth = 0
  const current = () => scopes.at(-1) as Scope

  const usual = (rawName: string, isAttribute: boolean) => {
    const { usualByWritten } = current()
    if (usualByWritten.size === 0) return rawName
    const colon = rawName.indexOf(':')
    // an attribute without a prefix has no namespace
    if (isAttribute && colon < 0) return rawName
    const prefix = usualByWritten.get(colon < 0 ? '' : rawName.slice(0, colon))
    if (prefix === undefined) return rawName
    const name = rawName.slice(colon + 1)
    return prefix === '' ? name : `${prefix}:${name}`
  }

  return {
    open(rawName: string, attributes: Record<string, string>): { name: string; attributes: Record<string, string> } {
      depth++
      const declared = declaredIn(attributes)
      if (declared.length > 0) {
        const usualByWritten = new Map(current().usualByWritten)
        for (const [prefix, namespace] of declared) {
          const usualPrefix = usualPrefixes.find(([pattern]) => pattern.test(namespace))?.[1]
          if (usualPrefix === undefined || usualPrefix === prefix) usualByWritten.delete(prefix)
          else usualByWritten.set(prefix, usualPrefix)
        }
        scopes.push({ depth, usualByWritten })
      }
      if (current().usualByWritten.size === 0) return { name: rawName, attributes }
      const usualAttributes = Object.entries(attributes).map(([name, value]) => [usual(name, true), value] as const)
      return { name: usual(rawName, false), attributes: Object.fromEntries(usualAttributes) }
    },

    close(rawName: string): string {
      const name = usual(rawName, false)
      if (scopes.length > 1 && current().depth === depth) scopes.pop()
      depth--
      return name
    },
  }
}

/** Namespaces that an element declares, by prefix. */
function declaredIn(attributes: Record<string, string>): [string, string][] {
  const declared: [string, string][] = []
  for (const name in attributes) {
    if (name === 'xmlns') declared.push(['', attributes[name] as string])
    else if (name.startsWith('xmlns:')) declared.push([name.slice('xmlns:'.length), attributes[name] as string])
  }
  return declared
}

export type Attributes = Record<string, string>

/** Callbacks for a file's elements. In XML, names have Office's prefixes; in HTML and XHTML, they're as written. */
interface ElementReader {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Limit of the nesting depth, far above that of real documents. */
const MAX_DEPTH = 2_000
/** A thousand pages have some hundred thousand elements, large tables a few million. */
const MAX_ELEMENTS = 8_000_000

/**
 * Reads XML or HTML as a stream. Entities that a file declares itself, files that it refers to and processing instructions
 * are ignored.
 * @throws whatever the reader throws.
 */
export async function readElements(
  pieces: AsyncIterable<Uint8Array | string>,
  kind: 'xml' | 'html' | 'xhtml',
  reader: ElementReader,
  encoding = 'utf-8',
): Promise<void> {
  let depth = 0
  let elements = 0
  const names = kind === 'xml' ? createUsualNames() : null
  /** Last characters read of a DOCTYPE with declarations; null outside one. */
  let doctype: string | null = null
  const parser = new Parser(
    {
      onopentag: (rawName, attributes) => {
        if (++elements > MAX_ELEMENTS) throw new DocumentError('too_large_document', 'it has too many elements')
        doctype = null
        if (++depth > MAX_DEPTH) throw new Error('its elements are nested too deep')
        const { name, attributes: usualAttributes } = names?.open(rawName, attributes) ?? { name: rawName, attributes }
        reader.open?.(name, usualAttributes)
      },
      ontext: (text) => {
        if (depth > 0 || kind === 'html') reader.text?.(text)
        else if (kind === 'xhtml' && doctype === null) reader.text?.(text)
        else if (doctype !== null) {
          const [, rest] = DOCTYPE_END.exec(doctype + text) ?? []
          doctype = rest === undefined ? (doctype + text).slice(-DOCTYPE_END_CHARACTERS) : null
          if (rest) reader.text?.(rest)
        }
      },
      onprocessinginstruction: (_name, instruction) => {
        if (kind === 'xhtml' && /^!doctype\b[^\]]*\[/i.test(instruction)) doctype = ''
      },
      onclosetag: (rawName) => {
        depth--
        reader.close?.(names?.close(rawName) ?? rawName)
      },
    },
    { xmlMode: kind !== 'html', decodeEntities: true },
  )
  const entities = kind === 'xhtml' ? createNamedEntities() : null
  const write = (text: string) => parser.write(entities?.decode(text) ?? text)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of pieces) {
    if (typeof piece === 'string') write(piece)
    else {
      decoder ??= new TextDecoder(kind === 'html' ? encoding : encodingOfXml(piece))
      write(decoder.decode(piece, { stream: true }))
    }
    await yieldToEventLoop()
  }
  if (decoder !== undefined) write(decoder.decode())
  if (entities !== null) parser.write(entities.rest())
  parser.end()
}

/** End of a DOCTYPE with declarations. */
const DOCTYPE_END = /\]\s*>([\s\S]*)/
/** Number of characters kept to find an end that spans two pieces. */
const DOCTYPE_END_CHARACTERS = 10

const MAX_ENTITY_CHARACTERS = 33
/** Entities that XML predefines. */
const ENTITIES_OF_XML = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/** Decodes HTML's named entities, such as `&eacute;`, in XHTML: XML only knows five. An entity may span pieces. */
function createNamedEntities() {
  const characters = new Map<string, string>()
  let carried = ''
  const characterOf = (entity: string, name: string) => {
    if (ENTITIES_OF_XML.has(name)) return entity
    let character = characters.get(name)
    if (character === undefined) {
      character = ''
      const parser = new Parser({ ontext: (text) => (character += text) })
      parser.end(entity)
      // of an unknown name that begins like an HTML entity's, only that part would be decoded; escaped markup stays escaped
      if (character.length > 2 || '<&'.includes(character)) character = entity
      characters.set(name, character)
    }
    return character
  }
  return {
    decode(text: string): string {
      const all = carried + text
      const last = all.lastIndexOf('&')
      const isCut = last >= 0 && all.length - last < MAX_ENTITY_CHARACTERS && !all.includes(';', last)
      carried = isCut ? all.slice(last) : ''
      const whole = isCut ? all.slice(0, last) : all
      return whole.replaceAll(/&([a-z][a-z\d]{1,31});/gi, characterOf)
    },
    rest: () => carried,
  }
}

/** Encoding by byte order mark or declaration; otherwise UTF-8, as written by Office. */
function encodingOfXml(beginning: Uint8Array): string {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return 'utf-16le'
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return 'utf-16be'
  const declared = /^<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(
    Buffer.from(beginning.subarray(0, 200)).toString('latin1'),
  )
  try {
    const { encoding } = new TextDecoder(declared?.[1] ?? 'utf-8')
    // a declaration that's legible byte by byte isn't in UTF-16, though .NET's string writers declare it
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding
  } catch {
    return 'utf-8'
  }
}

/** Longer texts are passed on in pieces; a paragraph of a book has a few thousand characters. */
const MAX_TEXT_CHARACTERS = 100_000

/** Collector of element text. @param spill receives the text when it grows too long. */
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
      if (text.length < MAX_TEXT_CHARACTERS) return
      const spilled = text
      text = ''
      spill(spilled)
    },
    /** Text collected since `begin`, without what was spilled; '' when `begin` wasn't called. */
    end(): string {
      const all = isOpen ? text : ''
      isOpen = false
      text = ''
      return all
    },
    isOpen: () => isOpen,
  }
}
