/** Selected items, and the anchor for the next range. */
export interface ItemSelection {
  ids: ReadonlySet<string>
  anchor: string | null
}

/** Nothing is chosen. */
export const emptySelection: ItemSelection = { ids: new Set(), anchor: null }

/** Chooses an item, or no longer. */
export function toggle({ ids }: ItemSelection, id: string): ItemSelection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** Chooses everything between the item that was touched last and this one, in the order of the list. */
export function extendTo(selection: ItemSelection, id: string, order: readonly { id: string }[]): ItemSelection {
  const from = order.findIndex((item) => item.id === selection.anchor)
  const to = order.findIndex((item) => item.id === id)
  if (from === -1 || to === -1) return toggle(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...range.map((item) => item.id)]), anchor: selection.anchor }
}

/** Chooses all that are loaded. */
export function selectAll(order: readonly { id: string }[], { anchor }: ItemSelection): ItemSelection {
  return { ids: new Set(order.map(({ id }) => id)), anchor: anchor ?? order[0]?.id ?? null }
}

/** Forgets what is no longer in the list. */
export function keepListed(selection: ItemSelection, order: readonly { id: string }[]): ItemSelection {
  if (selection.ids.size === 0) return selection
  const listed = new Set(order.map(({ id }) => id))
  const ids = new Set([...selection.ids].filter((id) => listed.has(id)))
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor }
}
