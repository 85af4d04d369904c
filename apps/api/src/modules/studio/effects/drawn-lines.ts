/**
 * Lines where brightness changes, as an artist draws them: 1 on a line, 0 beside it (XDoG, Winnemöller, Kyprianidis and
 * Olsen, 2012).
 * @param blur brightness of the picture, 0 to 255, blurred with a sigma. @param sigma half the width of a line, in pixels.
 * @param threshold change that makes a line: 0.5 draws many lines, 4 few. @param softness of a line's edges.
 */
export function drawnLines(
  blur: (sigma: number) => Float32Array,
  { sigma, threshold, softness }: { sigma: number; threshold: number; softness: number },
): Float32Array {
  const narrow = blur(sigma)
  const wide = blur(sigma * 1.6)
  for (let i = 0; i < narrow.length; i++) {
    const difference = (wide[i] as number) - (narrow[i] as number)
    const over = (difference - threshold) / softness
    narrow[i] = over <= 0 ? 0 : over >= 1 ? 1 : over * over * (3 - 2 * over)
  }
  return narrow
}

/** Sigma of a blur with the same reach as drawnLines. */
export function widestSigma(sigma: number): number {
  return sigma * 1.6
}
