import { LOG_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { ChevronDown, SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import type { LogFilters } from '../../api/memory-logs.ts'
import { useText } from '../../lib/i18n.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PausingSearchField } from '../../ui/pausing-search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { choices, countChosen, type FilterName, noFilters } from './log-filters.ts'

const names: readonly FilterName[] = ['type', 'content_type', 'range', 'sentiment']

/** The search box and the panel of filters, which folds away. */
export function LogTools({ filters, onChange }: LogToolsProps) {
  const text = useText('memory-logs')
  const appText = useText('app')
  const chosen = countChosen(filters)
  const [isOpen, setOpen] = useState(chosen > 0)
  const panelId = useId()
  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-3">
        <PausingSearchField
          label={text('search')}
          clearLabel={appText('common.clearSearch')}
          placeholder={text('placeholder')}
          maxLength={LOG_QUERY_MAX_CHARACTERS}
          query={filters.query}
          onQueryChange={(query) => onChange({ query })}
          className="flex-1"
        />
        <Button
          aria-expanded={isOpen}
          aria-controls={panelId}
          icon={<SlidersHorizontal aria-hidden />}
          onClick={() => setOpen(!isOpen)}
          className="h-10"
        >
          {text('filters.title')}
          {chosen > 0 && <Badge tone="accent">{chosen}</Badge>}
          <ChevronDown aria-hidden className={classNames('transition-transform', isOpen && 'rotate-180')} />
        </Button>
      </div>
      <Card id={panelId} hidden={!isOpen}>
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {names.map((name) => (
            <Select<string>
              key={name}
              label={text(`filters.${name}.label`)}
              value={filters[name]}
              onValueChange={(value) => onChange({ [name]: value })}
              options={choices[name].map((value) => ({
                value,
                label: text(`filters.${name}.${value}` as Parameters<typeof text>[0]),
              }))}
            />
          ))}
        </div>
        <Button
          variant="ghost"
          size="sm"
          className="mt-3 -ml-2.5"
          disabled={chosen === 0 && filters.query === ''}
          onClick={() => onChange(noFilters)}
        >
          {text('filters.clear')}
        </Button>
      </Card>
    </div>
  )
}

export type LogToolsProps = { filters: LogFilters; onChange: (change: Partial<LogFilters>) => void }
