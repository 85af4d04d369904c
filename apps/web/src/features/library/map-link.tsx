import { ExternalLink } from 'lucide-react'
import { useText } from '../../lib/i18n/i18n.ts'
import type { Place } from './library-items.ts'
import { mapAddress, placeText } from './place-text.ts'

/** A place, and a link that shows it on a map of others: nothing is asked there before the click. */
export function MapLink({ place }: { place: Place }) {
  const text = useText('gallery')
  return (
    <a
      href={mapAddress(place)}
      target="_blank"
      rel="noopener noreferrer"
      title={text('facts.openMap')}
      className="inline-flex items-center gap-1 text-accent-text underline underline-offset-2"
    >
      {placeText(place)}
      <ExternalLink aria-hidden className="size-3.5" />
      <span className="sr-only">{text('facts.openMap')}</span>
    </a>
  )
}
