/** Decoded pixels: red, green, blue and straight alpha, 8 bits each, upright. */
export interface PixelPicture {
  width: number
  height: number
  data: Uint8ClampedArray
  /** True when no pixel is transparent. */
  isOpaque: boolean
  /** The colour profile that the values are in; null for sRGB. */
  iccProfile: Buffer | null
  /** Camera metadata without the location. */
  exif: Record<string, Record<string, string>>
}

/** 50 megapixels as cameras count them, including 8192 × 6144; decoded, they take 200 MB. */
export const MAX_PIXELS = 51_000_000
/** The same limit in sentences. */
export const MAX_MEGAPIXELS = 50
export const CHANNELS = 4
