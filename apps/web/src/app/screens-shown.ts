let isOneShown = false

/** Records that a screen is shown. The focus moves to its heading unless it's the first of this page load. */
export function recordScreenShown(): { isFirst: boolean } {
  const isFirst = !isOneShown
  isOneShown = true
  return { isFirst }
}
