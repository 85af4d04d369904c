import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { controlClass } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts'

/** One field that leads anywhere: pages, conversations, things and what agents do. */
export function PaletteDialog({ typed, onClose }: { typed: () => string; onClose: () => void }) {
  const text = useText('app')
  const navigate = useNavigate()
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState(typed)
  const [chosen, setChosen] = useState(0)
  const { entries, isLooking } = usePaletteEntries(query.trim())
  const current = Math.min(chosen, entries.length - 1)

  const go = ({ path, command }: PaletteEntry) => {
    onClose()
    void navigate(path, command === undefined ? {} : { state: { command } })
  }
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setChosen((current + step + entries.length) % entries.length)
    }
    // Radix gives the key to what came last, which may be something beside the page
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) onClose()
    const entry = entries[current]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && entry) {
      event.preventDefault()
      go(entry)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the chosen line in sight
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('palette.title')}
      closeLabel={text('common.close')}
    >
      <div className="relative">
        <Search aria-hidden className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted" />
        <input
          data-autofocus=""
          role="combobox"
          aria-label={text('palette.title')}
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? `${listId}-${current}` : undefined}
          autoComplete="off"
          placeholder={text('palette.placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setChosen(0)
          }}
          onKeyDown={handleKey}
          className={classNames(controlClass, 'h-10 touch-target px-9')}
        />
        {isLooking && (
          <span className="absolute inset-y-0 right-3 grid place-items-center">
            <Spinner size="sm" />
          </span>
        )}
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={text('palette.title')}
        className="mt-3 h-80 overflow-y-auto overscroll-contain"
      >
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the chosen line
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
          <div
            key={`${entry.group} ${entry.path} ${entry.label}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => go(entry)}
            onPointerMove={() => setChosen(index)}
            className={classNames(
              'flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 text-14 pointer-coarse:min-h-11',
              index === current && 'bg-hover',
            )}
          >
            <entry.Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
            <span className="shrink-0 text-12 text-muted">{text(`palette.${entry.group}`)}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && !isLooking && <p className="text-14 text-muted">{text('palette.none')}</p>}
    </Dialog>
  )
}
