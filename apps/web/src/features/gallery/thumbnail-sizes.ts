import { measuresFor } from './grid-layout.ts'
import type { GridItem } from './library-items.ts'

/** The longest sides of both thumbnails of an item, in pixels, as the server makes them. */
const SMALL = 384
const LARGE = 512

/**
 * Lets the browser choose of both thumbnails of an item by how wide a card of the grid is about, and how close the pixels of the
 * screen are; undefined where there is none, or its ratio is not known. before-first-paint.js asks for the first ones in the same words, or
 * they would be loaded twice.
 */
export function thumbnailSizes({ thumbnail, ratio }: GridItem): { srcSet: string; sizes: string } | undefined {
  if (thumbnail === null || ratio === null) return
  const widthOf = (longestSide: number) => Math.round(longestSide * Math.min(1, ratio))
  return {
    srcSet: `${thumbnail}&size=small ${widthOf(SMALL)}w, ${thumbnail} ${widthOf(LARGE)}w`,
    sizes: `${Math.round(measuresFor(window.innerWidth).pictureHeight * ratio)}px`,
  }
}
