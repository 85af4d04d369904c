import { measuresFor } from './grid-layout.ts'

/** The longest sides of both thumbnails of an item, in pixels, as the server makes them. */
const SMALL = 384
const LARGE = 512

/**
 * Lets the browser choose of both thumbnails of an item by how wide a card of the grid is about, and how close the pixels of the
 * screen are. theme-init.js asks for the first ones in the same words, or they would be loaded twice.
 * @param address of the larger one, signed
 * @param ratio width through height
 */
export function thumbnailSizes(address: string, ratio: number): { srcSet: string; sizes: string } {
  const widthOf = (longestSide: number) => Math.round(longestSide * Math.min(1, ratio))
  return {
    srcSet: `${address}&size=small ${widthOf(SMALL)}w, ${address} ${widthOf(LARGE)}w`,
    sizes: `${Math.round(measuresFor(window.innerWidth).pictureHeight * ratio)}px`,
  }
}
