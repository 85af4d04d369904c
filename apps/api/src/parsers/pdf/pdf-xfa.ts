// XFA forms are stored separately from the pages of a PDF, which only say that another program is needed.
import { UnknownErrorException } from 'pdf-parse'

/** Element of an XFA form's page, as laid out by pdf.js. */
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

const MAX_DEPTH = 200

/** Lines of an XFA form's page: its text, and its fields with their names. */
export function linesOfXfa(page: XfaElement | null): string {
  const lines: string[] = []
  const walk = (element: XfaElement | null, depth: number) => {
    if (element === null || depth > MAX_DEPTH || element.attributes?.hidden) return
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

/** Loads a document; one whose XFA can't be laid out is loaded without it, for its regular pages. */
export async function withoutFaultyXfa<Document>(
  load: (options: { enableXfa?: boolean }) => Promise<Document>,
): Promise<Document> {
  try {
    return await load({})
  } catch (error) {
    // damaged documents and passwords have other errors
    if (!(error instanceof UnknownErrorException)) throw error
    return load({ enableXfa: false })
  }
}
