import type { UnderstoodPhraseJson } from '@mira/shared'
import { mediaTypes } from '@mira/shared/constants/media'
import { CalendarDays, Check, Search, Shapes, Undo2, X } from 'lucide-react'
import type { FormEvent, KeyboardEvent, RefObject } from 'react'
import { useFormat } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { isComposing } from '../../ui/is-composing.ts'
import { MediaIcon } from '../../ui/media-icon.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { FIRST_DAY, hasWrongDates, LAST_DAY, type SearchState } from './search-params.ts'
import { TypeaheadField } from './typeahead-field.tsx'

/** Chips for phrases understood as a time or type; a click toggles whether they're searched as plain words. */
export function QueryChips({ phrases, literal, onLiteral }: QueryChipsProps) {
  const text = useText('memory')
  const meaningOf = usePhraseDescription()
  if (phrases.length === 0 && literal.length === 0) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: these aren't form fields
    <div role="group" aria-label={text('understood.title')} className="mb-4 flex flex-wrap gap-2">
      {phrases.map((phrase) => (
        <Chip key={phrase.text} effect={text('understood.remove')} onPress={() => onLiteral([...literal, phrase.text])}>
          {phrase.kind === 'time' ? <CalendarDays aria-hidden /> : <Shapes aria-hidden />}
          <span className="min-w-0 truncate">
            {text('understood.phrase', { phrase: phrase.text, meaning: meaningOf(phrase) })}
          </span>
          <X aria-hidden />
        </Chip>
      ))}
      {literal.map((phrase) => (
        <Chip
          key={phrase}
          isOff
          effect={text('understood.restore')}
          onPress={() => onLiteral(literal.filter((one) => one !== phrase))}
        >
          <span className="min-w-0 truncate">{text('understood.asWords', { phrase })}</span>
          <Undo2 aria-hidden />
        </Chip>
      ))}
    </div>
  )
}

/** Describes the interpretation of a phrase. */
function usePhraseDescription(): (phrase: UnderstoodPhraseJson) => string {
  const text = useText('memory')
  const format = useFormat()
  return ({ media_types, from, to }) => {
    if (media_types) return format.list(media_types.map((type) => text(`types.${type}`)))
    if (from !== undefined && to !== undefined) return format.days(from, to)
    if (from !== undefined) return text('understood.since', { day: format.date(from) })
    return to === undefined ? '' : text('understood.before', { day: format.date(to) })
  }
}

function Chip({ effect, isOff = false, onPress, children }: ChipProps) {
  return (
    <button
      type="button"
      title={effect}
      onClick={onPress}
      className={classNames(
        'inline-flex h-8 max-w-full touch-target items-center gap-1.5 rounded-full border px-3 text-13 font-medium transition-colors [&_svg]:size-4 [&_svg]:shrink-0',
        isOff
          ? 'border-dashed border-border-strong text-muted shade-on-hover'
          : 'border-accent bg-accent-soft text-accent-text',
      )}
    >
      {children}
      <VisuallyHidden>({effect})</VisuallyHidden>
    </button>
  )
}

type ChipProps = {
  /** Description of the click's effect. */
  effect: string
  isOff?: boolean
  onPress: () => void
  children: React.ReactNode
}
type QueryChipsProps = {
  phrases: readonly UnderstoodPhraseJson[]
  /** Phrases that are searched as plain words. */
  literal: readonly string[]
  onLiteral: (literal: readonly string[]) => void
}

const QUERY_MAX_CHARACTERS = 1_000

/** Form with the query and its filters. */
export function SearchForm({
  form,
  search,
  submittedQuery,
  isSearching,
  onQueryChange,
  onFilter,
  onSubmit,
  onLeaveDownwards,
}: SearchFormProps) {
  const text = useText('memory')
  const common = useText('app')
  const areDatesWrong = hasWrongDates(search)
  // Down moves from the box to the first result.
  const handleKey = (event: KeyboardEvent<HTMLFormElement>) => {
    const isInBox = event.target === event.currentTarget.elements.namedItem('query')
    if (isComposing(event.nativeEvent)) return
    if (isInBox && event.key === 'ArrowDown' && onLeaveDownwards()) event.preventDefault()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSearching) onSubmit()
  }
  return (
    <Card>
      <search>
        <form ref={form} onSubmit={submit} onKeyDown={handleKey} className="flex flex-col gap-4">
          <div className="flex flex-col gap-2 sm:flex-row">
            <TypeaheadField
              name="query"
              label={text('form.label')}
              clearLabel={common('common.clearSearch')}
              placeholder={text('form.placeholder')}
              value={search.query}
              submittedQuery={submittedQuery}
              types={search.types}
              maxLength={QUERY_MAX_CHARACTERS}
              autoComplete="off"
              enterKeyHint="search"
              onValueChange={onQueryChange}
              className="flex-1"
            />
            <Button
              type="submit"
              variant="primary"
              icon={<Search aria-hidden />}
              loading={isSearching}
              disabled={search.query.trim() === '' || areDatesWrong}
              className="h-10"
            >
              {text(isSearching ? 'form.searching' : 'form.search')}
            </Button>
          </div>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
            <TypeChips search={search} onFilter={onFilter} />
            <Checkbox
              label={text('form.includeFrames')}
              checked={search.includesFrames}
              onCheckedChange={(includesFrames) => onFilter({ ...search, includesFrames })}
            />
            <Dates search={search} onFilter={onFilter} />
          </div>
        </form>
      </search>
    </Card>
  )
}

function TypeChips({ search, onFilter }: FilterProps) {
  const text = useText('memory')
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-2">
      <legend className="sr-only">{text('form.types')}</legend>
      {mediaTypes.map((type) => {
        const isOn = search.types.includes(type)
        const types = mediaTypes.filter((one) => (one === type ? !isOn : search.types.includes(one)))
        return (
          <button
            key={type}
            type="button"
            aria-pressed={isOn}
            onClick={() => onFilter({ ...search, types })}
            className={classNames(
              'inline-flex h-8 touch-target items-center gap-1.5 rounded-full border px-3 text-13 font-medium transition-colors [&_svg]:size-4',
              isOn
                ? 'border-accent bg-accent-soft text-accent-text'
                : 'border-border-strong bg-control text-text shade-on-hover',
            )}
          >
            {isOn ? <Check aria-hidden /> : <MediaIcon type={type} />}
            {text(`types.${type}`)}
          </button>
        )
      })}
    </fieldset>
  )
}

function Dates({ search, onFilter }: FilterProps) {
  const text = useText('memory')
  const areWrong = hasWrongDates(search)
  return (
    <div className="grid w-full grid-cols-2 items-start gap-x-2 gap-y-1 sm:flex sm:w-auto sm:flex-wrap lg:ml-auto">
      {(['from', 'to'] as const).map((bound) => (
        <div key={bound} className="flex min-w-0 flex-col gap-x-2 gap-y-1 sm:flex-row">
          <span aria-hidden className="text-13 text-muted sm:pt-2.5">
            {text(`form.${bound}`)}
          </span>
          <TextField
            type="date"
            min={FIRST_DAY}
            max={LAST_DAY}
            label={text(`form.${bound}`)}
            labelHidden
            value={search[bound]}
            error={areWrong && bound === 'to' ? text('form.wrongDates') : undefined}
            onChange={({ target }) => onFilter({ ...search, [bound]: target.value })}
            className="sm:w-38"
          />
        </div>
      ))}
      {(search.from !== '' || search.to !== '') && (
        <Button variant="ghost" className="col-span-2 h-10" onClick={() => onFilter({ ...search, from: '', to: '' })}>
          {text('form.clearDates')}
        </Button>
      )}
    </div>
  )
}

type FilterProps = { search: SearchState; onFilter: (search: SearchState) => void }
type SearchFormProps = FilterProps & {
  form: RefObject<HTMLFormElement | null>
  /** Query of the results on the page. */
  submittedQuery: string
  isSearching: boolean
  onQueryChange: (query: string) => void
  onSubmit: () => void
  /** Moves the focus to the first result; false when there is none. */
  onLeaveDownwards: () => boolean
}
