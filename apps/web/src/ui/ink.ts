/** Visible part of a page: its left and top offsets as fractions of the page, and its magnification. */
export interface PageArea {
  left: number
  top: number
  zoom: number
}

/** Minimum difference in brightness from the paper, of 255, for a pixel to count as ink. */
const MIN_DIFFERENCE = 24
const MARGIN = 0.03
const MAX_ZOOM = 1.8
/** Maximum top offset, so that enough of the page remains visible. */
const MAX_TOP = 0.6

/** Finds the part of a page with text or drawings; the brightness of the top left pixel counts as that of the paper. */
export function findPrintedArea({ data, width, height }: Pick<ImageData, 'data' | 'width' | 'height'>): PageArea {
  const brightness = (index: number) => ((data[index] ?? 0) + (data[index + 1] ?? 0) + (data[index + 2] ?? 0)) / 3
  const paper = brightness(0)
  let [left, right, top] = [width, -1, height]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (Math.abs(brightness((y * width + x) * 4) - paper) < MIN_DIFFERENCE) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
    }
  }
  if (right < 0) return { left: 0, top: 0, zoom: 1 }
  const from = Math.max(0, left / width - MARGIN)
  const to = Math.min(1, (right + 1) / width + MARGIN)
  const zoom = Math.min(MAX_ZOOM, 1 / (to - from))
  return {
    // starts at the left edge of the ink, but never extends beyond the page
    left: Math.min(from, 1 - 1 / zoom),
    top: Math.min(MAX_TOP, Math.max(0, top / height - MARGIN)),
    zoom,
  }
}
