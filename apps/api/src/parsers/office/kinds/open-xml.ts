import { posix } from 'node:path'
import { type DocumentMetadata, dateOf } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { type Attributes, createTextCollector, readElements } from '../document-xml.ts'
import type { DocumentZip } from '../document-zip.ts'

/** Relationships of a file in the archive: target files and their types, by id. */
export type Relations = Map<string, { target: string; type: string }>

/** Relationships of a file in an Office Open XML archive; targets are names of files in it. */
export async function relationsOf(zip: DocumentZip, name: string): Promise<Relations> {
  const { dir, base } = posix.parse(name)
  const relations: Relations = new Map()
  await readElements(zip.pieces(posix.join(dir, '_rels', `${base}.rels`)), 'xml', {
    open: (element, { Id, Target, Type, TargetMode }) => {
      // External targets are never followed.
      if (localName(element) !== 'Relationship' || Id === undefined || Target === undefined) return
      if (TargetMode === 'External') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target)
      relations.set(Id, { target, type: Type?.split('/').at(-1) ?? '' })
    },
  })
  return relations
}

/** True for an element that shows a picture, also in the older form. */
export function isPicture(element: string): boolean {
  return element === 'a:blip' || element === 'v:imagedata'
}

/** Records the file of a picture, unless it is external. */
export function writePicture(relations: Relations, attributes: Attributes, writer: DocumentWriter): void {
  const relation = relations.get(attributes['r:embed'] ?? attributes['r:id'] ?? '')
  if (relation?.type === 'image') writer.picture(relation.target)
}

/** Drawings with text in a file of their own: SmartArt, and the titles of charts. */
const drawnTypes = new Set(['diagramData', 'chart'])

/** Writes the text of the drawings that a file of the archive shows. */
export async function readDrawings(zip: DocumentZip, relations: Relations, writer: DocumentWriter): Promise<void> {
  for (const { type, target } of relations.values()) if (drawnTypes.has(type)) await readDrawnText(zip, target, writer)
}

/** Writes the paragraphs of a drawing (text boxes, SmartArt, titles of charts), and the names of a chart's series and categories. */
export async function readDrawnText(zip: DocumentZip, name: string, writer: DocumentWriter): Promise<void> {
  let isText = false
  let isLabel = false
  const labels = new Set<string>()
  const paragraph = createTextCollector((text) => writer.text(text))
  await readElements(zip.pieces(name), 'xml', {
    open: (element) => {
      if (element === 'a:p') paragraph.begin()
      else if (element === 'a:t') isText = true
      else if (element === 'a:br') paragraph.add('\n')
      else if (element === 'c:strCache') isLabel = true
      else if (element === 'c:v' && isLabel) paragraph.begin()
    },
    text: (text) => {
      if (isText || isLabel) paragraph.add(text)
    },
    close: (element) => {
      if (element === 'a:t') isText = false
      else if (element === 'a:p') writer.text(paragraph.end())
      else if (element === 'c:v' && isLabel) labels.add(paragraph.end())
      else if (element === 'c:strCache') isLabel = false
    },
  })
  writer.row([...labels])
}

/** Main file of an archive. @throws DocumentError when it's missing. */
export async function mainPartPath(zip: DocumentZip, defaultName: string): Promise<string> {
  const relations = await relationsOf(zip, '')
  const documentPath = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target
  const name = documentPath !== undefined && zip.has(documentPath) ? documentPath : defaultName
  if (!zip.has(name)) throw new DocumentError('damaged_document', `it has no ${defaultName}`)
  return name
}

/** The title, author and date of docProps/core.xml. */
export async function coreFacts(zip: DocumentZip): Promise<DocumentMetadata> {
  const metadata = await textsOf(zip.pieces('docProps/core.xml'), ['title', 'creator', 'created'])
  return { title: metadata.title ?? null, author: metadata.creator ?? null, createdAt: dateOf(metadata.created) }
}

/** The text of the first element of each name. */
export async function textsOf<Name extends string>(
  pieces: AsyncIterable<Uint8Array>,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const texts: Partial<Record<Name, string>> = {}
  let current: Name | null = null
  await readElements(pieces, 'xml', {
    open: (element) => {
      const name = names.find((name) => name === localName(element))
      current = name !== undefined && texts[name] === undefined ? name : null
      if (current !== null) texts[current] = ''
    },
    text: (text) => {
      const before = current === null ? undefined : texts[current]
      if (current !== null && before !== undefined && before.length < 1_000) texts[current] = before + text
    },
    close: () => {
      current = null
    },
  })
  return texts
}

/** Local name of an element, without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
