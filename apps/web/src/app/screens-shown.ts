let isOneShown = false

/** Notes that a screen is shown, and tells whether it is the first: the focus moves to the heading of those that follow. */
export function noteScreenShown(): { isFirst: boolean } {
  const isFirst = !isOneShown
  isOneShown = true
  return { isFirst }
}
