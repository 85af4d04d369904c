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

/** Text in one line. */
export const textOf = (node: PageNode | null | undefined): string =>
  (node?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
