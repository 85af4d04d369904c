interface Size {
  width: number
  height: number
}

/**
 * Where a picture that covers its place is moved to (`object-position`), so that a point of it is in the middle of what is
 * seen, as far as the picture reaches.
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
