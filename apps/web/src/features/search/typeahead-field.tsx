import type { MediaItemJson, MediaType } from '@mira/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { fetchLibrary } from '../../lib/api/library.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { memoryKey } from '../../lib/loading/query-keys.ts'
import { useDebouncedValue } from '../../lib/loading/use-debounced-value.ts'
import { useItemPeek } from '../../lib/session/navigation-state.ts'
import { itemPath } from '../../lib/session/paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { isComposing } from '../../ui/is-composing.ts'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { SearchField, type SearchFieldProps } from '../../ui/search-field.tsx'
import { ThumbhashImage } from '../../ui/thumbhash-image.tsx'

const TYPING_PAUSE_MS = 200
const MIN_CHARACTERS = 2
const MAX_HITS = 6
const FRESH_MS = 60_000

/**
 * Search box with matching items as suggestions while typing. They're from the library's API, whose calls aren't logged as
 * searches. The arrow keys move through them, and Enter opens the marked one.
 */
export function TypeaheadField({ submittedQuery, types, onValueChange, className, ...field }: TypeaheadFieldProps) {
  const text = useText('memory')
  const id = useId()
  const peek = useItemPeek()
  const [isOpen, setIsOpen] = useState(false)
  const [markedId, setMarkedId] = useState<string | null>(null)
  const typed = field.value.trim()
  const words = useDebouncedValue(typed, TYPING_PAUSE_MS)
  const isWanted = isOpen && typed.length >= MIN_CHARACTERS && typed !== submittedQuery
  const { data } = useQuery({
    queryKey: [...memoryKey, 'typed', words, types],
    queryFn: ({ signal }) => fetchHits(words, types, signal),
    enabled: isWanted && words.length >= MIN_CHARACTERS,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    // the next key press fetches again anyway
    retry: false,
  })
  const hits = isWanted ? (data ?? []) : []
  const isShown = hits.length > 0
  const markedIndex = hits.findIndex((hit) => hit.id === markedId)
  const optionId = (hit: MediaItemJson) => `${id}-${hit.id}`
  const close = () => {
    setIsOpen(false)
    setMarkedId(null)
  }

  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Enter' && markedIndex === -1) close()
    if (!isShown) return
    const hit = hits[markedIndex]
    if (event.key === 'ArrowDown') setMarkedId(hits[markedIndex + 1]?.id ?? null)
    else if (event.key === 'ArrowUp')
      setMarkedId((markedIndex === -1 ? hits.at(-1) : hits[markedIndex - 1])?.id ?? null)
    else if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && hit) document.getElementById(optionId(hit))?.click()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys before the field in it does
    <div
      className={classNames('relative', className)}
      onKeyDownCapture={handleKey}
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && close()}
    >
      <SearchField
        {...field}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? `${id}-hits` : undefined}
        aria-activedescendant={hits[markedIndex] && optionId(hits[markedIndex])}
        onValueChange={(value) => {
          setIsOpen(true)
          setMarkedId(null)
          onValueChange(value)
        }}
      />
      {isShown && (
        <div
          id={`${id}-hits`}
          role="listbox"
          aria-label={text('typed.label')}
          className="absolute inset-x-0 top-full z-20 mt-1.5 flex max-h-[min(24rem,60dvh)] flex-col overflow-y-auto rounded-card border border-border-float bg-surface-overlay p-1 shadow-float"
        >
          {hits.map((hit) => (
            <Link
              key={hit.id}
              id={optionId(hit)}
              to={itemPath(hit.id, typed)}
              role="option"
              aria-selected={hit.id === markedId}
              tabIndex={-1}
              draggable={false}
              // keeps the focus in the box
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setMarkedId(hit.id)}
              onClick={(event) => {
                peek(itemPath(hit.id, typed))(event)
                close()
              }}
              className={classNames(
                'flex shrink-0 items-center gap-3 rounded-control px-2 py-1.5 text-14',
                hit.id === markedId && 'bg-pressed',
              )}
            >
              <Hit hit={hit} />
            </Link>
          ))}
        </div>
      )}
    </div>
  )
}

function Hit({ hit }: { hit: MediaItemJson }) {
  const { metadata, caption, thumbnail, thumbhash, media_type: type } = hit
  return (
    <>
      <span className="relative block size-10 shrink-0 overflow-hidden rounded-control bg-surface-sunken">
        <ThumbhashImage
          src={thumbnail}
          hash={thumbhash}
          alt=""
          fallback={
            <span className="absolute inset-0 grid place-items-center text-muted">
              <MediaIcon type={type} className="size-5" />
            </span>
          }
        />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{metadata.original_filename}</span>
        {caption && <span className="block truncate text-13 text-muted">{caption}</span>}
      </span>
    </>
  )
}

async function fetchHits(words: string, types: readonly MediaType[], signal: AbortSignal): Promise<MediaItemJson[]> {
  const [type, ...others] = types
  const typeFilter = type !== undefined && others.length === 0 ? { media_type: type } : {}
  const page = await fetchLibrary({ query: words, limit: MAX_HITS, cursor: null, ...typeFilter }, signal)
  return page.media_items.filter(({ media_type: kind }) => types.length === 0 || types.includes(kind))
}

type TypeaheadFieldProps = SearchFieldProps & {
  /** Query of the results on the page; no suggestions appear for the same words. */
  submittedQuery: string
  /** Empty for all types. */
  types: readonly MediaType[]
}
