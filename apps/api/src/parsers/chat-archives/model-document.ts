/** A document that a model wrote beside a conversation. */
export interface ModelDocument {
  /** '' for none. */
  title: string
  /** Language of code, or `markdown`. */
  language: string
  text: string
}

/** Markdown of a document for a message: its title and its text, with code in a fenced block. */
export function documentText({ title, language, text }: ModelDocument): string {
  const block = /^(markdown|md)$/.test(language) ? text.trim() : fenced(text, language)
  return title === '' ? block : `*${title}*\n\n${block}`
}

function fenced(text: string, language: string): string {
  let longest = 2
  for (const [, ticks = ''] of text.matchAll(/^ {0,3}(`{3,})/gm)) longest = Math.max(longest, ticks.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.replace(/[^\w+#.-]/g, '')}\n${text.replace(/\n$/, '')}\n${fence}`
}
