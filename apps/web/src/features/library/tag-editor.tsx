import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { splitTags } from '../../lib/format/split-tags.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { badgeClass } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { controlClass } from '../../ui/field.tsx'
import { tagsQuery } from './library-queries.ts'

/** Editor of an item's tags: removes tags, adds typed ones, and offers suggested ones. */
export function TagEditor({ tags, suggested, onSave }: TagEditorProps) {
  const text = useText('gallery')
  const id = useId()
  const { data: existingTags = [] } = useQuery(tagsQuery)
  const [draft, setDraft] = useState('')
  const [isSaving, setIsSaving] = useState(false)

  const newSuggestions = suggested.filter((tag) => !tags.includes(tag))
  const save = async (next: string[]) => {
    setIsSaving(true)
    const isSaved = await onSave(next)
    setIsSaving(false)
    return isSaved
  }
  const add = async (event: React.FormEvent) => {
    event.preventDefault()
    const submitted = draft
    const added = splitTags(submitted).filter((tag) => !tags.includes(tag))
    // the user may have typed more tags while these were being saved
    if (added.length === 0 || (await save([...tags, ...added])))
      setDraft((current) => (current === submitted ? '' : current))
  }
  return (
    <section aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="mb-2 text-13 font-semibold">
        {text('tags.label')}
      </h2>
      {tags.length > 0 && (
        <ul className="mb-3 flex flex-wrap gap-2">
          {tags.map((tag) => (
            <li key={tag} className={badgeClass('accent', 'pr-1')}>
              <span className="truncate">{tag}</span>
              <button
                type="button"
                aria-label={text('tags.remove', { tag })}
                disabled={isSaving}
                onClick={() => void save(tags.filter((other) => other !== tag))}
                className="relative grid size-5 touch-area place-items-center rounded-full hover:bg-pressed"
              >
                <X aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={(event) => void add(event)} className="flex gap-2">
        <input
          aria-label={text('tags.add')}
          placeholder={text('tags.placeholder')}
          list={`${id}-known`}
          maxLength={200}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          className={classNames(controlClass, 'h-9 touch-target min-w-0 flex-1')}
        />
        <datalist id={`${id}-known`}>
          {existingTags.map(({ tag }) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <Button type="submit" icon={<Plus aria-hidden />} disabled={draft.trim() === ''} loading={isSaving}>
          {text('tags.addButton')}
        </Button>
      </form>
      {newSuggestions.length > 0 && (
        <ul aria-label={text('tags.suggested')} className="mt-3 flex flex-wrap items-center gap-2">
          <li aria-hidden className="text-12 text-muted">
            {text('tags.suggested')}
          </li>
          {newSuggestions.map((tag) => (
            <li key={tag} className="min-w-0">
              <button
                type="button"
                aria-label={text('tags.addSuggested', { tag })}
                disabled={isSaving}
                onClick={() => void save([...tags, tag])}
                className={badgeClass('ai', 'touch-target max-w-full pl-1.5 shade-on-hover')}
              >
                <Plus aria-hidden />
                <span className="truncate">{tag}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type TagEditorProps = {
  tags: readonly string[]
  /** Tags that may fit; hidden when empty. */
  suggested: readonly string[]
  /** Resolves to true when the tags were saved. */
  onSave: (tags: string[]) => Promise<boolean>
}
