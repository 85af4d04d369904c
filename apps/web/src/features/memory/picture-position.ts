interface Size {
  width: number
  height: number
}

/**
 * `object-position` for a picture with `object-fit: cover` that puts a point as close to the centre as the picture's
 * edges allow.
 */
export function positionThatKeeps([x, y]: [number, number], picture: Size, place: Size): string {
  const scale = Math.max(place.width / picture.width, place.height / picture.height)
  return [
    alongOneSide(x, place.width / (picture.width * scale)),
    alongOneSide(y, place.height / (picture.height * scale)),
  ]
    .map((share) => `${Math.round(share * 100)}%`)
    .join(' ')
}

function alongOneSide(point: number, shown: number): number {
  // all of it is seen: rounding alone tells it from one
  if (!(shown < 0.999)) return 0.5
  return Math.min(1, Math.max(0, (point - shown / 2) / (1 - shown)))
}
