// XFA forms are stored separately from the pages of a PDF, which only ask for another program.
import { UnknownErrorException } from 'pdf-parse'

/** An element of a page of such a form, as the library lays it out. */
export interface XfaElement {
  name?: string
  /** Text of the element itself. */
  value?: string | null
  attributes?: {
    type?: string
    value?: string
    textContent?: string
    checked?: boolean
    selected?: boolean
    hidden?: boolean
    'aria-label'?: string
  } | null
  children?: (XfaElement | null)[]
}

const DEEPEST = 200

/** Lines of a page of a form in XFA: its words, and its fields with their names. */
export function linesOfXfa(page: XfaElement | null): string {
  const lines: string[] = []
  const walk = (element: XfaElement | null, depth: number) => {
    if (element === null || depth > DEEPEST || element.attributes?.hidden) return
    const { name, value, attributes, children = [] } = element
    const label = attributes?.['aria-label']?.replaceAll(/\s+/g, ' ').trim() ?? ''
    if (name === 'input' && (attributes?.type === 'checkbox' || attributes?.type === 'radio')) {
      const [on, off] = attributes.type === 'radio' ? ['◉', '○'] : ['☑', '☐']
      lines.push(`${attributes.checked ? on : off} ${label}`)
    } else if (name === 'input' || name === 'textarea')
      lines.push(fieldLine(label, attributes?.value ?? attributes?.textContent ?? value))
    else if (name === 'select') {
      const selectedOptions = children.filter((option) => option?.attributes?.selected)
      lines.push(fieldLine(label, selectedOptions.map((option) => option?.value ?? '').join(', ')))
    } else {
      if (typeof value === 'string') lines.push(value)
      for (const child of children) walk(child, depth + 1)
    }
  }
  walk(page, 0)
  return lines.filter((line) => line.trim() !== '').join('\n')
}

function fieldLine(label: string, content: string | null | undefined): string {
  const text = content?.trim() ?? ''
  return text === '' || label === '' ? text : `${label}: ${text}`
}

/** Loads a document, and one whose XFA can't be laid out without it: its pages are there all the same. */
export async function withoutFaultyXfa<Document>(
  load: (options: { enableXfa?: boolean }) => Promise<Document>,
): Promise<Document> {
  try {
    return await load({})
  } catch (error) {
    // damage of the document itself and passwords have errors of their own
    if (!(error instanceof UnknownErrorException)) throw error
    return load({ enableXfa: false })
  }
}
