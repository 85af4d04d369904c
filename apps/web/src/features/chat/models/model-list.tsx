import type { ChatModel } from '@mira/shared'
import { LOCAL_CONNECTION } from '@mira/shared/constants/models'
import { Check, Eye } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { SearchField } from '../../../ui/search-field.tsx'

/** From so many models on there is a box to search them. */
const SEARCHED_FROM = 8

/** The models that may be picked, and the one that is there anyway; arrows move among them. */
export function ModelList({ models, selected, onChoose }: ModelListProps) {
  const text = useText('chat')
  const common = useText('app')
  const [query, setQuery] = useState('')
  const standard = models.find(({ is_default }) => is_default)
  const words = query.trim().toLowerCase()
  const matches = models.filter(({ name, connection }) => `${name} ${connection}`.toLowerCase().includes(words))
  return (
    <div className="flex flex-col gap-2">
      {models.length >= SEARCHED_FROM && (
        <SearchField
          label={text('model.search')}
          clearLabel={common('common.clearSearch')}
          placeholder={text('model.search')}
          value={query}
          onValueChange={setQuery}
        />
      )}
      <ul
        aria-label={text('model.title')}
        onKeyDown={moveFocus}
        className="-mx-2 flex max-h-64 flex-col overflow-y-auto"
      >
        {words === '' && (
          <li>
            <Choice isChosen={selected === null} onChoose={() => onChoose(null)}>
              <span className="block truncate text-14">{text('model.default')}</span>
              <span className="block truncate text-12 text-muted">
                {standard === undefined ? text('model.defaultText') : standard.name}
              </span>
            </Choice>
          </li>
        )}
        {matches.map((model) => (
          <li key={model.id}>
            <Choice isChosen={selected === model.id} onChoose={() => onChoose(model.id)}>
              <span className="block truncate text-14">{model.name}</span>
              <Traits model={model} />
            </Choice>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p className="text-13 text-muted">{text('model.noneFound', { query: query.trim() })}</p>}
    </div>
  )
}

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classNames(
        'flex min-h-11 w-full items-center gap-2 rounded-control px-2 py-1.5 text-left shade-on-hover',
        isChosen && 'bg-row-selected',
      )}
    >
      <span className="min-w-0 flex-1">{children}</span>
      {isChosen && <Check aria-hidden className="size-4 shrink-0 text-accent-text" />}
    </button>
  )
}

/** The model's server and known abilities. */
function Traits({ model: { connection, vision, context_tokens } }: { model: ChatModel }) {
  const text = useText('chat')
  const format = useFormat()
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-12 text-muted">
      <span className="min-w-0 truncate">{connection === LOCAL_CONNECTION ? text('model.onServer') : connection}</span>
      {context_tokens !== null && <span>{text('model.holds', { tokens: format.number(context_tokens) })}</span>}
      {vision && (
        <span className="flex items-center gap-1">
          <Eye aria-hidden className="size-3.5" />
          {text('model.sees')}
        </span>
      )}
    </span>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const choices = [...event.currentTarget.querySelectorAll('button')]
  const at = choices.indexOf(document.activeElement as HTMLButtonElement)
  choices[Math.max(0, Math.min(choices.length - 1, at + step))]?.focus()
}

type ChoiceProps = { isChosen: boolean; onChoose: () => void; children: React.ReactNode }

type ModelListProps = {
  models: readonly ChatModel[]
  /** Null for the one that is there anyway. */
  selected: string | null
  onChoose: (model: string | null) => void
}
