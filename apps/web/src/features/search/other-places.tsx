import type { SearchResultJson } from '@mira/shared'
import type { MouseEvent } from 'react'
import { Link } from 'react-router-dom'
import { clock } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { pageWords } from '../../lib/i18n/page-words.ts'
import { whyFound } from './why-found.ts'

/** Other places of an item, folded under its card. */
export function OtherPlaces({ results, onOpen }: OtherPlacesProps) {
  const text = useText('memory')
  if (results.length === 0) return null
  return (
    // above the link that the whole card is
    <details className="relative z-1 w-fit max-w-full text-13">
      <summary className="cursor-pointer rounded-control py-0.5 font-medium text-muted hover:text-text pointer-coarse:py-2">
        {text('card.others', { count: results.length })}
      </summary>
      <ul className="mt-1 flex flex-col gap-1.5">
        {results.map((result) => (
          <li key={result.id} className="min-w-0">
            <Link to={result.url} onClick={(event) => onOpen(event, result)} className="line-clamp-2 hover:underline">
              <span className="font-medium">
                {text(`why.${whyFound(result).find((why) => why !== 'meaning') ?? 'inText'}`, {
                  time: result.timestamp_seconds === null ? '' : clock(result.timestamp_seconds),
                  ...pageWords(result.page ?? 1, result.page_kind, result.page_title),
                })}
              </span>{' '}
              {result.content}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

type OtherPlacesProps = {
  results: readonly SearchResultJson[]
  onOpen: (event: MouseEvent, result: SearchResultJson) => void
}
