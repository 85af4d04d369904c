/** Parts of the Markdown syntax tree used here. */
interface MarkdownNode {
  type: string
  value?: string
  url?: string
  data?: { hProperties: Record<string, string> }
  children?: MarkdownNode[]
}

const MARK = /\[(\d{1,3})\]/g
/** Nodes whose content isn't searched for marks. */
const closed = new Set(['link', 'linkReference', 'definition', 'footnoteDefinition'])

/** The attribute by which a link is known to be a citation; Markdown itself cannot write it. */
export const CITATION = 'data-citation'

/** A plugin of the Markdown renderer: numbers in square brackets become links that carry the number. */
export function remarkCitations() {
  return (tree: MarkdownNode): void => markIn(tree)
}

function markIn(node: MarkdownNode): void {
  if (!node.children || closed.has(node.type)) return
  node.children = node.children.flatMap((child) => (child.type === 'text' ? splitText(child) : [child]))
  for (const child of node.children) markIn(child)
}

function splitText(node: MarkdownNode): MarkdownNode[] {
  const text = node.value ?? ''
  const parts: MarkdownNode[] = []
  let at = 0
  for (const match of text.matchAll(MARK)) {
    const [mark, number = ''] = match
    if (match.index > at) parts.push({ type: 'text', value: text.slice(at, match.index) })
    const data = { hProperties: { [CITATION]: number } }
    parts.push({ type: 'link', url: '', data, children: [{ type: 'text', value: mark }] })
    at = match.index + mark.length
  }
  if (at === 0) return [node]
  if (at < text.length) parts.push({ type: 'text', value: text.slice(at) })
  return parts
}
