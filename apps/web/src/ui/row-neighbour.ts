/** Remembers an element's list row; the returned function finds the element to focus after that row's removal. */
export function rowNeighbour(element: Element | null): () => HTMLElement | null {
  const row = element?.closest('li')
  const list = row?.parentElement
  const index = list ? [...list.children].indexOf(row) : -1
  return () =>
    (list?.children[index] ?? list?.lastElementChild)?.querySelector<HTMLElement>('a[href], button:not([disabled])') ??
    null
}
