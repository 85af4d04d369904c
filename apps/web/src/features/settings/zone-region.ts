/** Codes of the parts of the world that zones are named after; names of oceans say nothing that the zone's own name does not. */
const codes: Readonly<Record<string, string>> = {
  Africa: '002',
  America: '019',
  Antarctica: 'AQ',
  Asia: '142',
  Australia: 'AU',
  Europe: '150',
}

/**
 * Translated region of a zone: "Europa" of Europe/Berlin, "Amerika Argentina" of America/Argentina/Salta; empty for
 * UTC.
 */
export function zoneRegion(zone: string, language: string): string {
  const [world = '', ...within] = zone.split('/').slice(0, -1)
  const code = codes[world]
  const name = code === undefined ? '' : (new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? '')
  return [name, ...within].join(' ').replaceAll('_', ' ').trim()
}
