import remarkGfm, { type Options as GfmOptions } from 'remark-gfm'

/** The part of a syntax tree of Markdown that is read and written here. */
interface MarkdownNode {
  type: string
  value?: string
  data?: { hProperties?: Record<string, string> }
  children?: MarkdownNode[]
}

/** GitHub's Markdown as prose has it: a single ~ stands for "about" or a range and strikes nothing through. */
const gfm: [typeof remarkGfm, GfmOptions] = [remarkGfm, { singleTilde: false }]

/** Makes a `<br>` the line break that it means: cells of tables have no other. Other HTML stands as text. */
function remarkLineBreaks() {
  return (tree: MarkdownNode): void => breakLinesIn(tree)
}

function breakLinesIn(node: MarkdownNode): void {
  if (node.type === 'html' && /^(<br\s*\/?>\s*)+$/i.test(node.value ?? '')) {
    node.type = 'break'
    delete node.value
  }
  for (const child of node.children ?? []) breakLinesIn(child)
}

/** Lets each block run in the direction of its own letters. */
function remarkDirection() {
  return (tree: MarkdownNode): void => {
    for (const block of tree.children ?? []) {
      if (block.type === 'code' || block.type === 'math') continue
      block.data = { ...block.data, hProperties: { ...block.data?.hProperties, dir: 'auto' } }
    }
  }
}

/** Plugins of every renderer of Markdown. */
export const markdownPlugins = [gfm, remarkLineBreaks, remarkDirection]
