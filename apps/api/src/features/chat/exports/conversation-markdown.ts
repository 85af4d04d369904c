import type { ExportedMessage } from '@mira/shared'

/** Whom the text is written for. */
export interface MarkdownReader {
  /** The user's name. */
  name: string
  /** Language of the words around the messages. */
  language: string
  /** IANA name. */
  timeZone: string
  /** True when the user may see server addresses and names of variables. */
  mayKnowSetup: boolean
}

interface Words {
  exported(assistant: string, moment: string): string
  pictures: string
  attached: string
  agents: string
  sources: string
  interrupted: string
  failed: string
}

const english: Words = {
  exported: (assistant, moment) => `A conversation with ${assistant}, exported ${moment}`,
  pictures: 'Pictures',
  attached: 'Attached',
  agents: 'Agents',
  sources: 'Sources',
  interrupted: 'Interrupted',
  failed: 'Error',
}
const wordsOf: Record<string, Words> = {
  de: {
    exported: (assistant, moment) => `Ein Gespräch mit ${assistant}, exportiert ${moment}`,
    pictures: 'Bilder',
    attached: 'Angehängt',
    agents: 'Agenten',
    sources: 'Quellen',
    interrupted: 'Unterbrochen',
    failed: 'Fehler',
  },
  es: {
    exported: (assistant, moment) => `Una conversación con ${assistant}, exportada ${moment}`,
    pictures: 'Imágenes',
    attached: 'Adjuntos',
    agents: 'Agentes',
    sources: 'Fuentes',
    interrupted: 'Interrumpido',
    failed: 'Error',
  },
  fr: {
    exported: (assistant, moment) => `Une conversation avec ${assistant}, exportée ${moment}`,
    pictures: 'Images',
    attached: 'Joint',
    agents: 'Agents',
    sources: 'Sources',
    interrupted: 'Interrompu',
    failed: 'Erreur',
  },
}

/** Writes a conversation piece by piece as Markdown that reads well as it is. */
export function createMarkdown({ name, language, timeZone }: MarkdownReader, assistant: string) {
  const words = wordsOf[language] ?? english
  const moments = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  })

  return {
    head(title: string, exportedAt: Date): string {
      const when = `${moments.format(exportedAt)} (${timeZone})`
      return `# ${escapeText(title)}\n\n*${escapeText(words.exported(assistant, when))}*\n`
    },

    message(message: ExportedMessage): string {
      const isPerson = message.role === 'user'
      const title = [isPerson ? name : assistant, moments.format(message.created_at)]
      if (message.model_used !== null) title.push(message.model_used)
      const parts = [`## ${title.map(escapeText).join(' · ')}`]
      if (message.content.trim() !== '') parts.push(closeFences(message.content.trimEnd()))
      const pictures = message.images.map((image) => escapeText(image.name))
      if (pictures.length > 0) parts.push(`*${words.pictures}: ${pictures.join(', ')}*`)
      const attached = message.media.map(({ title: called }) => escapeText(called))
      if (attached.length > 0) parts.push(`*${words.attached}: ${attached.join(', ')}*`)
      if (message.state === 'interrupted') parts.push(`*[${words.interrupted}]*`)
      if (message.error !== null) parts.push(`*${words.failed}: ${escapeText(message.error)}*`)
      const calls = message.agent_calls.map((call) => {
        const asked = call.arguments === undefined ? '' : ` ${quoteCode(JSON.stringify(call.arguments))}`
        return `- ${escapeText(call.name)}${asked}${call.summary ? `: ${escapeText(call.summary)}` : ''}`
      })
      if (calls.length > 0) parts.push(`**${words.agents}**`, calls.join('\n'))
      const sources = message.sources.map(
        ({ n, title: called, snippet }) =>
          `${n}. ${escapeText(called)}${snippet === '' ? '' : ` – ${escapeText(snippet)}`}`,
      )
      if (sources.length > 0) parts.push(`**${words.sources}**`, sources.join('\n'))
      return `\n${parts.join('\n\n')}\n`
    },
  }
}

/** A text in one line that means nothing but itself. */
function escapeText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|]/g, '\\$&')
}

/** Code in one line, whatever backticks it holds. */
function quoteCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`
}

/** Ends a block of code that was left open, as in an answer that was stopped: it would swallow what follows. */
function closeFences(content: string): string {
  let open: string | null = null
  for (const [, fence = '', rest = ''] of content.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = fence
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === '') open = null
  }
  return open === null ? content : `${content}\n${open}`
}
