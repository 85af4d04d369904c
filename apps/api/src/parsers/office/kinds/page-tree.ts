import { parseHTML } from 'linkedom'

/** Node of a page's tree, with the properties that are used here. */
export interface PageNode {
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly textContent: string | null
  readonly childNodes: Iterable<PageNode>
  contains(node: PageNode): boolean
  replaceWith(...nodes: PageNode[]): void
}

interface Queries {
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement> & { readonly length: number }
}

export interface PageElement extends PageNode, Queries {
  readonly localName: string
  readonly id: string
  readonly innerHTML: string
  readonly attributes: Iterable<{ name: string; value: string }>
  readonly parentElement: PageElement | null
  readonly ownerDocument: PageDocument
  closest(selector: string): PageElement | null
  getAttribute(name: string): string | null
  matches(selector: string): boolean
  remove(): void
}

export interface PageDocument extends Queries {
  readonly documentElement: PageElement | null
  cloneNode(isDeep: boolean): PageDocument
  createComment(text: string): PageNode
}

export const TEXT_NODE = 3
export const ELEMENT_NODE = 1

export const parsePage = (html: string): PageDocument => parseHTML(html).document as unknown as PageDocument

/** Text in one line; null when it's longer than a limit, up to which it's read. */
export function shortTextOf(node: PageNode, maxCharacters: number): string | null {
  let text = ''
  const waiting = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const own = next.nodeType === TEXT_NODE ? (next.nodeValue ?? '') : ''
    // Most of a text node that is far longer would have to be white space.
    if (own.length > maxCharacters * 20) return null
    text = `${text}${own}`.replaceAll(/\s+/g, ' ')
    if (text.length > maxCharacters) return null
    for (const child of [...next.childNodes].reverse()) waiting.push(child)
  }
  return text.trim()
}

/** Text in one line. */
export const textOf = (node: PageNode | null | undefined): string =>
  (node?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
