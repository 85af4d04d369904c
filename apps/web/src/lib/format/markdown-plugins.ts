import remarkGfm, { type Options as GfmOptions } from 'remark-gfm'

/** Parts of the Markdown syntax tree used here. */
interface MarkdownNode {
  type: string
  value?: string
  data?: { hProperties?: Record<string, string> }
  children?: MarkdownNode[]
}

/** GitHub's Markdown, but a single ~ is no strikethrough: in prose it means "about" or a range. */
const gfm: [typeof remarkGfm, GfmOptions] = [remarkGfm, { singleTilde: false }]

/** Turns `<br>` into a line break, because table cells have no other. Other HTML is shown as text. */
function remarkLineBreaks() {
  return (tree: MarkdownNode): void => replaceBreaks(tree)
}

function replaceBreaks(node: MarkdownNode): void {
  if (node.type === 'html' && /^(<br\s*\/?>\s*)+$/i.test(node.value ?? '')) {
    node.type = 'break'
    delete node.value
  }
  for (const child of node.children ?? []) replaceBreaks(child)
}

/** Lets the browser derive the text direction of each block from its letters. */
function remarkDirection() {
  return (tree: MarkdownNode): void => {
    for (const block of tree.children ?? []) {
      if (block.type === 'code' || block.type === 'math') continue
      block.data = { ...block.data, hProperties: { ...block.data?.hProperties, dir: 'auto' } }
    }
  }
}

/** Plugins of every Markdown renderer. */
export const markdownPlugins = [gfm, remarkLineBreaks, remarkDirection]
