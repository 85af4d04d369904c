import { z } from 'zod'
import { textSchema } from './values.ts'

const inputSchema = z.object({
  command: textSchema,
  id: textSchema,
  path: textSchema,
  type: textSchema,
  language: textSchema,
  title: textSchema,
  content: textSchema,
  file_text: textSchema,
  old_str: textSchema,
  new_str: textSchema,
})
const callSchema = z.object({ type: z.literal('tool_use'), name: z.string(), input: inputSchema })

const languageOfType: Record<string, string> = {
  'application/vnd.ant.mermaid': 'mermaid',
  'application/vnd.ant.react': 'jsx',
  'image/svg+xml': 'svg',
  'text/html': 'html',
  'text/markdown': 'markdown',
}
const MAKING_TOOLS = ['artifacts', 'create_file', 'str_replace', 'str_replace_based_edit_tool']

export interface DocumentsMade {
  byName: ReadonlyMap<string, { title: string; language: string; text: string }>
  /** The document that a part makes or changes, under its name; null for what makes none. */
  documentOf(part: unknown): string | null
}

/**
 * The documents that an assistant made or changed by calls, which its program shows beside the conversation: each as it was after
 * the call, code in a block. To be asked in the order of the conversation, for a change names only what is replaced.
 * @param before what stood there when the message before this one had ended; a branch goes on from where it begins.
 */
export function createDocumentsMade(before?: DocumentsMade): DocumentsMade {
  const byName = new Map(before?.byName)

  const documentOf = (part: unknown): string | null => {
    const { data: call } = callSchema.safeParse(part)
    if (call === undefined || !MAKING_TOOLS.includes(call.name)) return null
    const {
      id,
      path,
      title,
      type,
      language,
      content,
      file_text: fileText,
      old_str: replaced,
      new_str: after,
    } = call.input
    const name = id || path
    const known = byName.get(name)
    const written = content || fileText
    const isChange = written === '' && replaced !== ''
    if (written === '' && !(isChange && known?.text.includes(replaced))) return null
    const made = {
      title: title || known?.title || path,
      language: language || languageOfType[type] || known?.language || extensionOf(path),
      // what replaces may look like a pattern of replacements
      text: isChange && known !== undefined ? known.text.replace(replaced, () => after) : written,
    }
    byName.set(name, made)
    // a text is read as it stands
    const block = /^(markdown|md)$/.test(made.language) ? made.text.trim() : fenced(made.text, made.language)
    return made.title === '' ? block : `*${made.title}*\n\n${block}`
  }

  return { byName, documentOf }
}

function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, ticks = '']) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.replace(/[^\w+#.-]/g, '')}\n${text.replace(/\n$/, '')}\n${fence}`
}

const extensionOf = (path: string): string => /\.([a-z0-9]{1,10})$/i.exec(path)?.[1] ?? ''
