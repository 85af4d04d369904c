/** The part of an element that finding neighbouring cards needs. */
type Placed = { getBoundingClientRect: () => Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'> }

/** The card that an arrow key, Home or End moves to; null when there is none, or when it is another key. */
export function nextCard<Card extends Placed & Partial<Pick<Element, 'contains'>>>(
  {
    key,
    target,
    altKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'> & { target: unknown },
  cards: readonly Card[],
): Card | null {
  if (altKey || ctrlKey || metaKey) return null
  const index = cards.indexOf(target as Card)
  if (index === -1) return null
  if (key === 'Home') return cards[0] ?? null
  if (key === 'End') return cards.at(-1) ?? null
  if (key === 'ArrowRight') return cards[index + 1] ?? null
  if (key === 'ArrowLeft') return cards[index - 1] ?? null
  if (key === 'ArrowDown') return nearestInRow(cards.slice(index + 1), cards[index] as Card, 'down')
  if (key === 'ArrowUp') return nearestInRow(cards.slice(0, index).reverse(), cards[index] as Card, 'up')
  return null
}

/** The card of the next row that lies straightest above or below; of a short row its last one. */
function nearestInRow<Card extends Placed>(others: readonly Card[], from: Card, way: 'up' | 'down'): Card | null {
  const box = from.getBoundingClientRect()
  const centre = (box.left + box.right) / 2
  let rowTop: number | null = null
  let best: { card: Card; distance: number } | null = null
  for (const card of others) {
    const { left, right, top, bottom } = card.getBoundingClientRect()
    if (way === 'down' ? top < box.bottom - 1 : bottom > box.top + 1) continue
    rowTop ??= top
    if (Math.abs(top - rowTop) > 1) break
    const distance = Math.abs((left + right) / 2 - centre)
    if (best === null || distance < best.distance) best = { card, distance }
  }
  return best?.card ?? null
}
