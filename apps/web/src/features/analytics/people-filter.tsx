import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { peopleQuery } from './analytics-queries.ts'

const EVERYONE = 'everyone'

/** Everyone or one person, for administrators; where there are more people than a menu holds, a search narrows them. */
export function PeopleFilter({
  userId,
  onChange,
}: {
  userId: string | null
  onChange: (userId: string | null) => void
}) {
  const text = useText('analytics')
  const [search, setSearch] = useState('')
  const { data } = useQuery(peopleQuery(search))
  const people = data?.items ?? []
  const isLong = search !== '' || (data?.nextCursor ?? null) !== null
  const isListed = userId === null || people.some(({ id }) => id === userId)
  return (
    <div className="flex flex-wrap items-end gap-2">
      {isLong && (
        <SearchField
          label={text('people.search')}
          clearLabel={text('people.clear')}
          placeholder={text('people.search')}
          value={search}
          onValueChange={setSearch}
          className="w-44"
        />
      )}
      <Select
        label={text('people.label')}
        labelHidden
        className="w-48"
        value={userId ?? EVERYONE}
        onValueChange={(value) => onChange(value === EVERYONE ? null : value)}
        options={[
          { value: EVERYONE, label: text('people.everyone') },
          ...(isListed ? [] : [{ value: userId, label: text('people.chosen') }]),
          ...people.map(({ id, full_name: name, username }) => ({
            value: id,
            label: name ? `${name} (${username})` : username,
          })),
        ]}
      />
    </div>
  )
}
