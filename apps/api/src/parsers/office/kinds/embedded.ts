import { posix } from 'node:path'
import { type AttachedFormat, attachedFormatOf } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import type { DocumentZip } from '../document-zip.ts'
import { streamsOf } from './compound-file.ts'
import type { Relations } from './open-xml.ts'

/** A document inside a document. */
interface Embedded {
  name: string
  format: AttachedFormat
  content: Buffer
}

/** Attaches documents that a part of an archive embeds, such as worksheets, PDFs and mails. */
export async function attachEmbedded(zip: DocumentZip, relations: Relations, writer: DocumentWriter): Promise<void> {
  for (const { type, target } of relations.values()) {
    if (type !== 'package' && type !== 'oleObject') continue
    const content = await zip.embedded(target)
    if (content === null) continue
    const name = posix.basename(target)
    const embedded = type === 'package' ? documentByName(name, content) : await documentInObject(name, content)
    if (embedded !== null) writer.attachment(embedded)
  }
}

function documentByName(name: string, content: Buffer): Embedded | null {
  const format = attachedFormatOf(posix.extname(name).slice(1).toLowerCase())
  return format === undefined ? null : { name, format, content }
}

/** Streams by which an object is itself a document of Office before 2007. */
const ownStreams: [stream: string, format: AttachedFormat][] = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
  ['__properties_version1.0', 'msg'],
]
/** Main parts of newer documents. */
const ownParts: [part: string, format: AttachedFormat][] = [
  ['word/document.xml', 'docx'],
  ['xl/workbook.xml', 'xlsx'],
  ['ppt/presentation.xml', 'pptx'],
]

/** Document in an OLE object; null for any other object, or a damaged one. */
async function documentInObject(name: string, object: Buffer): Promise<Embedded | null> {
  try {
    const stream = await streamsOf(object)
    const native = stream('\u0001Ole10Native')
    if (native !== null) return documentInNative(native)
    const contents = stream('CONTENTS')
    if (contents?.includes('%PDF-')) return documentOfObject(name, 'pdf', contents)
    const archive = stream('Package')
    const format =
      archive === null
        ? ownStreams.find(([path]) => stream(path) !== null)?.[1]
        : ownParts.find(([part]) => archive.includes(part))?.[1]
    return format === undefined ? null : documentOfObject(name, format, archive ?? object)
  } catch {
    return null
  }
}

/** A document whose object is called `oleObject1.bin`. */
const documentOfObject = (name: string, format: AttachedFormat, content: Buffer): Embedded => ({
  name: name.replace(/\.bin$/i, `.${format}`),
  format,
  content,
})

/** Document in an Ole10Native stream, with its name (MS-OLEDS 2.3.6). */
function documentInNative(bytes: Buffer): Embedded | null {
  // a size and a type precede the name; the file's path and two numbers precede the path of a copy
  const nameEnd = bytes.indexOf(0, 6)
  const pathEnd = bytes.indexOf(0, nameEnd + 1)
  const copyOffset = pathEnd + 5
  const sizeOffset = copyOffset + 4 + bytes.readUInt32LE(copyOffset)
  const content = bytes.subarray(sizeOffset + 4, sizeOffset + 4 + bytes.readUInt32LE(sizeOffset))
  return documentByName(new TextDecoder('windows-1252').decode(bytes.subarray(6, nameEnd)), content)
}
