import { createContext, type MouseEvent, useContext } from 'react'

/** Shows an item, at the location that its address names, beside the page. */
export type ShowItem = (address: string) => void

/** Opens an item next to the page; null where there's no such panel. */
export const ItemPeekContext = createContext<ShowItem | null>(null)

const ITEM = /^\/gallery\/[^/?#]+/

/**
 * Has links to items open beside the page, so that the page stays as it is; other links, and those that are opened in a tab
 * or window of their own, are followed as always.
 */
export function useItemPeek(): (address: string) => (event: MouseEvent) => void {
  const show = useContext(ItemPeekContext)
  return (address) => (event) => {
    const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (show === null || isElsewhere || event.defaultPrevented || !ITEM.test(address)) return
    event.preventDefault()
    show(address)
  }
}
